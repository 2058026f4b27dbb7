import { CostPool, errorMessage } from '@outrigger/core';
import { compileExpression, type Expression, type ExpressionFunction } from '@outrigger/core/cel';
import { authorizerFunctions } from './authorizer.js';

/** What the match conditions of one webhook or policy may cost together for one request, as on a real server. */
const MATCH_CONDITIONS_COST_LIMIT = 2_500_000;

export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** What expressions may name, and what it stands for. */
export type Variables = Readonly<Record<string, 'dyn'>>;
export type Values = Readonly<Record<string, unknown>>;

/** Of a request. */
export const REQUEST_VARIABLES: Variables = { object: 'dyn', oldObject: 'dyn', request: 'dyn', authorizer: 'dyn' };

/** For what is compiled to see whether it can be, and never run. */
const NOBODY_ASKED: readonly ExpressionFunction[] = authorizerFunctions(() => ({ allowed: false }));

/** Whether all conditions hold; when some could not be told and none failed, what went wrong. */
export type Outcome = { readonly matches: boolean } | { readonly problems: readonly string[] };

export type Conditions = (values: Values) => Outcome;

/** Throws CelCompileError on a condition that cannot be compiled. Whether it gives a bool is the caller's to check. */
export function compileCondition(
  expression: string,
  variables: Variables,
  functions: readonly ExpressionFunction[] = NOBODY_ASKED,
): Expression {
  return compileExpression(expression, { variables, functions });
}

/** One that is false settles it, whatever else went wrong. */
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

/** Several problems in one message, as a real server joins them. */
export function aggregated(problems: readonly string[]): string {
  const unique = [...new Set(problems)];
  return unique.length === 1 ? (unique[0] as string) : `[${unique.join(', ')}]`;
}
