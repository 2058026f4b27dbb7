import { lazy } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { simulateThread } from './simulation.js';

/** CI runs many seeds; `npm test` runs a sample. A failure prints its seed. Set OUTRIGGER_SEED to run only that one. */
const SEEDS = Number(process.env['OUTRIGGER_THREAD_SEEDS'] ?? 50);
const ONLY = process.env['OUTRIGGER_SEED'];
const PARTS = 10;

describe('the thread under a virtual clock with lag, lost requests, broken watches and crashes', () => {
  /** Each test compares its run with this one. */
  const reference = lazy(() => simulateThread(1));

  it('produces the same log for the same seed and another log for another seed', async () => {
    const [first, again, other] = [await reference(), await simulateThread(1), await simulateThread(2)];
    expect(again.log).toEqual(first.log);
    expect(other.log).not.toEqual(first.log);
  });

  const seeds = ONLY === undefined ? Array.from({ length: SEEDS }, (_, index) => index + 1) : [Number(ONLY)];
  const parts = Array.from({ length: Math.min(PARTS, seeds.length) }, (_, part) => seeds.filter((_seed, index) => index % PARTS === part));
  it.each(parts.map((part) => ({ part, first: part[0] })))(
    'ends in the same state for every seed (from $first, every tenth)',
    async ({ part }) => {
      const { installed, edited } = await reference();
      for (const seed of part) {
        const result = await simulateThread(seed);
        expect({ seed, installed: result.installed, edited: result.edited }).toEqual({ seed, installed, edited });
      }
    },
  );
});
