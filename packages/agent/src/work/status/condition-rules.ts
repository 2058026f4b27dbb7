import { type ConditionRule, type ConditionRuleReason, EXPRESSION_FUNCTIONS } from '@outrigger/api';
import {
  type ConditionInput,
  type ConditionStatus,
  CostPool,
  type KubeObject,
  errorMessage,
  isConditionTrue,
  validateQualifiedName,
  memoizeText,
} from '@outrigger/core';
import { type Expression, compileExpression } from '@outrigger/core/cel';

/** A condition that a rule computed. */
export interface RuleCondition extends ConditionInput {
  readonly reason: ConditionRuleReason;
}

/** The condition types that the agent itself writes. A rule must not set them. */
const OURS: ReadonlySet<string> = new Set(['Applied', 'Available', 'StatusFeedbackSynced', 'Deleting']);

/** The maximum total cost of all rules for one object, in steps of evaluation. A typical rule takes less than a hundred steps. */
const OBJECT_COST_LIMIT = 250_000;

/**
 * Returns the conditions that rules compute from a live object. A rule with an invalid condition type is omitted, because the server would
 * reject the status.
 */
export function evaluateRules(object: KubeObject, rules: readonly ConditionRule[]): readonly RuleCondition[] {
  const pool = new CostPool(OBJECT_COST_LIMIT);
  const conditions = rules.flatMap((rule) => evaluateRule(object, rule, pool));
  return [...new Map(conditions.filter(({ type }) => isFree(type)).map((condition) => [condition.type, condition])).values()];
}

function isFree(type: string): boolean {
  return !OURS.has(type) && validateQualifiedName(type).length === 0;
}

function evaluateRule(object: KubeObject, rule: ConditionRule, pool: CostPool): readonly RuleCondition[] {
  switch (rule.type) {
    case 'CEL':
      return [evaluateExpressions(object, rule, pool)];
    case 'WellKnownConditions':
      return wellKnown(object, rule);
    default:
      return [condition(rule, 'Unknown', 'ConditionRuleInvalid', `unknown rule type ${String(rule.type)}`)];
  }
}

const rules = memoizeText<Expression>((source) =>
  compileExpression(source, { variables: { object: 'dyn' }, functions: EXPRESSION_FUNCTIONS, result: 'bool' }),
);
const messages = memoizeText<Expression>((source) =>
  compileExpression(source, { variables: { object: 'dyn', result: 'bool' }, functions: EXPRESSION_FUNCTIONS, result: 'string' }),
);

/** Evaluates the expressions of a rule, up to the first that is false. The condition is True if all of them are true. */
function evaluateExpressions(object: KubeObject, rule: ConditionRule, pool: CostPool): RuleCondition {
  let result = true;
  try {
    for (const source of rule.celExpressions ?? []) {
      const value = rules(source).evaluate({ object }, pool);
      if (typeof value !== 'boolean') throw new Error(`expression ${source} gives ${typeof value}, not bool`);
      result = value;
      if (!result) break;
    }
  } catch (error) {
    return condition(rule, 'False', 'ConditionRuleExpressionError', errorMessage(error));
  }
  return condition(rule, result ? 'True' : 'False', 'ConditionRuleEvaluated', messageOf(object, rule, result, pool));
}

/**
 * Returns the result of the message expression, otherwise the rule's message, otherwise a default message. A message expression that fails
 * does not change the result.
 */
function messageOf(
  object: KubeObject,
  { condition: type, message, messageExpression }: ConditionRule,
  result: boolean,
  pool: CostPool,
): string {
  const fallback = message || `Manifest is ${result ? '' : 'not '}${type}`;
  if (!messageExpression) return fallback;
  try {
    const text = messages(messageExpression).evaluate({ object, result }, pool);
    return typeof text === 'string' && text.trim() !== '' ? text : fallback;
  } catch {
    return fallback; // If messageExpression fails, `message` is used, as in CRD validation rules.
  }
}

/**
 * Returns the well-known condition of the object's kind. Returns none if the kind has none, or if the rule names a condition other than
 * Complete.
 */
function wellKnown(object: KubeObject, rule: ConditionRule): readonly RuleCondition[] {
  const found = WELL_KNOWN.get(`${object.apiVersion}/${object.kind}`)?.(object as KubeObject & Statused);
  if (!found || (rule.condition && rule.condition !== 'Complete')) return [];
  const { isComplete, message } = found;
  return [condition({ condition: 'Complete' }, isComplete ? 'True' : 'False', 'ConditionRuleEvaluated', message)];
}

interface Statused {
  readonly status?: { readonly phase?: string; readonly conditions?: Parameters<typeof isConditionTrue>[0] };
}

const WELL_KNOWN: ReadonlyMap<string, (object: Statused) => { readonly isComplete: boolean; readonly message: string }> = new Map([
  [
    'batch/v1/Job',
    ({ status }: Statused) => {
      const isComplete = isConditionTrue(status?.conditions, 'Complete') || isConditionTrue(status?.conditions, 'Failed');
      return { isComplete, message: isComplete ? 'Job is finished' : 'Job is not finished' };
    },
  ],
  [
    'v1/Pod',
    ({ status }: Statused) => {
      const phase = status?.phase ?? '';
      return { isComplete: phase === 'Succeeded' || phase === 'Failed', message: `Pod is in phase ${phase}` };
    },
  ],
]);

function condition(
  { condition: type }: Pick<ConditionRule, 'condition'>,
  status: ConditionStatus,
  reason: ConditionRuleReason,
  message: string,
): RuleCondition {
  return { type, status, reason, message };
}

/** Whether a condition came from a rule. */
export function isRuleReason(reason: string): boolean {
  return reason.startsWith('ConditionRule');
}
