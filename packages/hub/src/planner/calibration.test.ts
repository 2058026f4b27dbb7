import type { RolloutEntry } from '@outrigger/api';
import { SeededRandom } from '@outrigger/core';
import type { StepInput } from '@outrigger/rules/rollout';
import { ONE_BY_ONE, observedCluster } from '@outrigger/rules/testing';
import { describe, expect, it } from 'vitest';
import { recordedDurations } from './durations.js';
import { EntryRun, runStart } from './entry-run.js';
import { percentiles, seededRuns } from './forecast.js';
import { RUNS } from './plan.js';

/**
 * The number of fleets for each distribution of durations; half of the fleets use strategy All. OUTRIGGER_CALIBRATION sets another number
 * for a longer run.
 */
const FLEETS = Number(process.env['OUTRIGGER_CALIBRATION'] ?? 80);

function entry(size: number, type: 'All' | 'Progressive', maxConcurrency: number): StepInput {
  const clusters = Array.from({ length: size }, (_, i) => observedCluster(`c${String(i).padStart(4, '0')}`));
  return {
    strategy: { ...ONE_BY_ONE, type, maxFailures: { percent: 100 }, maxConcurrency: { count: maxConcurrency } },
    groups: [{ index: 0, name: '', clusters }],
    wildcard: undefined,
    hasCompleted: false,
    clustersPerGroup: size,
    isPaused: false,
    keepsFailed: false,
  };
}

/** Distributions of the duration of a move, in seconds. The plan extrapolates with other distributions. */
const SHAPES: Readonly<Record<string, (random: SeededRandom) => number>> = {
  lognormal: (random) => 40 * Math.exp(0.5 * normal(random)),
  'lognormal with a long tail': (random) => 40 * Math.exp(0.9 * normal(random)),
  gamma: (random) => 15 * (exponential(random) + exponential(random) + exponential(random)) + 10,
  weibull: (random) => 60 * exponential(random) ** (1 / 1.5) + 5,
  uniform: (random) => 20 + 100 * random.next(),
};

/** Returns an exponentially distributed number with mean 1. */
function exponential(random: SeededRandom): number {
  return -Math.log(1 - random.next());
}

function normal(random: SeededRandom): number {
  return Math.sqrt(2 * exponential(random)) * Math.cos(2 * Math.PI * random.next());
}

/** The timeline of a completed rollout with these durations, in the form in which a record stores them. */
function recorded(seconds: readonly number[]): RolloutEntry {
  const rounded = seconds.map((one) => Math.round(one));
  const { p50, p90, max } = percentiles(rounded);
  return {
    name: 'default/all',
    timeline: [{ at: '2026-01-01T00:00:00Z', to: 1, outcome: 'Completed', done: seconds.length, durations: { p50, p90, max } }],
  };
}

/** Whether one fleet's rollout ends before the p90 that its plan predicts from the record of an earlier rollout. */
function endsInTime(fleet: number, shape: (random: SeededRandom) => number): boolean {
  const size = 30;
  const random = new SeededRandom(100_000 + fleet);
  const history = recorded(Array.from({ length: size }, () => shape(random)));
  const start = runStart(entry(size, fleet % 2 === 0 ? 'All' : 'Progressive', 3), 0);
  const runs = seededRuns([{ target: { revision: 2, digest: '' }, start, gates: () => undefined }], recordedDurations([history]), {
    runs: RUNS,
    seed: fleet,
    fail: undefined,
    offline: 0,
  });
  const { p90 } = percentiles(runs.map(({ endedAt }) => endedAt));
  const real = new EntryRun(start, { fateOf: () => ({ outcome: 'arrives', afterMs: shape(random) * 1000 }), gates: undefined }).run();
  return real.endedAt <= p90;
}

describe('the predicted p90', () => {
  it.each(Object.keys(SHAPES))('%s durations: is late enough for 80 to 97 % of the fleets', (name) => {
    const shape = SHAPES[name] as (random: SeededRandom) => number;
    const inTime = Array.from({ length: FLEETS }, (__, fleet) => endsInTime(fleet, shape)).filter(Boolean).length;
    expect(inTime / FLEETS).toBeGreaterThanOrEqual(0.8);
    expect(inTime / FLEETS).toBeLessThanOrEqual(0.97);
  });

  it.each([1, 2, 3, 9])('is finite and not before the recorded maximum for a record of %i moves', (count) => {
    const history = recorded(Array.from({ length: count }, () => 60));
    const start = runStart(entry(20, 'All', 1), 0);
    const rollout = { target: { revision: 2, digest: '' }, start, gates: () => undefined };
    const runs = seededRuns([rollout], recordedDurations([history]), { runs: RUNS, seed: 1, fail: undefined, offline: 0 });
    const { p90 } = percentiles(runs.map(({ endedAt }) => endedAt));
    expect(p90).toBeGreaterThanOrEqual(60_000);
    expect(p90).toBeLessThan(3_600_000);
  });
});
