import { describe, expect, it } from 'vitest';
import { versionedId } from '@outrigger/kube';
import { type Attempt, NO_ATTEMPTS, attemptFailed, attemptSucceeded, attemptsFor, isReported, waitMs } from './attempts.js';
import { ref } from './fixtures.js';

const id = versionedId(ref('a'));

function remembering(): {
  fail: (content: string, isPassing: boolean) => void;
  succeed: () => void;
  at: (ms: number) => void;
  wait: () => number;
} {
  let now = 0;
  let attempts = NO_ATTEMPTS;
  return {
    fail: (content, isPassing) => {
      attempts = attemptFailed(attempts, ref('a'), content, { message: 'no', isPassing }, now);
    },
    succeed: () => {
      attempts = attemptSucceeded(attempts, ref('a'), 'content', 'after', now);
    },
    at: (ms) => {
      now = ms;
    },
    wait: () => waitMs(attempts.get(id) as Attempt, now),
  };
}

describe('how long a write waits before it is tried again', () => {
  it('after refusals: a second, then twice as long each time, five minutes at most', () => {
    const { fail, wait } = remembering();
    const waits = Array.from({ length: 12 }, () => {
      fail('content', false);
      return wait() / 1000;
    });
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
  });

  it('after another writer was faster: almost at once', () => {
    const { fail, wait } = remembering();
    fail('content', true);
    expect(wait()).toBe(20);
  });

  it('after other content was refused: as if it were the first time', () => {
    const { fail, wait } = remembering();
    for (const content of ['x', 'x', 'x', 'y']) fail(content, false);
    expect(wait()).toBe(1000);
  });

  it('if another writer undoes it: a few times not at all, then ever longer, and after a quiet time not at all', () => {
    const { succeed, at, wait } = remembering();
    const waits = Array.from({ length: 7 }, () => {
      succeed();
      return wait();
    });
    expect(waits).toEqual([0, 0, 0, 1000, 2000, 4000, 8000]);
    at(700_000);
    succeed();
    expect(wait()).toBe(0);
  });
});

describe('which failures are reported', () => {
  it.each([
    { name: 'a refusal', isPassing: false, count: 1, want: true },
    { name: 'a lost connection', isPassing: true, count: 1, want: false },
    { name: 'one that stays lost', isPassing: true, count: 3, want: true },
  ])('$name: $want', ({ isPassing, count, want }) => expect(isReported({ type: 'failed', message: '', isPassing, count })).toBe(want));
});

it('attempts for objects that are no longer asked for are dropped', () => {
  const one = attemptSucceeded(NO_ATTEMPTS, ref('a'), 'c', 'x', 0);
  const both = attemptSucceeded(one, ref('b'), 'c', 'x', 0);
  expect([...attemptsFor(both, [ref('b')]).keys()]).toEqual([versionedId(ref('b'))]);
});
