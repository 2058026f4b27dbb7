import { CELL_STATES } from '@outrigger/console-contract';
import { expect, test } from 'vitest';
import { conditionState, lookOf, PATHS } from './states.js';

test('no two states share a shape, so colour is never the only difference', () => {
  expect(new Set(CELL_STATES.map((state) => lookOf(state).shape)).size).toBe(CELL_STATES.length);
  expect(new Set(Object.values(PATHS).map(({ path }) => path)).size).toBe(Object.keys(PATHS).length);
});

test.each(['constructor', '__proto__', 'SomethingNew', ''])('a state %j that is not known looks unknown, with its own word', (state) => {
  expect(lookOf(state)).toEqual({ word: state, shape: 'question', tone: 'wait', rank: 5 });
});

test('states that need no person have rank 0', () => {
  expect(CELL_STATES.filter((state) => lookOf(state).rank === 0)).toEqual(['absent', 'available']);
});

test.each([
  ['Available', 'True', 'Probed', 'good'],
  ['Available', 'False', 'Probed', 'wait'],
  ['Degraded', 'True', 'Probed', 'warn'],
  ['Degraded', 'False', 'Probed', 'good'],
  ['Progressing', 'True', 'Upgrading', 'move'],
  ['Progressing', 'False', 'Succeed', 'none'],
  ['Progressing', 'False', 'Failed', 'bad'],
  ['Degraded', 'Unknown', '', 'wait'],
  ['Progressing', 'Unknown', '', 'wait'],
] as const)('a condition %s that is %s because of %j has the tone %s', (type, status, reason, tone) => {
  expect(lookOf(conditionState({ type, status, reason })).tone).toBe(tone);
});
