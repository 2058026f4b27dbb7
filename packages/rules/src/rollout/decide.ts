import { type Budget, inOrder, nextClusters } from './budget.js';
import type { EntryDecision, EntryState, PhaseCounts, PlacedGroup } from './input.js';
import { type GateAnswer, type Gates, gatedGroups, withheld } from './gates/gates.js';
import type { Admission, ClusterObservation } from './phase.js';
import { earlier, placeGroup, sumCounts } from './place.js';

/** The time of a step, also formatted for the rollout's status. */
interface Instant {
  readonly wall: number;
  readonly time: string;
}

/**
 * One step of an entry's rollout: removes from the record the clusters whose move has ended, and admits as many clusters as the budget and
 * the gates allow.
 *
 * This function alone enforces the invariant: an admission never brings the clusters in flight above the budget, and none is made while
 * more clusters have failed than `maxFailures` tolerates. Gates only withhold admissions, so they cannot break the invariant.
 */
export function decideEntry(state: EntryState, now: Instant): EntryDecision {
  const groups = state.groups.map((group) => placeGroup(state, group, now.wall));
  const gating = state.gates && askGates(state, groups, state.gates);
  const back = withheld(state, groups, gating);
  const budget = nextClusters(state, groups, back.clusters);
  const hold = holdOf(state, budget, gating);
  const counts = sumCounts(groups);
  const base = {
    groups,
    hold,
    hasTooManyFailures: budget.isExceeded,
    joiners: hold ? joiners(groups, budget) : back.joiners.slice(0, budget.room),
    heldElsewhere: new Set(
      groups.flatMap(({ retargets }) => retargets.map(({ cluster }) => cluster)).filter((one) => back.clusters.has(one)),
    ),
    holdsJoiners: hold !== undefined || back.holdsJoiners,
    gating,
    recheckAt: groups.reduce<number | undefined>((least, { recheckAt }) => earlier(least, recheckAt), gating?.recheckAt),
  };
  const inFlight = keptAdmissions(state, groups, now);
  const moved = groups.flatMap(({ retargets }) => retargets).filter(({ cluster }) => !back.clusters.has(cluster));
  for (const { cluster, retarget } of moved) if (retarget) inFlight.set(cluster, retarget);
  if (state.strategy.type === 'All') {
    const step = admitAll(state, { groups, kept: inFlight, back: back.clusters, now });
    return { ...base, ...step, counts: step.admitsAll ? setOut(counts, counts.waiting - waitingIn(groups, step.except)) : counts };
  }
  const admitted = hold ? [] : budget.next;
  for (const seen of admitted) inFlight.set(seen.cluster, admit(seen, now));
  return {
    ...base,
    inFlight,
    admitsAll: false,
    except: [],
    admitted: admitted.map(({ cluster }) => cluster),
    counts: setOut(counts, admitted.length),
  };
}

function holdOf({ isPaused }: EntryState, { isExceeded }: Budget, gating: GateAnswer | undefined): EntryDecision['hold'] {
  if (isPaused) return 'Paused';
  if (isExceeded) return 'TooManyFailures';
  return gating?.failure === undefined ? undefined : 'AnalysisFailed';
}

function askGates(state: EntryState, groups: readonly PlacedGroup[], gates: Gates): GateAnswer {
  const { mandatory, rest } = inOrder(groups, state.strategy.type === 'All' ? [] : state.strategy.mandatoryGroups);
  return gates(gatedGroups(state, mandatory, rest));
}

/** Counts the clusters that this step admits as progressing instead of waiting. */
function setOut(counts: PhaseCounts, admitted: number): PhaseCounts {
  return { ...counts, waiting: counts.waiting - admitted, progressing: counts.progressing + admitted };
}

/**
 * The admissions that stay in the record. The admission of a parked cluster includes the time it was parked; for a cluster that becomes
 * reachable again, the admission time is reset.
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

/** An add-on that becomes available after the move must stay available: from then on its health is evaluated. */
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

