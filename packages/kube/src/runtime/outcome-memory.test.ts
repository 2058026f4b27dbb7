import { describe, expect, it } from 'vitest';
import type { Action } from '../decision.js';
import { OutcomeMemory } from './outcome-memory.js';
import { PARENTS } from './fixtures.js';

const action = (id: string): Action => ({
  type: 'patch',
  id,
  api: 'hub',
  kind: PARENTS,
  key: { name: 'a' },
  patch: {},
  precondition: { uid: 'u' },
});
const accepted = (...ids: string[]): Parameters<OutcomeMemory['record']>[1] => ({ succeeded: ids.map(action), failures: [], writes: [] });

describe('when an action was last accepted', () => {
  it('is remembered of timed actions, also when a pass has nothing left to do', () => {
    const memory = new OutcomeMemory(['status']);
    memory.record('a', accepted('status', 'other'), 1_000, 7);
    memory.reconsider('a', []);
    expect([memory.of('a').acceptedAt('status'), memory.of('a').hasSucceeded('status')]).toEqual([7, false]);
    expect(memory.of('a').acceptedAt('other')).toBeUndefined();
  });
  it('moves with every acceptance', () => {
    const memory = new OutcomeMemory(['status']);
    memory.record('a', accepted('status'), 1_000, 7);
    memory.record('a', accepted('status'), 1_000, 9);
    expect(memory.of('a').acceptedAt('status')).toBe(9);
  });
  it('is unknown of other keys and after the key was forgotten', () => {
    const memory = new OutcomeMemory(['status']);
    memory.record('a', accepted('status'), 1_000, 7);
    expect(memory.of('b').acceptedAt('status')).toBeUndefined();
    memory.forget('a');
    expect(memory.of('a').acceptedAt('status')).toBeUndefined();
  });
});
