import type { ConditionRule } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { object } from '../fixtures.js';
import { evaluateRules } from './condition-rules.js';

const cel = (over: Partial<ConditionRule>): ConditionRule => ({ condition: 'Ready', type: 'CEL', celExpressions: ['true'], ...over });
const it_ = object('a', { status: { ready: true, conditions: [{ type: 'X', status: 'True' }] } });

function conditionsOf(rule: ConditionRule, of: KubeObject = it_): readonly string[] {
  return evaluateRules(of, [rule]).map(({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`);
}

describe('expressions', () => {
  it.each([
    { name: 'true', rule: cel({ celExpressions: ['object.status.ready'] }), want: 'Ready True ConditionRuleEvaluated: Manifest is Ready' },
    {
      name: 'false',
      rule: cel({ celExpressions: ['!object.status.ready'] }),
      want: 'Ready False ConditionRuleEvaluated: Manifest is not Ready',
    },
    {
      name: 'all must be true',
      rule: cel({ celExpressions: ['true', 'false', 'object.missing'] }),
      want: 'Ready False ConditionRuleEvaluated: Manifest is not Ready',
    },
    {
      name: 'hasConditions',
      rule: cel({ celExpressions: ['hasConditions(object.status)'] }),
      want: 'Ready True ConditionRuleEvaluated: Manifest is Ready',
    },
    { name: 'a message', rule: cel({ message: 'fine' }), want: 'Ready True ConditionRuleEvaluated: fine' },
    {
      name: 'a computed message beats it',
      rule: cel({ message: 'fine', messageExpression: 'object.metadata.name + string(result)' }),
      want: 'Ready True ConditionRuleEvaluated: atrue',
    },
    {
      name: 'an empty one does not',
      rule: cel({ message: 'fine', messageExpression: '""' }),
      want: 'Ready True ConditionRuleEvaluated: fine',
    },
    {
      name: 'nor a rule that fails',
      rule: cel({ message: 'fine', messageExpression: 'object.missing' }),
      want: 'Ready True ConditionRuleEvaluated: fine',
    },
  ])('$name', ({ rule, want }) => expect(conditionsOf(rule)).toEqual([want]));

  it.each([
    ['object.missing', 'no such key: missing'],
    ['1 +', 'ERROR: <input>'],
    ['"text"', 'must give a bool'],
    ['object.metadata.name', 'not bool'],
  ])('%s that fails is False and reports why', (expression, message) => {
    const [only = ''] = conditionsOf(cel({ celExpressions: [expression] }));
    expect(only).toMatch(/^Ready False ConditionRuleExpressionError: /);
    expect(only).toContain(message);
  });

  it('of an unknown type is Unknown', () => {
    expect(conditionsOf(cel({ type: 'Magic' as never }))).toEqual(['Ready Unknown ConditionRuleInvalid: unknown rule type Magic']);
  });

  it.each(['Applied', 'Available', 'StatusFeedbackSynced', 'not a type', '', '-x'])('may not be called %j', (condition) =>
    expect(conditionsOf(cel({ condition }))).toEqual([]),
  );
});

describe('well-known conditions', () => {
  const job = (conditions: object[]): KubeObject =>
    ({ apiVersion: 'batch/v1', kind: 'Job', metadata: {}, status: { conditions } }) as never;
  const pod = (phase: string): KubeObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: {}, status: { phase } }) as never;
  const complete: ConditionRule = { condition: 'Complete', type: 'WellKnownConditions' };
  it.each([
    {
      name: 'a Job that ran',
      object: job([{ type: 'Complete', status: 'True' }]),
      want: ['Complete True ConditionRuleEvaluated: Job is finished'],
    },
    {
      name: 'a Job that failed',
      object: job([{ type: 'Failed', status: 'True' }]),
      want: ['Complete True ConditionRuleEvaluated: Job is finished'],
    },
    {
      name: 'a Job that runs',
      object: job([{ type: 'Complete', status: 'False' }]),
      want: ['Complete False ConditionRuleEvaluated: Job is not finished'],
    },
    { name: 'a Pod that runs', object: pod('Running'), want: ['Complete False ConditionRuleEvaluated: Pod is in phase Running'] },
    { name: 'a Pod that failed', object: pod('Failed'), want: ['Complete True ConditionRuleEvaluated: Pod is in phase Failed'] },
    { name: 'anything else', object: it_, want: [] },
  ])('$name', ({ object: of, want }) => expect(conditionsOf(complete, of)).toEqual(want));

  it('other conditions of a Job are not well known', () => expect(conditionsOf({ ...complete, condition: 'Ready' }, job([]))).toEqual([]));
});

describe('the cost of rules', () => {
  const long = object('a', { data: { text: 'a'.repeat(500_000), list: Array(5000).fill(1) } });
  const bombs = [
    'object.data.text.matches("(a{30}){30}b")',
    'object.data.text.contains(object.data.text.substring(1) + "b")',
    'object.data.text.replace("a", object.data.text).size() > 0',
    'object.data.list.all(a, object.data.list.all(b, object.data.list.all(c, true)))',
  ];
  it.each(bombs)('%s is an error of its condition, and other rules are evaluated', (source) => {
    const conditions = evaluateRules(long, [
      cel({ condition: 'First', celExpressions: ['size(object.data.list) == 5000'] }),
      cel({ condition: 'Bomb', celExpressions: [source] }),
    ]);
    expect(conditions.map(({ type, status, reason }) => [type, status, reason])).toEqual([
      ['First', 'True', 'ConditionRuleEvaluated'],
      ['Bomb', 'False', 'ConditionRuleExpressionError'],
    ]);
  });

  it('a message that costs too much is replaced by the fixed one', () => {
    const rule = cel({ celExpressions: ['true'], message: 'fixed', messageExpression: 'object.data.text.replace("a", object.data.text)' });
    expect(conditionsOf(rule, long)).toEqual(['Ready True ConditionRuleEvaluated: fixed']);
  });

  it('all rules of an object share one budget', () => {
    const rules = Array.from({ length: 50 }, (_, i) => cel({ condition: `C${i}`, celExpressions: ['object.data.list.all(a, a == 1)'] }));
    const statuses = evaluateRules(long, rules).map(({ reason }) => reason);
    expect(statuses[0]).toBe('ConditionRuleEvaluated');
    expect(statuses.at(-1)).toBe('ConditionRuleExpressionError');
  });
});