interface AllStep {
  readonly groups: readonly PlacedGroup[];
  readonly kept: ReadonlyMap<string, Admission>;
  /** The clusters that gates hold. */
  readonly back: ReadonlySet<string>;
  readonly now: Instant;
}

/**
 * Strategy All: a wildcard admission covers every cluster except those that gates hold; in addition, the record names only clusters that
 * are parked, were unhealthy before, or were admitted later than the others because a gate held them.
 */
function admitAll(
  state: EntryState,
  { groups, kept, back, now }: AllStep,
): Pick<EntryDecision, 'inFlight' | 'admitsAll' | 'admitted' | 'except'> {
  const { wildcard, isPaused, gates } = state;
  // Under gates, an unreachable cluster is admitted when it is reachable again and no gate holds it.
  const unreachable = new Set(gates && groups.flatMap(({ skipped }) => skipped));
  const isSkipped = (seen: ClusterObservation): boolean => unreachable.has(seen);
  if (!wildcard && (isPaused || isAllHeld(groups, back))) return { inFlight: kept, admitsAll: false, admitted: [], except: [] };
  const notAdmitted = groups.flatMap(({ waiting, skipped, retargets }) => [...waiting, ...skipped, ...retargets]);
  const outside = notAdmitted.filter((seen) => !wildcard || seen.isExcepted);
  const isLeftOut = (seen: ClusterObservation): boolean =>
    back.has(seen.cluster) || (wildcard !== undefined && isPaused) || isSkipped(seen);
  const except = outside.filter(isLeftOut);
  const excepted = new Set(except.map(({ cluster }) => cluster));
  const notable = new Map<string, Admission>();
  for (const { clusters } of state.groups) {
    for (const seen of clusters) {
      if (excepted.has(seen.cluster)) continue;
      const named = wildcard ? seen.admission && withHealth(seen.admission, seen) : seen.report.atTarget ? undefined : admit(seen, now);
      if (named?.unhealthyBefore) notable.set(seen.cluster, named);
    }
  }
  for (const [cluster, admission] of kept) {
    if (admission.unhealthyBefore || admission.parkedSince !== undefined || isLater(state, admission)) notable.set(cluster, admission);
  }
  const released = wildcard ? outside.filter(({ cluster }) => !excepted.has(cluster)) : [];
  for (const seen of released) if (!seen.isUnreachable) notable.set(seen.cluster, seen.retarget ?? admit(seen, now));
  return {
    inFlight: notable,
    admitsAll: true,
    admitted: wildcard ? released.map(({ cluster }) => cluster) : ['*'],
    except: [...excepted].sort(),
  };
}

/** While gates hold every waiting cluster, no wildcard admission is made, because it would admit clusters that join. */
function isAllHeld(groups: readonly PlacedGroup[], back: ReadonlySet<string>): boolean {
  const waiting = groups.flatMap((group) => [...group.waiting, ...group.retargets]);
  return waiting.length > 0 && waiting.every(({ cluster }) => back.has(cluster));
}

/** Whether a gate held the cluster when the others were admitted, so that it has a deadline of its own. */
function isLater({ gates, wildcard }: EntryState, { admittedAt }: Admission): boolean {
  return gates !== undefined && wildcard !== undefined && admittedAt !== wildcard.admittedAt;
}

function waitingIn(groups: readonly PlacedGroup[], clusters: readonly string[]): number {
  if (clusters.length === 0) return 0;
  const named = new Set(clusters);
  return groups.reduce((sum, { waiting }) => sum + waiting.filter(({ cluster }) => named.has(cluster)).length, 0);
}

function joiners(groups: readonly PlacedGroup[], { room }: Budget): readonly string[] {
  const fresh = groups.flatMap(({ waiting }) => waiting.filter(({ isNew }) => isNew).map(({ cluster }) => cluster));
  return fresh.slice(0, room);
}
