import { describe, expect, it } from 'vitest';
import { type HeapMode, type HeapState, nextHeapStep } from './heap-policy.js';

const MB = 2 ** 20;

interface Load {
  readonly utilization: number;
  readonly reserved: number;
  readonly used: number;
}

const step = (state: HeapState, { utilization, reserved, used }: Load): ReturnType<typeof nextHeapStep> =>
  nextHeapStep(state, { utilization, reservedBytes: reserved * MB, usedBytes: used * MB });

describe('the heap of a server', () => {
  it.each<[string, HeapMode, Load, { mode: HeapMode; collect: boolean }]>([
    ['stays fast while busy', 'fast', { utilization: 0.9, reserved: 300, used: 80 }, { mode: 'fast', collect: false }],
    ['stays fast at half load', 'fast', { utilization: 0.3, reserved: 300, used: 80 }, { mode: 'fast', collect: false }],
    [
      'is collected when the server becomes quiet',
      'fast',
      { utilization: 0.02, reserved: 300, used: 80 },
      { mode: 'small', collect: true },
    ],
    ['is not collected while it is small', 'small', { utilization: 0.02, reserved: 300, used: 80 }, { mode: 'small', collect: false }],
    ['is not collected for little', 'fast', { utilization: 0.02, reserved: 85, used: 80 }, { mode: 'small', collect: false }],
    ['is collected if it is large', 'fast', { utilization: 0, reserved: 1_400, used: 1_000 }, { mode: 'small', collect: true }],
    [
      'is not collected if the pause would be too long',
      'fast',
      { utilization: 0, reserved: 1_900, used: 1_100 },
      { mode: 'small', collect: false },
    ],
    ['stays small at half load', 'small', { utilization: 0.3, reserved: 100, used: 80 }, { mode: 'small', collect: false }],
    ['is fast again when busy', 'small', { utilization: 0.6, reserved: 100, used: 80 }, { mode: 'fast', collect: false }],
  ])('%s', (_, mode, load, expected) => {
    expect(step({ mode }, load)).toMatchObject(expected);
  });

  it.each([
    { used: 100, growthPercent: 40 },
    { used: 400, growthPercent: 25 },
  ])('with $used MB in use may grow by $growthPercent %', ({ used, growthPercent }) => {
    expect(step({ mode: 'fast' }, { utilization: 0.9, reserved: 900, used }).growthPercent).toBe(growthPercent);
  });

  /** Returns the samples at which the heap is collected. Each collection releases a part of the reserved memory. */
  function collections(released: (reserved: number) => number, utilization: (sample: number) => number = () => 0.02): readonly number[] {
    const found: number[] = [];
    let state: HeapState = { mode: 'fast' };
    let reserved = 900;
    for (let sample = 0; sample < 100; sample++) {
      const next = step(state, { utilization: utilization(sample), reserved, used: 400 });
      if (next.collect) {
        found.push(sample);
        reserved -= released(reserved);
      }
      state = next;
    }
    return found;
  }

  it('is collected again while the last collection has released memory and a quarter of it is unused', () => {
    expect(collections(() => 100)).toEqual([0, 3, 6, 9, 12]);
    expect(collections((reserved) => (reserved > 700 ? 100 : 5))).toEqual([0, 3, 6]);
    expect(collections(() => 0)).toEqual([0]);
  });

  it('is not collected again while the server is not quiet, and starts anew after it was busy', () => {
    expect(
      collections(
        () => 100,
        (sample) => (sample > 0 && sample < 8 ? 0.3 : 0.02),
      ),
    ).toEqual([0, 8, 11, 14, 17]);
    expect(
      collections(
        () => 0,
        (sample) => (sample === 5 ? 0.9 : 0.02),
      ),
    ).toEqual([0, 6]);
  });
});
