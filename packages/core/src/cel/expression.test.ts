import { CostPool } from '../cost.js';
import { describe, expect, it } from 'vitest';
import { CelBudgetError, CelCompileError, CelEvaluationError, compileExpression, type ExpressionFunction } from './index.js';

const pool = (): CostPool => new CostPool(1_000_000);

const deployment = {
  metadata: { name: 'web', generation: 3, labels: { a: 'b' } },
  spec: { replicas: 2 },
  status: { readyReplicas: 2, observedGeneration: 3, conditions: [{ type: 'Available', status: 'True' }] },
};
const evaluate = (source: string, object: unknown = deployment): unknown =>
  compileExpression(source, { variables: { object: 'dyn', result: 'bool' } }).evaluate({ object, result: true }, pool());

describe('condition rules over an object', () => {
  it.each([
    ['object.status.readyReplicas == object.spec.replicas', true],
    ['object.status.conditions.filter(c, c.type == "Available")[0].status', 'True'],
    ['result ? object.metadata.name + " is fine" : "no"', 'web is fine'],
    ['object.spec.replicas * 2', 4],
    ['object.metadata.labels', { a: 'b' }],
    ['has(object.spec.paused)', false],
    ['object.?spec.?paused.orValue(false)', false],
    ['object.metadata.generation == object.status.observedGeneration', true],
  ])('%s', (source, want) => expect(evaluate(source)).toEqual(want));

  it('fails if the object lacks the requested field', () => {
    expect(() => evaluate('object.status.phase == "Running"')).toThrow(CelEvaluationError);
    expect(() => evaluate('object.status.phase == "Running"')).toThrow('no such key: phase');
    expect(() => evaluate('object.constructor.name')).toThrow('no such key: constructor');
  });
  it('an absent variable is null', () => expect(evaluate('object == null', undefined)).toBe(false));
});

describe('placement selectors', () => {
  const scores: ExpressionFunction = {
    name: 'scores',
    isMember: true,
    params: ['dyn', 'string'],
    result: 'list',
    call: (cluster, name) =>
      (cluster as { metadata: { name: string } }).metadata.name === 'c1' && name === 'demo' ? [{ name: 'cpu', value: 42 }] : [],
  };
  const select = (source: string, name = 'c1'): unknown =>
    compileExpression(source, { variables: { managedCluster: 'dyn' }, functions: [scores], result: 'bool' }).evaluate(
      {
        managedCluster: { metadata: { name, labels: { version: '1.31.0' } }, status: { allocatable: { cpu: '4' } } },
      },
      pool(),
    );
  it('may use functions of the caller', () => {
    expect(select('managedCluster.scores("demo").exists(s, s.name == "cpu" && s.value > 40)')).toBe(true);
    expect(select('managedCluster.scores("demo").exists(s, s.value > 40)', 'c2')).toBe(false);
  });
  it('have the libraries', () => {
    expect(select('semver(managedCluster.metadata.labels["version"]).isGreaterThan(semver("1.30.0"))')).toBe(true);
    expect(select('quantity(managedCluster.status.allocatable.cpu).isGreaterThan(quantity("3"))')).toBe(true);
  });
});

describe('compileExpression', () => {
  it('reports the position of an error in an expression', () => {
    expect(() => compileExpression('a +\n  b.', { variables: {} })).toThrow(CelCompileError);
    expect(() => compileExpression('1 +\n  nope', { variables: {} })).toThrow(
      "ERROR: <input>:2:3: undeclared reference to 'nope' (in container '')\n |   nope\n | ..^",
    );
  });
  it('checks the type of the result', () => {
    expect(() => compileExpression('1', { variables: {}, result: 'bool' })).toThrow("must give a bool, not 'int'");
    expect(compileExpression('[1]', { variables: {} }).type).toBe('list(int)');
  });
  it('refuses expressions of absurd size', () => {
    expect(() => compileExpression('1+'.repeat(40_000), { variables: {} })).toThrow('at most 65536');
    expect(() => compileExpression('('.repeat(1000), { variables: {} })).toThrow(CelCompileError);
  });
  it('stops at the cost limit given', () => {
    const expression = compileExpression('l.all(a, l.all(b, true))', { variables: { l: 'list' }, costLimit: 1000 });
    expect(expression.evaluate({ l: [1, 2, 3] }, pool())).toBe(true);
    expect(() => expression.evaluate({ l: Array(100).fill(1) }, pool())).toThrow(CelBudgetError);
  });
  it('gives large ints exactly and times as texts', () => {
    expect(compileExpression('9223372036854775807', { variables: {} }).evaluate({}, pool())).toBe(9223372036854775807n);
    expect(compileExpression('[timestamp("2026-01-01T00:00:00Z"), duration("90s")]', { variables: {} }).evaluate({}, pool())).toEqual([
      '2026-01-01T00:00:00Z',
      '90s',
    ]);
  });
});
