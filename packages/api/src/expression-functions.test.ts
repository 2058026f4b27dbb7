import { CostPool } from '@outrigger/core';
import { CelBudgetError, CelEvaluationError, compileExpression } from '@outrigger/core/cel';
import { describe, expect, it } from 'vitest';
import { EXPRESSION_FUNCTIONS } from './expression-functions.js';

function evaluate(source: string, object: unknown, pool = new CostPool(100_000)): unknown {
  return compileExpression(source, { variables: { object: 'dyn' }, functions: EXPRESSION_FUNCTIONS }).evaluate({ object }, pool);
}

describe('expression functions of Open Cluster Management', () => {
  const deployment = { status: { conditions: [{ type: 'Available', status: 'True' }] } };

  it.each([
    ['hasConditions(object.status)', true],
    ['!hasConditions({}) && !hasConditions("badtype") && !hasConditions({"conditions": []}) && !hasConditions({"conditions": null})', true],
    ['hasConditions(object.status) ? object.status.conditions.exists(c, c.type == "Available" && c.status == "True") : false', true],
    ['"{\\"a\\": [1, 2]}".parseJSON().a[1]', 2],
  ])('%s', (source, want) => expect(evaluate(source, deployment)).toEqual(want));

  it('reports JSON that cannot be parsed as a failure of the expression', () => {
    expect(() => evaluate('object.parseJSON()', 'no JSON')).toThrow(CelEvaluationError);
    expect(() => evaluate('object.parseJSON()', 'no JSON')).toThrow(/^parseJSON: /);
  });

  it('charges each character of parsed JSON', () => {
    const text = JSON.stringify(Array.from({ length: 2_000 }, () => 1));
    expect(() => evaluate('[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(i, object.parseJSON().size() > i)', text, new CostPool(20_000))).toThrow(
      CelBudgetError,
    );
  });
});
