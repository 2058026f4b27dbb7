import { CelEvaluationError } from './errors.js';
import { typeName } from './operators.js';
import type { CelNode } from './syntax.js';
import type { Evaluate, ExpressionCompiler, Frame, Typed } from './typed.js';
import { BOOL, type CelType, DYN, formatType, join } from './types.js';

export type LogicOperator = '?:' | '||' | '&&';

/** Compiles the operators that may not evaluate all of their operands. */
export function compileLogic(compiler: ExpressionCompiler, node: CelNode, operator: LogicOperator, operands: readonly CelNode[]): Typed {
  const parts = operands.map((operand) => compiler.compile(operand));
  const [first, second, third] = parts as [Typed, Typed, Typed];
  requireBool(compiler, operands[0] as CelNode, first.type, operator);
  if (operator === '?:') {
    return {
      type: join(second.type, third.type) ?? branchError(compiler, node, second.type, third.type),
      evaluate: (frame) => (toBool(first.evaluate(frame)) ? second.evaluate(frame) : third.evaluate(frame)),
    };
  }
  requireBool(compiler, operands[1] as CelNode, second.type, operator);
  const decisive = operator === '||';
  return { type: BOOL, evaluate: (frame) => evaluateLogic(first.evaluate, second.evaluate, decisive, frame) };
}

/** Evaluates `&&` or `||`, which are commutative: if either side alone decides the result, an error in the other side is ignored. */
function evaluateLogic(left: Evaluate, right: Evaluate, decisive: boolean, frame: Frame): boolean {
  let failure: CelEvaluationError | undefined;
  try {
    if (toBool(left(frame)) === decisive) return decisive;
  } catch (error) {
    failure = absorbable(error, frame);
  }
  if (toBool(right(frame)) === decisive) return decisive;
  if (failure !== undefined) throw failure;
  return !decisive;
}

/** The cost of creating an error. Creating an error with a message and a stack takes as long as many evaluation steps. */
const ERROR_COST = 50;

/** Returns an error that the caller may throw later or drop. Throws any other error immediately, because it ends the whole evaluation. */
export function absorbable(error: unknown, { budget }: Frame): CelEvaluationError {
  if (!(error instanceof CelEvaluationError)) throw error;
  budget.charge(ERROR_COST);
  return error;
}

export function toBool(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new CelEvaluationError(`no such overload: expected bool, found ${typeName(value as never)}`);
}

export function requireBool(compiler: ExpressionCompiler, node: CelNode, type: CelType, where: string): void {
  if (type.kind !== 'bool' && type.kind !== DYN.kind)
    compiler.fail(node, `expected type 'bool' but found '${formatType(type)}' in '${where}'`);
}

function branchError(compiler: ExpressionCompiler, node: CelNode, a: CelType, b: CelType): never {
  return compiler.fail(node, `found no matching overload for '_?_:_' applied to '(bool, ${formatType(a)}, ${formatType(b)})'`);
}
