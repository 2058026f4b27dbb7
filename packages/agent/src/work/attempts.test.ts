import { describe, expect, it } from 'vitest';
import { type Attempt, Attempts, isTold, waitMs } from './attempts.js';
import { ref } from './fixtures.js';

function remembering(): { attempts: Attempts; at: (ms: number) => void; wait: () => number } {
  let now = 0;
  const attempts = new Attempts({ now: () => now, monotonic: () => now });
  const last = (): Attempt => attempts.get('work/w', ref('a')) as Attempt;
  return {
    attempts,
    at: (ms) => {
      now = ms;
    },
    wait: () => waitMs(last(), now),
  };
}

describe('how long a write waits before it is tried again', () => {
  it('after refusals: a second, then twice as long each time, five minutes at most', () => {
    const { attempts, wait } = remembering();
    const waits = Array.from({ length: 12 }, () => {
      attempts.failed('work/w', ref('a'), 'content', { message: 'no', isPassing: false });
      return wait() / 1000;
    });
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
  });

  it('after somebody was faster: almost at once', () => {
    const { attempts, wait } = remembering();
    attempts.failed('work/w', ref('a'), 'content', { message: 'conflict', isPassing: true });
    expect(wait()).toBe(20);
  });

  it('after other content was refused: as if it were the first time', () => {
    const { attempts, wait } = remembering();
    for (const content of ['x', 'x', 'x', 'y']) attempts.failed('work/w', ref('a'), content, { message: 'no', isPassing: false });
    expect(wait()).toBe(1000);
  });

  it('where somebody undoes it: a few times not at all, then ever longer, and after a quiet while not at all', () => {
    const { attempts, at, wait } = remembering();
    const waits = Array.from({ length: 7 }, () => {
      attempts.succeeded('work/w', ref('a'), 'content', 'after');
      return wait();
    });
    expect(waits).toEqual([0, 0, 0, 1000, 2000, 4000, 8000]);
    at(700_000);
    attempts.succeeded('work/w', ref('a'), 'content', 'after');
    expect(wait()).toBe(0);
  });
});

describe('which failures are told', () => {
  it.each([
    { name: 'a refusal', isPassing: false, count: 1, want: true },
    { name: 'a lost connection', isPassing: true, count: 1, want: false },
    { name: 'one that stays lost', isPassing: true, count: 3, want: true },
  ])('$name: $want', ({ isPassing, count, want }) => expect(isTold({ type: 'failed', message: '', isPassing, count })).toBe(want));
});

it('attempts of what is no longer asked for are forgotten', () => {
  const { attempts } = remembering();
  attempts.succeeded('work/w', ref('a'), 'c', 'x');
  attempts.succeeded('work/w', ref('b'), 'c', 'x');
  attempts.keepOnly('work/w', [ref('b')]);
  expect([attempts.get('work/w', ref('a')), attempts.get('work/w', ref('b'))?.content]).toEqual([undefined, 'c']);
});
