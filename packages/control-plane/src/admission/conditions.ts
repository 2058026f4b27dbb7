import { CostPool, errorMessage } from '@outrigger/core';
import { compileExpression, type Expression, type ExpressionFunction } from '@outrigger/core/cel';
import { authorizerFunctions } from './authorizer.js';

/** The limit on the total cost of the match conditions of one webhook or policy for one request, as on a real server. */
const MATCH_CONDITIONS_COST_LIMIT = 2_500_000;

export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** `Variables` declares the variables that expressions may use; `Values` contains their values for one request. */
export type Variables = Readonly<Record<string, 'dyn'>>;
export type Values = Readonly<Record<string, unknown>>;

/** The variables that expressions about a request may use. */
export const REQUEST_VARIABLES: Variables = { object: 'dyn', oldObject: 'dyn', request: 'dyn', authorizer: 'dyn' };

/** The functions for expressions that are only compiled, to check that they are valid, and never evaluated. */
const DENIES_ALL: readonly ExpressionFunction[] = authorizerFunctions(() => ({ allowed: false }));

/**
 * The result of evaluating several conditions. `matches` is true if all conditions are true. If no condition is false and at least one
 * could not be evaluated, the result has `problems` instead of `matches`: the errors of the evaluation.
 */
export type Outcome = { readonly matches: boolean } | { readonly problems: readonly string[] };

export type Conditions = (values: Values) => Outcome;

/** Compiles a condition; throws CelCompileError if it cannot be compiled. The caller checks that the condition returns a bool. */
export function compileCondition(
  expression: string,
  variables: Variables,
  functions: readonly ExpressionFunction[] = DENIES_ALL,
): Expression {
  return compileExpression(expression, { variables, functions });
}

/** Compiles several conditions. A condition that is false decides the outcome, even if others failed with an error. */
export function compileConditions(
  conditions: readonly MatchCondition[],
  variables: Variables,
  functions: readonly ExpressionFunction[],
): Conditions {
  const compiled = conditions.map(({ expression }) => ({ expression, run: compileCondition(expression, variables, functions) }));
  return (values) => {
    const problems: string[] = [];
    const pool = new CostPool(MATCH_CONDITIONS_COST_LIMIT);
    for (const { expression, run } of compiled) {
      try {
        const holds = run.evaluate(values, pool);
        if (holds === false) return { matches: false };
        if (holds !== true) problems.push(`expression '${expression}' must evaluate to bool`);
      } catch (error) {
        problems.push(failedExpression(expression, error));
      }
    }
    return problems.length > 0 ? { problems } : { matches: true };
  };
}

export function failedExpression(expression: string, error: unknown): string {
  return `expression '${expression}' resulted in error: ${errorMessage(error)}`;
}

/** Joins several errors into one message, as a real server does. */
export function aggregated(problems: readonly string[]): string {
  const unique = [...new Set(problems)];
  return unique.length === 1 ? (unique[0] as string) : `[${unique.join(', ')}]`;
}
