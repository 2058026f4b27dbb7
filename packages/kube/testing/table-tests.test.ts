import { describe, expect, it } from 'vitest';
import { child, children, NAMESPACE, parent, parents, toyController } from '../src/runtime/fixtures.js';
import { briefly, nowAt, outcomesOf, passOf, viewOf } from './table-tests.js';

const key = { namespace: NAMESPACE, name: 'a' };

describe('table-test helpers', () => {
  const cases = [
    { name: 'an absent object with nothing left needs no decision', owners: [], owned: [], want: undefined },
    {
      name: 'creates missing objects',
      owners: [parent('a', { size: 2 })],
      owned: [],
      want: ['create Child toy/a-0', 'create Child toy/a-1'],
    },
    { name: 'removes objects of an absent owner', owners: [], owned: [child('a', 0)], want: ['delete Child toy/a-0'] },
    { name: 'reports the observed state', owners: [parent('a', { size: 1 })], owned: [child('a', 0)], want: ['patch Parent/status toy/a'] },
  ];
  it.each(cases)('$name', ({ owners, owned, want }) => {
    const decision = passOf(toyController(), viewOf([parents, owners], [children, owned]), key, nowAt(0));
    expect(decision && briefly(decision)).toEqual(want);
  });

  it('a refusal reaches the status', () => {
    const view = viewOf([parents, [parent('a', { size: 1 })]], [children, []]);
    const outcomes = outcomesOf([{ id: 'child/0', reason: 'Invalid', message: 'too small' }]);
    const decision = passOf(toyController(), view, key, nowAt(0), outcomes);
    expect(decision?.stages.flat().find(({ id }) => id === 'status')).toMatchObject({ patch: { status: { problem: 'too small' } } });
  });

  it('a projection that throws fails the test that gave the object', () => {
    expect(() => viewOf([parents, [parent('a', { size: -1 })]])).toThrow('projecting parents toy/a');
  });
});
