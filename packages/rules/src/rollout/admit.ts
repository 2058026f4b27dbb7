import { type Budget, nextClusters } from './budget.js';
import type { EntryDecision, EntryState, PhaseCounts, PlacedGroup } from './entry.js';
import type { Admission, ClusterObservation } from './phase.js';
import { earlier, placeGroup, sumCounts } from './place.js';

/** The time of a step, also as text for the record. */
interface Instant {
  readonly wall: number;
  readonly time: string;
}

/**
 * One step of an entry's rollout: removes clusters from the record whose move has ended, and admits as many as the budget allows.
 *
 * The invariant is kept here and nowhere else: an admission never brings the clusters in flight above the budget, and none is made while
 * more clusters have failed than `maxFailures` tolerates.
 */
export function decideEntry(state: EntryState, now: Instant): EntryDecision {
  const groups = state.groups.map((group) => placeGroup(state, group, now.wall));
  const budget = nextClusters(state, groups);
  const hold: EntryDecision['hold'] = state.isPaused ? 'Paused' : budget.isExceeded ? 'TooManyFailures' : undefined;
  const counts = sumCounts(groups);
  const base = {
    groups,
    hold,
    hasTooManyFailures: budget.isExceeded,
    joiners: hold ? joiners(groups, budget) : [],
    recheckAt: groups.reduce<number | undefined>((least, { recheckAt }) => earlier(least, recheckAt), undefined),
  };
  const inFlight = keptAdmissions(state, groups, now);
  if (state.strategy.type === 'All') {
    const step = admitAll(state, inFlight, now);
    return { ...base, ...step, counts: step.admitsAll ? setOut(counts, counts.waiting) : counts };
  }
  const admitted = hold ? [] : budget.next;
  for (const seen of admitted) inFlight.set(seen.cluster, admit(seen, now));
  return {
    ...base,
    inFlight,
    admitsAll: false,
    admitted: admitted.map(({ cluster }) => cluster),
    counts: setOut(counts, admitted.length),
  };
}

/** Counts the clusters that this step admits as progressing instead of waiting. */
function setOut(counts: PhaseCounts, admitted: number): PhaseCounts {
  return { ...counts, waiting: counts.waiting - admitted, progressing: counts.progressing + admitted };
}

/**
 * The admissions that stay in the record. For a parked cluster they include when it was parked; for one that returns, the admission time
 * starts again.
 */
function keptAdmissions({ wildcard }: EntryState, groups: readonly PlacedGroup[], now: Instant): Map<string, Admission> {
  const kept = new Map<string, Admission>();
  for (const { inFlight } of groups) {
    for (const { seen, phase } of inFlight) {
      const recorded = seen.admission ?? wildcard;
      if (!recorded || seen.isElsewhere) continue;
      const admission = withHealth(recorded, seen);
      kept.set(seen.cluster, phase === 'parked' ? parked(admission, now) : returned(admission, now));
    }
  }
  return kept;
}

/** An add-on that becomes available after the move must stay available: from then on its health counts. */
function withHealth(admission: Admission, { report }: ClusterObservation): Admission {
  return admission.unhealthyBefore && report.isDone && report.isAvailable ? { ...admission, unhealthyBefore: false } : admission;
}

function parked(admission: Admission, { time }: Instant): Admission {
  return admission.parkedSince === undefined ? { ...admission, parkedSince: time } : admission;
}

function returned(admission: Admission, { wall, time }: Instant): Admission {
  return admission.parkedSince === undefined ? admission : { ...admission, admittedAt: time, since: wall, parkedSince: undefined };
}

function admit({ targetRevision, report }: ClusterObservation, { wall, time }: Instant): Admission {
  const unhealthyBefore = !report.isFresh && !report.isAvailable;
  return { revision: targetRevision, admittedAt: time, since: wall, unhealthyBefore, parkedSince: undefined };
}

/**
 * Strategy All: a wildcard admission covers every cluster; beside it the record names only clusters that are parked or were unhealthy
 * before.
 */
function admitAll(
  state: EntryState,
  kept: ReadonlyMap<string, Admission>,
  now: Instant,
): Pick<EntryDecision, 'inFlight' | 'admitsAll' | 'admitted'> {
  if (!state.wildcard && state.isPaused) return { inFlight: kept, admitsAll: false, admitted: [] };
  const notable = new Map<string, Admission>();
  for (const { clusters } of state.groups) {
    for (const seen of clusters) {
      const named = state.wildcard
        ? seen.admission && withHealth(seen.admission, seen)
        : seen.report.atTarget
          ? undefined
          : admit(seen, now);
      if (named?.unhealthyBefore) notable.set(seen.cluster, named);
    }
  }
  for (const [cluster, admission] of kept) {
    if (admission.unhealthyBefore || admission.parkedSince !== undefined) notable.set(cluster, admission);
  }
  return { inFlight: notable, admitsAll: true, admitted: state.wildcard ? [] : ['*'] };
}

function joiners(groups: readonly PlacedGroup[], { room }: Budget): readonly string[] {
  const fresh = groups.flatMap(({ waiting }) => waiting.filter(({ isNew }) => isNew).map(({ cluster }) => cluster));
  return fresh.slice(0, room);
}
