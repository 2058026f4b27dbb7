import { EVERY_CLUSTER, type InFlightCluster, type RolloutEntry, type TargetChange } from '@outrigger/api';
import { parseTime, toTime } from '@outrigger/core';
import { exceptionTest } from '../../revisions/assigned.js';
import type { ObservedCluster, StepInput } from '../input.js';
import { type Phase, placeCluster } from '../phase.js';
import { type Move, type Moves, readMove } from './moves.js';

/** The state of a cluster when the target of its entry ended. */
export const CLUSTER_OUTCOMES = ['Succeeded', 'Failed', 'Moving', 'Parked', 'Skipped', 'Waiting', 'Left'] as const;

/**
 * `Succeeded`: the cluster had succeeded. `Failed`: the cluster had failed and not recovered. `Moving`, `Parked`: the cluster was still in
 * flight. `Skipped`: the cluster was not admitted because it was unreachable. `Waiting`: the cluster was not admitted. `Left`: the cluster
 * no longer belonged to the entry.
 */
export type ClusterOutcome = (typeof CLUSTER_OUTCOMES)[number];

export interface ClusterMove {
  readonly cluster: string;
  readonly outcome: ClusterOutcome;
  /** The time at which the cluster was admitted. Absent if it was not admitted during this target, or if the time is unknown. */
  readonly admittedAt?: string;
  /**
   * The time from the admission until the cluster reported the target as done. For outcomes other than `Succeeded`, until the move or the
   * target ended.
   */
  readonly seconds?: number;
}

/** The rollout of an entry to one target, from its start to its end. */
export interface TargetRecord {
  readonly addOn: string;
  readonly entry: string;
  readonly revision: number;
  readonly from?: number;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly outcome: NonNullable<TargetChange['outcome']>;
  /** In name order. */
  readonly clusters: readonly ClusterMove[];
  /** The number of clusters that are not listed because the stored object is limited in size. */
  readonly omitted: number;
}

/** An entry and its clusters in the pass in which the target ended. */
export interface EndedTarget {
  readonly addOn: string;
  readonly entry: string;
  readonly change: TargetChange;
  readonly input: StepInput;
  /** The clusters that are or were in flight to the target, from the record of the target. */
  readonly inFlight: readonly InFlightCluster[];
  readonly moves: Moves;
  readonly now: { readonly wall: number; readonly time: string };
}

/** Returns the record of a target that has ended, or undefined if the entry had no clusters or the target has not ended. */
export function targetRecord(ended: EndedTarget): TargetRecord | undefined {
  const { change, input, moves } = ended;
  if (change.outcome === undefined) return undefined;
  const members = input.groups.flatMap(({ clusters }) => clusters);
  const known = new Set(members.map(({ cluster }) => cluster));
  const left = Object.keys(moves).filter((cluster) => !known.has(cluster));
  if (members.length + left.length === 0) return undefined;
  const startedAt = parseTime(change.at) ?? ended.now.wall;
  const wildcard = ended.inFlight.find(({ cluster }) => cluster === EVERY_CLUSTER);
  const isExcepted = wildcard && exceptionTest(wildcard);
  const moveOf = (seen: ObservedCluster, outcome: ClusterOutcome): Move | undefined => {
    const named = parseTime(seen.admission?.admittedAt);
    if (named !== undefined && outcome !== 'Waiting')
      return currentMove(seen, outcome, { admittedAt: named, startedAt, now: ended.now.wall });
    const recorded = readMove(moves[seen.cluster]);
    if (recorded) return outcome === 'Succeeded' && recorded.hasFailed ? recovered(seen, recorded, startedAt) : recorded;
    const isCovered = isExcepted !== undefined && !isExcepted(seen.cluster) && outcome !== 'Waiting' && outcome !== 'Skipped';
    const admittedAt = isCovered ? parseTime(wildcard?.admittedAt) : undefined;
    // A cluster that was already done before the wildcard admission did not move.
    if (admittedAt === undefined || (outcome === 'Succeeded' && seen.movedSeconds === undefined)) return undefined;
    return currentMove(seen, outcome, { admittedAt, startedAt, now: ended.now.wall });
  };
  const clusters = members.map((seen) => {
    const outcome = outcomeOf(input, seen, ended.now.wall);
    return clusterMove(seen.cluster, outcome, moveOf(seen, outcome), startedAt);
  });
  const gone = left.map((cluster) => clusterMove(cluster, 'Left', readMove(moves[cluster]), startedAt));
  return {
    addOn: ended.addOn,
    entry: ended.entry,
    revision: change.to,
    ...(change.from === undefined ? {} : { from: change.from }),
    startedAt: change.at,
    endedAt: change.endedAt ?? ended.now.time,
    outcome: change.outcome,
    clusters: [...clusters, ...gone].sort((a, b) => (a.cluster < b.cluster ? -1 : 1)),
    omitted: 0,
  };
}

const OUTCOMES: Readonly<Record<Phase, ClusterOutcome>> = {
  waiting: 'Waiting',
  skipped: 'Skipped',
  progressing: 'Moving',
  soaking: 'Moving',
  parked: 'Parked',
  failing: 'Failed',
  failed: 'Failed',
  recovering: 'Failed',
  succeeded: 'Succeeded',
};

function outcomeOf(input: StepInput, seen: ObservedCluster, now: number): ClusterOutcome {
  return seen.isElsewhere ? 'Waiting' : OUTCOMES[placeCluster(input, seen, now).phase];
}

interface MoveTimes {
  readonly admittedAt: number;
  readonly startedAt: number;
  readonly now: number;
}

/** The move of a cluster whose admission is in the record now. */
function currentMove(seen: ObservedCluster, outcome: ClusterOutcome, { admittedAt, startedAt, now }: MoveTimes): Move {
  const elapsed = (now - admittedAt) / 1000;
  const seconds = outcome === 'Succeeded' ? (seen.movedSeconds ?? elapsed) : elapsed;
  return { admitted: (admittedAt - startedAt) / 1000, seconds, hasFailed: false };
}

/** The move of a cluster that failed and later reported the target as done. */
function recovered({ doneAt = 0 }: ObservedCluster, move: Move, startedAt: number): Move {
  const seconds = (doneAt - startedAt) / 1000 - move.admitted;
  return { ...move, seconds: Math.max(move.seconds, seconds) };
}

function clusterMove(cluster: string, outcome: ClusterOutcome, move: Move | undefined, startedAt: number): ClusterMove {
  if (!move) return { cluster, outcome };
  return { cluster, outcome, admittedAt: toTime(startedAt + move.admitted * 1000), seconds: Math.max(0, Math.round(move.seconds)) };
}

/** Returns the entry with the name of the stored record added to one change of its timeline. */
export function withRecordName(entry: RolloutEntry, change: TargetChange, record: string): RolloutEntry {
  return { ...entry, timeline: (entry.timeline ?? []).map((one) => (one === change ? { ...one, record } : one)) };
}
