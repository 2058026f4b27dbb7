import { SeededRandom } from '@outrigger/core';
import type { ObservedCluster } from '@outrigger/rules/rollout';
import { durationDraws, quantile, type RecordedDurations } from './durations.js';
import type { PlannedRollout } from './entries.js';
import { EntryRun, type RunResult } from './entry-run.js';
import type { Fate } from './moving-cluster.js';
import type { GateMeeting } from './run-gates.js';

/** Clusters of one group that are admitted together, or that are in flight to the target at the start. */
export interface Wave {
  /** The index of the group in the entry. */
  readonly group: number;
  readonly startAt: number;
  /** When the last cluster of the wave finished its move. */
  endAt: number;
  readonly clusters: readonly string[];
  /** The approval gate that opened last before the wave; the times of the wave are relative to the opening of the gate. */
  readonly after: { readonly gate: string; readonly at: number } | undefined;
}

/** The rollout of one entry if every move takes the median time. */
export interface Course {
  readonly waves: readonly Wave[];
  readonly gates: readonly GateMeeting[];
  readonly result: RunResult;
}

export function course({ start, gates: newGates }: PlannedRollout, durations: RecordedDurations): Course {
  const gates = newGates();
  const waves: Wave[] = [];
  const waveOf = new Map<string, Wave>();
  const startWave = (wave: Wave): void => {
    waves.push(wave);
    for (const cluster of wave.clusters) waveOf.set(cluster, wave);
  };
  for (const [group, clusters] of inFlightAtStart(start))
    startWave({ group, startAt: start.startAt, endAt: start.startAt, clusters, after: undefined });
  const fate: Fate = { outcome: 'arrives', afterMs: durations.p50 * 1000 };
  const result = new EntryRun(start, {
    fateOf: () => fate,
    gates,
    onAdmission: (admitted, groupOf, at) => {
      // Only an approval that the plan assumes opens a gate at once. The times of the wave are relative to the opening of this gate,
      // because the plan cannot know when users approve.
      const approval = gates?.meetings.findLast((one) => one.kind === 'Approval' && one.opensAt === one.at);
      const after = approval && { gate: approval.name, at: approval.opensAt ?? at };
      for (const [group, clusters] of byGroup(admitted, groupOf)) startWave({ group, startAt: at, endAt: at, clusters, after });
    },
    onEnd: (cluster, _, at) => {
      const wave = waveOf.get(cluster);
      if (wave) wave.endAt = at;
    },
  }).run();
  return { waves, gates: gates?.meetings ?? [], result };
}

/**
 * Returns the clusters that are in flight at the start and do not queue again, with the index of their group. Clusters in flight to the
 * target continue, and the manager retargets clusters in flight to an earlier target.
 */
function inFlightAtStart({ groups }: PlannedRollout['start']): readonly (readonly [group: number, clusters: readonly string[]])[] {
  return groups.flatMap(({ inFlight }, group) => {
    const moving = inFlight.filter(({ seen, phase }) => !seen.isElsewhere && (phase === 'progressing' || phase === 'soaking'));
    return moving.length === 0 ? [] : [[group, moving.map(({ seen }) => seen.cluster)] as const];
  });
}

function byGroup(admitted: readonly ObservedCluster[], groupOf: (seen: ObservedCluster) => number): ReadonlyMap<number, readonly string[]> {
  const groups = new Map<number, string[]>();
  for (const seen of admitted) {
    const group = groupOf(seen);
    const found = groups.get(group);
    if (found) found.push(seen.cluster);
    else groups.set(group, [seen.cluster]);
  }
  return groups;
}

/** The assumptions of a prediction about its simulated runs, each of which has its own random seed. */
export interface Assumptions {
  readonly runs: number;
  readonly seed: number;
  /** The share of moves that fail, or the clusters on which the move fails. */
  readonly fail: number | ReadonlySet<string> | undefined;
  /** The share of clusters that become unreachable during their move. */
  readonly offline: number;
}

/** The result of one simulated run over all entries. */
export interface SeededRun {
  /** When the last entry ends. */
  readonly endedAt: number;
  /** By entry, in their order. */
  readonly results: readonly RunResult[];
}

export function seededRuns(rollouts: readonly PlannedRollout[], durations: RecordedDurations, assumed: Assumptions): readonly SeededRun[] {
  return Array.from({ length: assumed.runs }, (_, i): SeededRun => {
    const random = new SeededRandom(assumed.seed + i * 7919);
    const draw = durationDraws(durations, random);
    const fateOf = fates(assumed, draw, random);
    const results = rollouts.map(({ start, gates }) => new EntryRun(start, { fateOf, gates: gates() }).run());
    return { endedAt: Math.max(...results.map(({ endedAt }) => endedAt)), results };
  });
}

function fates({ fail, offline }: Assumptions, draw: () => number, random: SeededRandom): (cluster: string) => Fate {
  return (cluster) => {
    const afterMs = draw();
    if (offline > 0 && random.next() < offline) return { outcome: 'leaves', afterMs: afterMs * random.next() };
    const fails = typeof fail === 'number' ? fail > 0 && random.next() < fail : fail?.has(cluster) === true;
    return { outcome: fails ? 'fails' : 'arrives', afterMs };
  };
}

export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

export function percentiles(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p90: quantile(sorted, 0.9), p99: quantile(sorted, 0.99), max: sorted.at(-1) ?? 0 };
}
