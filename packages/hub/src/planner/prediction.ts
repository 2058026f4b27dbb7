import { SeededRandom, toTime } from '@outrigger/core';
import type { PredictedEnd } from '@outrigger/rules/prediction';
import type { FleetState } from '../controllers/fleet/state.js';
import type { Forecast } from '../rollout-policies/predictions.js';
import { durationDraws, type RecordedDurations, recordedDurations } from './durations.js';
import { type PlannedRollout, planEntries } from './entries.js';
import { EntryRun, type RunResult } from './entry-run.js';
import { percentiles } from './forecast.js';
import type { Fate } from './moving-cluster.js';

/** The number of simulated moves in all runs of a prediction, so that large fleets get fewer runs. */
const CLUSTER_MOVES = 200_000;
const MAX_RUNS = 200;
const MIN_RUNS = 20;
/** The maximum number of clusters in an entry for which a prediction is computed. */
const MAX_CLUSTERS = 50_000;
/** The number of events of a run that one step of the computation handles. */
const EVENTS_PER_STEP = 100;

/**
 * Predicts when targets that start now will end, like `outrigger plan`. The computation yields after each step, so it never blocks the
 * thread.
 */
export const forecastEnds: Forecast<FleetState> = function* ({ requests, state, now }) {
  const { entries } = planEntries(state, now);
  const durations = recordedDurations(state.rollout?.status.entries ?? []);
  const predicted: PredictedEnd[] = [];
  for (const request of requests) {
    yield;
    const { rollout } = entries.find(({ members }) => members.observation.entry.name === request.entry) ?? {};
    const ends = rollout && rollout.target.revision === request.revision ? yield* endsOf(rollout, durations) : [];
    const { p50, p90 } = percentiles(ends);
    const prediction =
      ends.length === 0 ? undefined : { at: now.time, p50: toTime(p50), p90: toTime(p90), runs: ends.length, ...basisOf(durations) };
    predicted.push({ ...request, prediction });
  }
  return predicted;
};

function basisOf({ source, clusters }: RecordedDurations): { readonly basis: 'Recorded' | 'Default'; readonly moves?: number } {
  return source === 'recorded' ? { basis: 'Recorded', moves: clusters } : { basis: 'Default' };
}

/**
 * Returns the end of each seeded run. Returns no ends if the entry has too many clusters, or if the rollout does not end even when every
 * move takes the median time.
 */
function* endsOf(rollout: PlannedRollout, durations: RecordedDurations): Generator<void, readonly number[]> {
  const clusters = rollout.start.groups.reduce((sum, group) => sum + group.clusters.length, 0);
  if (clusters > MAX_CLUSTERS) return [];
  const { outcome } = yield* runOf(rollout, () => ({ outcome: 'arrives', afterMs: durations.p50 * 1000 }));
  if (outcome !== 'Completed' && outcome !== 'Unfinished') return [];
  const runs = Math.max(MIN_RUNS, Math.min(MAX_RUNS, Math.floor(CLUSTER_MOVES / Math.max(1, clusters))));
  const ends: number[] = [];
  for (let i = 0; i < runs; i++) {
    const draw = durationDraws(durations, new SeededRandom(rollout.target.revision + i * 7919));
    const { endedAt } = yield* runOf(rollout, () => ({ outcome: 'arrives', afterMs: draw() }));
    ends.push(endedAt);
  }
  return ends;
}

function* runOf({ start, gates }: PlannedRollout, fateOf: () => Fate): Generator<void, RunResult> {
  const run = new EntryRun(start, { fateOf, gates: gates() });
  for (;;) {
    const result = run.continue(EVENTS_PER_STEP);
    if (result) return result;
    yield;
  }
}
