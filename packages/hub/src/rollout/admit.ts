import { type ClusterObservation, type Phase, type Standing, isFailure, isInFlight, standingOf, takesSlot } from './phase.js';
import { type GroupRef, type Strategy, amountOf } from './strategy.js';

/** The clusters of an entry that belong to it (a later entry may have taken some), by decision group in index order. */
export interface DecisionGroup {
  readonly index: number;
  readonly name: string;
  readonly clusters: readonly string[];
}

export interface EntryState {
  readonly strategy: Strategy;
  readonly groups: readonly DecisionGroup[];
  readonly observations: ReadonlyMap<string, ClusterObservation>;
  /** Who is in flight, since when; undefined where the record admits everybody (`*`), which holds since `admittedAllAt`. */
  readonly inFlight: ReadonlyMap<string, number>;
  readonly admittedAllAt: number | undefined;
  /** What one decision group holds: the budget of a Progressive strategy that names none. */
  readonly clustersPerGroup: number;
  readonly isPaused: boolean;
}

export interface EntryDecision {
  /** The record's next content: who is in flight, and since when. */
  readonly inFlight: ReadonlyMap<string, number>;
  /** Everybody is admitted (strategy All). */
  readonly admitsAll: boolean;
  readonly admitted: readonly string[];
  readonly standings: readonly Standing[];
  /** Why nothing further is admitted though clusters wait. */
  readonly hold: 'Paused' | 'TooManyFailures' | undefined;
  readonly recheckAt: number | undefined;
}

/**
 * One step of an entry's rollout: takes out of the record what has ended, and admits as many as the budget allows.
 *
 * The invariant is kept here and nowhere else: an admission never brings the clusters in flight above the budget, and none is made while
 * more failures are seen than `maxFailures` tolerates.
 */
export function decideEntry(state: EntryState, now: number): EntryDecision {
  const standings = new Map<string, Standing>();
  for (const group of state.groups) {
    for (const cluster of group.clusters) standings.set(cluster, standing(state, cluster, now));
  }
  const kept = [...standings.values()].filter(({ phase }) => isInFlight(phase));
  const base = {
    standings: [...standings.values()],
    recheckAt: earliest([...standings.values()].map(({ recheckAt }) => recheckAt)),
  };
  if (state.strategy.type === 'All') return { ...base, ...admitAll(state, kept, now) };

  const admission = state.isPaused ? { clusters: [], hold: 'Paused' as const } : nextClusters(state, standings);
  const inFlight = new Map(kept.map(({ cluster }) => [cluster, state.inFlight.get(cluster) ?? state.admittedAllAt ?? now]));
  for (const cluster of admission.clusters) inFlight.set(cluster, now);
  const waits = base.standings.some(({ phase }) => phase === 'waiting');
  return { ...base, inFlight, admitsAll: false, admitted: admission.clusters, hold: waits ? admission.hold : undefined };
}

function standing(state: EntryState, cluster: string, now: number): Standing {
  const seen = state.observations.get(cluster) ?? unseen(cluster);
  // A cluster that joins an entry which admits everybody is admitted when it joins.
  const admittedAllAt = state.admittedAllAt === undefined ? undefined : Math.max(state.admittedAllAt, seen.createdAt ?? now);
  return standingOf(seen, state.inFlight.get(cluster) ?? admittedAllAt, state.strategy, now);
}

function admitAll(
  state: EntryState,
  kept: readonly Standing[],
  now: number,
): Pick<EntryDecision, 'inFlight' | 'admitsAll' | 'admitted' | 'hold'> {
  if (state.isPaused && state.admittedAllAt === undefined) {
    const inFlight = new Map(kept.map(({ cluster }) => [cluster, state.inFlight.get(cluster) ?? now]));
    return { inFlight, admitsAll: false, admitted: [], hold: 'Paused' };
  }
  const admitted = state.admittedAllAt === undefined ? ['*'] : [];
  return { inFlight: new Map(), admitsAll: true, admitted, hold: undefined };
}

interface Admission {
  readonly clusters: readonly string[];
  readonly hold: EntryDecision['hold'];
}

const NOBODY: Admission = { clusters: [], hold: undefined };

function nextClusters(state: EntryState, standings: ReadonlyMap<string, Standing>): Admission {
  const phaseOf = (cluster: string): Phase => standings.get(cluster)?.phase ?? 'waiting';
  const isMandatory = mandatoryTest(state.strategy.mandatoryGroups);
  const mandatory = state.groups.filter(isMandatory);
  const rest = state.groups.filter((group) => !isMandatory(group));

  const first = groupByGroup(mandatory, phaseOf, () => 0);
  if (first !== 'complete') return first;
  if (state.strategy.type === 'ProgressivePerGroup') {
    const next = groupByGroup(rest, phaseOf, (size) => amountOf(state.strategy.maxFailures, size));
    return next === 'complete' ? NOBODY : next;
  }
  return progressive(state, rest, phaseOf);
}

/** Whole groups in order; the next one opens when nobody of the one before is waiting or in flight. */
function groupByGroup(
  groups: readonly DecisionGroup[],
  phaseOf: (cluster: string) => Phase,
  toleratedFailures: (size: number) => number,
): Admission | 'complete' {
  for (const group of groups) {
    const phases = group.clusters.map(phaseOf);
    const waiting = group.clusters.filter((cluster) => phaseOf(cluster) === 'waiting').sort();
    if (phases.filter(isFailure).length > toleratedFailures(group.clusters.length)) return { clusters: [], hold: 'TooManyFailures' };
    if (waiting.length > 0) return { clusters: waiting, hold: undefined };
    if (phases.some((phase) => phase === 'progressing' || phase === 'soaking')) return NOBODY;
  }
  return 'complete';
}

function progressive(state: EntryState, groups: readonly DecisionGroup[], phaseOf: (cluster: string) => Phase): Admission {
  const clusters = groups.flatMap((group) => group.clusters);
  const all = state.groups.flatMap((group) => group.clusters);
  const failures = all.map(phaseOf).filter(isFailure).length;
  if (failures > amountOf(state.strategy.maxFailures, all.length)) return { clusters: [], hold: 'TooManyFailures' };
  const budget = amountOf(state.strategy.maxConcurrency ?? { count: state.clustersPerGroup }, clusters.length);
  const taken = clusters.filter((cluster) => takesSlot(phaseOf(cluster))).length;
  const waiting = clusters.filter((cluster) => phaseOf(cluster) === 'waiting').sort();
  return { clusters: waiting.slice(0, Math.max(0, budget - taken)), hold: undefined };
}

/** A reference names a group by name where it has one, else by index. */
function mandatoryTest(refs: readonly GroupRef[]): (group: DecisionGroup) => boolean {
  return (group) => refs.some((ref) => (ref.groupName ? ref.groupName === group.name : ref.groupIndex === group.index));
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  return times.reduce((least, time) => (time !== undefined && (least === undefined || time < least) ? time : least), undefined);
}

/** A cluster whose add-on is still being created. */
function unseen(cluster: string): ClusterObservation {
  return {
    cluster,
    createdAt: undefined,
    atTarget: false,
    isDone: false,
    doneAt: undefined,
    availableSince: undefined,
    isUnhealthyBefore: false,
    hasFailed: false,
    unreachableSince: undefined,
  };
}
