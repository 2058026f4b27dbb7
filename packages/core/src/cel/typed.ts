import type { Budget } from './budget.js';
import type { CelNode } from './syntax.js';
import type { CelType } from './types.js';
import type { CelValue } from './values.js';

/** The state of an evaluation. Each variable has a slot, whose number is assigned when the expression is compiled. */
export interface Frame {
  readonly slots: CelValue[];
  readonly budget: Budget;
}

export type Evaluate = (frame: Frame) => CelValue;

/** A compiled part of an expression: its static type, and the function that evaluates it. */
export interface Typed {
  readonly type: CelType;
  readonly evaluate: Evaluate;
}

export interface Variable {
  readonly slot: number;
  readonly type: CelType;
}

/** The part of the compiler that macros and operators use. */
export interface ExpressionCompiler {
  compile(node: CelNode): Typed;
  fail(node: CelNode, message: string): never;
  /** Compiles `body` with additional variables in scope, each with its own slot. */
  withVariables<T>(names: readonly (readonly [name: string, type: CelType])[], body: (...slots: number[]) => T): T;
  /** Returns the type of a field of `type`. Throws a compile error if there is no such field. */
  fieldType(node: CelNode, type: CelType, field: string): CelType;
}
