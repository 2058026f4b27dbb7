import type { Budget } from './budget.js';
import type { CelNode } from './syntax.js';
import type { CelType } from './types.js';
import type { CelValue } from './values.js';

/** What an expression runs on: one slot per variable, known when it is compiled. */
export interface Frame {
  readonly slots: CelValue[];
  readonly budget: Budget;
}

export type Evaluate = (frame: Frame) => CelValue;

/** A compiled part of an expression: its static type and how to run it. */
export interface Typed {
  readonly type: CelType;
  readonly evaluate: Evaluate;
}

export interface Variable {
  readonly slot: number;
  readonly type: CelType;
}

/** What macros and operators may ask of the compiler. */
export interface ExpressionCompiler {
  compile(node: CelNode): Typed;
  fail(node: CelNode, message: string): never;
  /** Compiles `body` where additional names are known; each gets a slot of its own. */
  withVariables<T>(names: readonly (readonly [name: string, type: CelType])[], body: (...slots: number[]) => T): T;
  /** The type of a field of `type`, or a compile error where there is none. */
  fieldType(node: CelNode, type: CelType, field: string): CelType;
}
