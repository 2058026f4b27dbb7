import { type Budget, nextClusters } from './budget.js';
import type { EntryDecision, EntryState } from './entry.js';
import { type Admission, type ClusterObservation, type Standing, isInFlight, standingOf } from './phase.js';

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
  const all = [...standings.values()];
  const budget = nextClusters(state, standings);
  const hold: EntryDecision['hold'] = state.isPaused ? 'Paused' : budget.isExceeded ? 'TooManyFailures' : undefined;
  const base = {
    standings: all,
    hold,
    hasTooManyFailures: budget.isExceeded,
    joiners: hold ? joiners(state, all, budget) : [],
    recheckAt: earliest(all.map(({ recheckAt }) => recheckAt)),
  };
  const inFlight = new Map(kept(state, all, now));
  if (state.strategy.type === 'All') {
    const decision = admitAll(state, inFlight, now);
    return { ...base, ...decision, standings: decision.admitsAll ? all.map(setOut) : all };
  }
  const admitted = new Set(hold ? [] : budget.next);
  for (const cluster of admitted) inFlight.set(cluster, letGo(state, cluster, now));
  const after = all.map((one) => (admitted.has(one.cluster) ? setOut(one) : one));
  return { ...base, inFlight, admitsAll: false, admitted: [...admitted], standings: after };
}

/** Who was let go by this step counts as on its way. */
function setOut(standing: Standing): Standing {
  return standing.phase === 'waiting' ? { ...standing, phase: 'progressing' } : standing;
}

function standing(state: EntryState, cluster: string, now: number): Standing {
  if (state.elsewhere.has(cluster)) return { cluster, phase: 'progressing' };
  const seen = state.observations.get(cluster) ?? unseen(cluster);
  const admission = admissionOf(state, seen, now);
  const isPast = state.hasCompleted && state.inFlight.get(cluster) === undefined;
  return standingOf(seen, isPast && seen.isDone ? undefined : admission, state.strategy, now);
}

function admissionOf(state: EntryState, seen: ClusterObservation, now: number): Admission | undefined {
  const named = state.inFlight.get(seen.cluster);
  if (state.admittedAllAt === undefined) return named && { ...named, isByStar: false };
  // A cluster that joins an entry which admits everybody is admitted when it joins.
  const at = Math.max(state.admittedAllAt, seen.createdAt ?? now);
  return { at, unhealthyBefore: named?.unhealthyBefore ?? false, parkedSince: named?.parkedSince, isByStar: true };
}

/** Who stays in the record. A parked cluster says since when; one that comes back is given its time anew. */
function* kept(state: EntryState, standings: readonly Standing[], now: number): Iterable<[string, Omit<Admission, 'isByStar'>]> {
  for (const { cluster, phase } of standings) {
    if (!isInFlight(phase) || state.elsewhere.has(cluster)) continue;
    const named = state.inFlight.get(cluster);
    const before = named ?? { at: state.admittedAllAt ?? now, unhealthyBefore: false, parkedSince: undefined };
    if (phase === 'parked') yield [cluster, { ...before, parkedSince: before.parkedSince ?? now }];
    else yield [cluster, before.parkedSince === undefined ? before : { ...before, at: now, parkedSince: undefined }];
  }
}

function letGo(state: EntryState, cluster: string, now: number): Omit<Admission, 'isByStar'> {
  const seen = state.observations.get(cluster);
  const unhealthyBefore = seen !== undefined && !seen.isFresh && !seen.isAvailable;
  return { at: now, unhealthyBefore, parkedSince: undefined };
}

/** A star stands for everybody; beside it only those are named of whom there is more to say. */
function admitAll(
  state: EntryState,
  kept: ReadonlyMap<string, Omit<Admission, 'isByStar'>>,
  now: number,
): Pick<EntryDecision, 'inFlight' | 'admitsAll' | 'admitted'> {
  const notable = ([, { unhealthyBefore, parkedSince }]: readonly [string, Omit<Admission, 'isByStar'>]): boolean =>
    unhealthyBefore || parkedSince !== undefined;
  if (state.admittedAllAt !== undefined) {
    const noted = [...state.inFlight].filter(([cluster, { unhealthyBefore }]) => unhealthyBefore && state.observations.has(cluster));
    return { inFlight: new Map([...noted, ...[...kept].filter(notable)]), admitsAll: true, admitted: [] };
  }
  if (state.isPaused) return { inFlight: kept, admitsAll: false, admitted: [] };
  const clusters = [...state.observations.keys()].filter((cluster) => state.observations.get(cluster)?.atTarget === false);
  const started = clusters.map((cluster) => [cluster, letGo(state, cluster, now)] as const);
  return { inFlight: new Map([...kept, ...started].filter(notable)), admitsAll: true, admitted: ['*'] };
}

function joiners(state: EntryState, standings: readonly Standing[], { room }: Budget): readonly string[] {
  const fresh = standings.flatMap(({ cluster, phase }) =>
    phase === 'waiting' && (state.observations.get(cluster) ?? unseen(cluster)).isFresh ? [cluster] : [],
  );
  return fresh.slice(0, room);
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  return times.reduce((least, time) => (time !== undefined && (least === undefined || time < least) ? time : least), undefined);
}

/** A cluster whose add-on is still being created. */
function unseen(cluster: string): ClusterObservation {
  return {
    cluster,
    createdAt: undefined,
    isFresh: true,
    mayMove: true,
    atTarget: false,
    isDone: false,
    doneAt: undefined,
    isAvailable: false,
    availableSince: undefined,
    isHealthSilent: false,
    hasFailed: false,
    unreachableSince: undefined,
    reachableSince: undefined,
  };
}
