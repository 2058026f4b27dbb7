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

/** What expressions of a policy may name; `variables` are its own. */
export const POLICY_VARIABLES: Variables = {
  ...REQUEST_VARIABLES,
  params: 'dyn',
  namespaceObject: 'dyn',
  variables: 'dyn',
};

const MAX_MESSAGE_LENGTH = 5 * 1024;

/** Why a request is not valid. */
export interface Failure {
  readonly message: string;
  readonly reason?: string;
}

/** What a policy finds wrong with a request. */
export type Evaluate = (values: Values) => readonly Failure[];

interface Compiled {
  readonly expression: string;
  readonly run: (values: Values) => unknown;
}

/** Throws CelCompileError on an expression that cannot be compiled. */
export function compilePolicy(spec: PolicySpec, functions: readonly ExpressionFunction[]): Evaluate {
  const { matchConditions = [], variables = [], validations = [], failurePolicy } = spec;
  const compile = (expression: string): Compiled => {
    const compiled = compileCondition(expression, POLICY_VARIABLES, functions);
    return { expression, run: (values) => compiled.evaluate(values) };
  };
  const conditions = compileConditions(matchConditions, POLICY_VARIABLES, functions);
  const named = variables.map(({ name, expression }) => ({ name, ...compile(expression) }));
  const checks = validations.map((validation) => ({
    validation,
    ...compile(validation.expression),
    message: validation.messageExpression === undefined ? undefined : compile(validation.messageExpression),
  }));
  // What cannot be told is a refusal, unless that is to be ignored.
  const unclear = (message: string): readonly Failure[] => (failurePolicy === 'Ignore' ? [] : [{ message }]);
  return (given) => {
    const values: Values = { ...given, variables: lazyVariables(named, given) };
    const outcome = conditions(values);
    if ('problems' in outcome) return unclear(aggregated(outcome.problems));
    if (!outcome.matches) return [];
    return checks.flatMap(({ validation, expression, run, message }): readonly Failure[] => {
      try {
        return run(values) === true ? [] : [failureOf(validation, message, values)];
      } catch (error) {
        return unclear(failedExpression(expression, error));
      }
    });
  };
}

/** Each is computed when an expression first names it, and may name those before it. */
function lazyVariables(named: readonly (Compiled & { readonly name: string })[], given: Values): object {
  const variables = {};
  for (const { name, run } of named) {
    let known: { readonly value: unknown } | undefined;
    const get = (): unknown => {
      known ??= { value: run({ ...given, variables }) };
      return known.value;
    };
    Object.defineProperty(variables, name, { enumerable: true, get });
  }
  return variables;
}

function failureOf({ expression, message, reason }: Validation, expressed: Compiled | undefined, values: Values): Failure {
  const text = (expressed && expressedMessage(expressed, values)) || message?.trim() || `failed expression: ${expression.trim()}`;
  return { message: text, ...(reason === undefined ? {} : { reason }) };
}

/** Empty where it fails, is no text, or none that fits in a line: the fixed message is told then. */
function expressedMessage({ run }: Compiled, values: Values): string {
  let text: unknown;
  try {
    text = run(values);
  } catch {
    return '';
  }
  const line = typeof text === 'string' ? text.trim() : '';
  return line.includes('\n') || line.length > MAX_MESSAGE_LENGTH ? '' : line;
}
