import { errorMessage } from '@outrigger/core';
import { compileExpression, type Expression } from '@outrigger/core/cel';

export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** What an expression about a request may name. */
export interface ConditionValues {
  readonly object: unknown;
  readonly oldObject: unknown;
  readonly request: unknown;
}

/** Whether all conditions hold; when some could not be told and none failed, what went wrong. */
export type Outcome = { readonly matches: boolean } | { readonly problems: readonly string[] };

export type Conditions = (values: ConditionValues) => Outcome;

const VARIABLES = { object: 'dyn', oldObject: 'dyn', request: 'dyn' } as const;

/** Throws CelCompileError on a condition that cannot be compiled. Whether it gives a bool is the caller's to check. */
export function compileCondition(expression: string): Expression {
  return compileExpression(expression, { variables: VARIABLES });
}

/** One that is false settles it, whatever else went wrong. */
export function compileConditions(conditions: readonly MatchCondition[]): Conditions {
  const compiled = conditions.map(({ expression }) => ({ expression, run: compileCondition(expression) }));
  return (values) => {
    const problems: string[] = [];
    for (const { expression, run } of compiled) {
      try {
        const holds = run.evaluate({ ...values });
        if (holds === false) return { matches: false };
        if (holds !== true) problems.push(`expression '${expression}' must evaluate to bool`);
      } catch (error) {
        problems.push(`expression '${expression}' resulted in error: ${errorMessage(error)}`);
      }
    }
    return problems.length > 0 ? { problems } : { matches: true };
  };
}

/** Several problems in one message, as a real server joins them. */
export function aggregated(problems: readonly string[]): string {
  const unique = [...new Set(problems)];
  return unique.length === 1 ? (unique[0] as string) : `[${unique.join(', ')}]`;
}
