import { ApiError, type ApiReason } from '@outrigger/core';
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

const refused = (reason: ApiReason, ...ids: string[]): Parameters<OutcomeMemory['record']>[1] => ({
  succeeded: [],
  failures: ids.map((id) => ({ action: action(id), error: new ApiError(reason, 'no') })),
  writes: [],
});

describe('the number of keys with a forbidden write', () => {
  it('counts each key once, and no key with another refusal', () => {
    const memory = new OutcomeMemory();
    for (let i = 0; i < 2; i++) memory.record('a', refused('Forbidden', 'one', 'two'), 1_000, 7);
    memory.record('b', refused('Invalid', 'one'), 1_000, 7);
    expect(memory.forbiddenKeys).toBe(1);
  });
  it('drops a key when its last forbidden write succeeds or changes, or the key is forgotten', () => {
    const memory = new OutcomeMemory();
    for (const key of ['a', 'b', 'c']) memory.record(key, refused('Forbidden', 'one', 'two'), 1_000, 7);
    memory.record('a', accepted('one'), 1_000, 7);
    expect(memory.forbiddenKeys).toBe(3);
    memory.record('a', accepted('two'), 1_000, 7);
    expect(memory.forbiddenKeys).toBe(2);
    memory.forget('b');
    expect(memory.forbiddenKeys).toBe(1);
    memory.reconsider(
      'c',
      ['one', 'two'].map((id): Action => ({ ...action(id), patch: { spec: {} } }) as Action),
    );
    expect(memory.forbiddenKeys).toBe(0);
  });
});

describe('when an action was last accepted', () => {
  it('is remembered for timed actions, also when a pass has nothing left to do', () => {
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
  it('is unknown for other keys and after the key was dropped', () => {
    const memory = new OutcomeMemory(['status']);
    memory.record('a', accepted('status'), 1_000, 7);
    expect(memory.of('b').acceptedAt('status')).toBeUndefined();
    memory.forget('a');
    expect(memory.of('a').acceptedAt('status')).toBeUndefined();
  });
});
