import type { CostPool } from '../cost.js';
import { errorMessage } from '../errors.js';
import type { Budget } from './budget.js';
import { CelBudgetError, CelEvaluationError } from './errors.js';
import { type CelFunction, define, defineMember } from './functions.js';
import { compileProgram } from './program.js';
import { CelDuration, CelTimestamp } from './time.js';
import { BOOL, type CelType, DOUBLE, DYN, formatType, INT, listOf, mapOf, STRING } from './types.js';
import { type CelMap, CelObject, CelOpaque, CelOptional, CelTypeValue, CelUint, type CelValue, fromJson, JsonMap } from './values.js';

/** The types that a caller may declare. `dyn` is any JSON value, which is checked when an expression uses it. */
export type ExpressionType = 'dyn' | 'bool' | 'int' | 'double' | 'string' | 'list' | 'map';

/**
 * A function that the caller provides. It takes and returns JSON values (ints as bigint or whole numbers). If it throws, the evaluation
 * fails.
 */
export interface ExpressionFunction {
  readonly name: string;
  /** Whether the function is called as `receiver.name(…)`, with the receiver as its first parameter. */
  readonly isMember?: boolean;
  readonly params: readonly ExpressionType[];
  readonly result: ExpressionType;
  readonly call: (...args: unknown[]) => unknown;
  /** Returns the cost of a call without the cost of its arguments and result, which are charged by size. */
  readonly costOf?: (...args: unknown[]) => number;
}

export interface ExpressionOptions {
  readonly variables: Readonly<Record<string, ExpressionType>>;
  readonly functions?: readonly ExpressionFunction[];
  /** The type that the expression must return. By default, any type is allowed. */
  readonly result?: ExpressionType;
  /** The cost limit. Defaults to the API server's limit per expression. */
  readonly costLimit?: number;
}

export interface Expression {
  /** The static type of the result, such as `list(string)`. */
  readonly type: string;
  /**
   * Evaluates the expression on JSON values and returns a JSON value. The cost is taken from the pool. Throws CelEvaluationError if the
   * evaluation fails, and CelBudgetError if the expression or the pool is out of budget.
   */
  evaluate(values: Readonly<Record<string, unknown>>, pool: CostPool): unknown;
}

const TYPES: Readonly<Record<ExpressionType, CelType>> = {
  dyn: DYN,
  bool: BOOL,
  int: INT,
  double: DOUBLE,
  string: STRING,
  list: listOf(DYN),
  map: mapOf(STRING, DYN),
};

/**
 * Compiles an expression over JSON values, such as a condition rule over `object` or a placement selector over `managedCluster`. The
 * expression may use Kubernetes' library and the given functions. Throws CelCompileError.
 */
export function compileExpression(source: string, { variables, functions = [], result = 'dyn', costLimit }: ExpressionOptions): Expression {
  const program = compileProgram(source, {
    variables: Object.fromEntries(Object.entries(variables).map(([name, type]) => [name, TYPES[type]])),
    functions: functions.map(toCelFunction),
  });
  const isFitting = result === 'dyn' || program.type.kind === 'dyn' || program.type.kind === TYPES[result].kind;
  if (!isFitting) throw new Error(`the expression must give a ${result}, not '${formatType(program.type)}'`);
  return {
    type: formatType(program.type),
    evaluate(values, pool) {
      const celValues = Object.fromEntries(Object.keys(variables).map((name) => [name, fromJson(values[name] ?? null)]));
      return program.run(celValues, { pool, limit: costLimit }, toJson);
    },
  };
}

function toCelFunction({ name, isMember = false, params, result, call, costOf }: ExpressionFunction): CelFunction {
  const adapted = (...args: CelValue[]): CelValue => {
    const budget = args[params.length] as unknown as Budget;
    const given = args.slice(0, params.length).map((arg) => toJson(arg, budget));
    if (costOf) budget.charge(costOf(...given));
    try {
      return fromJson(call(...given) ?? null);
    } catch (error) {
      if (error instanceof CelEvaluationError || error instanceof CelBudgetError) throw error;
      throw new CelEvaluationError(`${name}: ${errorMessage(error)}`, { cause: error });
    }
  };
  const build = isMember ? defineMember : define;
  return build(
    name,
    params.map((param) => TYPES[param]),
    TYPES[result],
    adapted,
  );
}

/** Converts a value to JSON. An int becomes a number if the conversion is exact, and otherwise a bigint. A time becomes a string. */
export function toJson(value: CelValue, budget: Budget): unknown {
  budget.charge(1);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map((element: CelValue) => toJson(element, budget));
  if (value instanceof CelUint) return toJson(value.value, budget);
  if (value instanceof CelTimestamp || value instanceof CelDuration) return String(value);
  if (value instanceof CelOptional) return value.value === undefined ? null : toJson(value.value, budget);
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof CelOpaque) return value.typeName;
  if (value instanceof JsonMap && value.isPlain) return value.raw;
  return membersToJson(value as CelMap | CelObject, budget);
}

function membersToJson(value: CelMap | CelObject, budget: Budget): Record<string, unknown> {
  const keys: readonly (string | bigint | boolean)[] = value.keys();
  const entries = keys.map((key) => [
    String(key),
    toJson((value instanceof CelObject ? value.get(String(key)) : value.get(key)) as CelValue, budget),
  ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}
