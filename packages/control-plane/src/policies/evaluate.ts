import { CostPool } from '@outrigger/core';
import type { ExpressionFunction } from '@outrigger/core/cel';
import {
  aggregated,
  compileCondition,
  compileConditions,
  failedExpression,
  REQUEST_VARIABLES,
  type Values,
  type Variables,
} from '../admission/conditions.js';
import type { PolicySpec, Validation } from './contract.js';

/** The variables that a policy's expressions may use. `variables` contains those that the policy itself defines. */
export const POLICY_VARIABLES: Variables = {
  ...REQUEST_VARIABLES,
  params: 'dyn',
  namespaceObject: 'dyn',
  variables: 'dyn',
};

/** The limit on the total cost of the validations and variables of one policy for one request, as on a real server. */
const POLICY_COST_LIMIT = 10_000_000;
const MAX_MESSAGE_LENGTH = 5 * 1024;

/** The reason why a request is not valid. */
export interface Failure {
  readonly message: string;
  readonly reason?: string;
}

/** Evaluates a policy and returns its failures. */
export type Evaluate = (values: Values) => readonly Failure[];

interface Compiled {
  readonly expression: string;
  readonly run: (values: Values, pool: CostPool) => unknown;
}

/** Compiles a policy. Throws CelCompileError for an expression that cannot be compiled. */
export function compilePolicy(spec: PolicySpec, functions: readonly ExpressionFunction[]): Evaluate {
  const { matchConditions = [], variables = [], validations = [], failurePolicy } = spec;
  const compile = (expression: string): Compiled => {
    const compiled = compileCondition(expression, POLICY_VARIABLES, functions);
    return { expression, run: (values, pool) => compiled.evaluate(values, pool) };
  };
  const conditions = compileConditions(matchConditions, POLICY_VARIABLES, functions);
  const named = variables.map(({ name, expression }) => ({ name, ...compile(expression) }));
  const checks = validations.map((validation) => ({
    validation,
    ...compile(validation.expression),
    message: validation.messageExpression === undefined ? undefined : compile(validation.messageExpression),
  }));
  // If an expression cannot be evaluated, the request is denied unless failurePolicy is Ignore.
  const unclear = (message: string): readonly Failure[] => (failurePolicy === 'Ignore' ? [] : [{ message }]);
  return (given) => {
    const pool = new CostPool(POLICY_COST_LIMIT);
    const values: Values = { ...given, variables: lazyVariables(named, given, pool) };
    const outcome = conditions(values);
    if ('problems' in outcome) return unclear(aggregated(outcome.problems));
    if (!outcome.matches) return [];
    return checks.flatMap(({ validation, expression, run, message }): readonly Failure[] => {
      try {
        return run(values, pool) === true ? [] : [failureOf(validation, message, values, pool)];
      } catch (error) {
        return unclear(failedExpression(expression, error));
      }
    });
  };
}

/**
 * Returns an object with the policy's variables. A variable is computed when an expression first reads it, and may use the variables
 * defined before it.
 */
function lazyVariables(named: readonly (Compiled & { readonly name: string })[], given: Values, pool: CostPool): object {
  const variables = {};
  for (const { name, run } of named) {
    let known: { readonly value: unknown } | undefined;
    const get = (): unknown => {
      known ??= { value: run({ ...given, variables }, pool) };
      return known.value;
    };
    Object.defineProperty(variables, name, { enumerable: true, get });
  }
  return variables;
}

function failureOf({ expression, message, reason }: Validation, expressed: Compiled | undefined, values: Values, pool: CostPool): Failure {
  const text = (expressed && expressedMessage(expressed, values, pool)) || message?.trim() || `failed expression: ${expression.trim()}`;
  return { message: text, ...(reason === undefined ? {} : { reason }) };
}

/**
 * Returns the message that a messageExpression computes for a failed validation. Returns an empty text if the expression fails or does not
 * return a single line of limited length; the caller then uses the fixed message.
 */
function expressedMessage({ run }: Compiled, values: Values, pool: CostPool): string {
  let text: unknown;
  try {
    text = run(values, pool);
  } catch {
    return '';
  }
  const line = typeof text === 'string' ? text.trim() : '';
  return line.includes('\n') || line.length > MAX_MESSAGE_LENGTH ? '' : line;
}
