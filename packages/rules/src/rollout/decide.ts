import type { MandatoryDecisionGroup } from '@outrigger/api';
import { amountOf } from '../strategy/rollout-strategy.js';
import { freshClusters, type GateAnswer, type Gates, gatedGroups, withheld } from './gates/gates.js';
import type { Admission, ObservedCluster, StepInput } from './input.js';
import { earlier, failures, onTheWay, type PlacedGroup, placeGroup, slotsTaken, sumCounts } from './phase.js';

/** The decision of one step: which clusters are admitted, and what the next record contains. */
export interface StepDecision {
  /** The groups as they are before this step admits any cluster. */
  readonly groups: readonly PlacedGroup[];
  /** The number of clusters in each phase, after the admissions of this step. */
  readonly counts: PlacedGroup['counts'];
  /** The clusters in flight to the target, for the next record. */
  readonly inFlight: ReadonlyMap<string, Admission>;
  /** Whether a wildcard admission admits every cluster (strategy All), except those that gates hold. */
  readonly admitsAll: boolean;
  /** The clusters that the wildcard admission does not cover, in name order. */
  readonly except: readonly string[];
  readonly admitted: readonly string[];
  /**
   * Clusters that have no content while the rollout is paused, halted or held by a gate; at most as many as the budget allows. They get the
   * last completed revision.
   */
  readonly joiners: readonly string[];
  /** Clusters in flight to an earlier target whose retarget a gate holds. They continue to the earlier target. */
  readonly heldElsewhere: ReadonlySet<string>;
  /** Whether clusters that joined and were admitted to the last completed revision continue to it. */
  readonly holdsJoiners: boolean;
  /** The result of evaluating the gates, if a policy governs the add-on. */
  readonly gating?: GateAnswer | undefined;
  /** Whether more clusters have failed than the strategy tolerates. Also set while the rollout is paused. */
  readonly hasTooManyFailures: boolean;
  /**
   * Whether more clusters are `failed` than maxFailures tolerates. Clusters that are `failing` are not counted, because they may recover.
   */
  readonly hasTooManyFailed: boolean;
  /** Why no further cluster is admitted. */
  readonly hold: 'Paused' | 'TooManyFailures' | 'AnalysisFailed' | undefined;
  readonly recheckAt: number | undefined;
}

/** The time of a step, also formatted for the rollout's status. */
interface Instant {
  readonly wall: number;
  readonly time: string;
}

/**
 * Computes one step of an entry's rollout: removes from the record the clusters whose move has ended, and admits as many clusters as the
 * budget and the gates allow.
 *
 * This function alone enforces the invariant: an admission never brings the clusters in flight above the budget, and no cluster is admitted
 * while more clusters have failed than `maxFailures` tolerates. Gates only prevent admissions, so they cannot break the invariant.
 */
export function decideStep(input: StepInput, now: Instant): StepDecision {
  const groups = input.groups.map((group) => placeGroup(input, group, now.wall));
  const gating = input.gates && askGates(input, groups, input.gates);
  const admissions = chooseAdmissions(input, groups, gating);
  const { back, budget, hold } = admissions;
  const counts = sumCounts(groups);
  const base = {
    groups,
    hold,
    hasTooManyFailures: budget.isExceeded,
    hasTooManyFailed: budget.isExceededForGood,
    joiners: admissions.joiners.map(({ cluster }) => cluster),
    heldElsewhere: new Set(
      groups.flatMap(({ retargets }) => retargets.map(({ cluster }) => cluster)).filter((one) => back.clusters.has(one)),
    ),
    holdsJoiners: hold !== undefined || back.holdsJoiners,
    gating,
    recheckAt: groups.reduce<number | undefined>((least, { recheckAt }) => earlier(least, recheckAt), gating?.recheckAt),
  };
  const inFlight = keptAdmissions(input, groups, now);
  for (const { cluster, retarget } of admissions.retargets) if (retarget) inFlight.set(cluster, retarget);
  if (input.strategy.type === 'All') {
    const step = admitAll(input, { groups, kept: inFlight, admissions, now });
    return { ...base, ...step, counts: step.admitsAll ? setOut(counts, counts.waiting - waitingIn(groups, step.except)) : counts };
  }
  const admitted = admissions.next;
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

/** The clusters that one step admits to the target. */
interface Admissions {
  /** The waiting clusters to admit, in order. */
  readonly next: readonly ObservedCluster[];
  /** The clusters in flight to an earlier target that are retargeted. */
  readonly retargets: readonly ObservedCluster[];
  /** Clusters without any content that get the last completed revision instead of the target. */
  readonly joiners: readonly ObservedCluster[];
  /** The clusters that gates hold. */
  readonly back: ReturnType<typeof withheld>;
  readonly budget: Budget;
  readonly hold: StepDecision['hold'];
}

/**
 * Combines pause, budget, failures and gates into the admissions of one step. The planner calls this function for every step of a run, so
 * plans follow every rule that is added here.
 */
export function chooseAdmissions(input: StepInput, groups: readonly PlacedGroup[], gating: GateAnswer | undefined): Admissions {
  const back = withheld(input, groups, gating);
  const isOpen = ({ cluster }: ObservedCluster): boolean => !back.clusters.has(cluster);
  const budget = nextClusters(input, groups, back.clusters);
  const hold = holdOf(input, budget, gating);
  const hasRetargets = groups.some((group) => group.retargets.length > 0);
  const retargets = hasRetargets ? groups.flatMap((group) => group.retargets.filter(isOpen)) : NO_CLUSTERS;
  const candidates = hold ? freshClusters(groups) : back.joiners;
  const joiners = candidates.length === 0 ? NO_CLUSTERS : candidates.slice(0, budget.room);
  const rest = { retargets, joiners, back, budget, hold };
  if (input.strategy.type !== 'All') return { next: hold ? NO_CLUSTERS : budget.next, ...rest };
  const isAllOpen = back.clusters.size === 0;
  const next = input.isPaused ? NO_CLUSTERS : groups.flatMap(({ waiting }) => (isAllOpen ? waiting : waiting.filter(isOpen)));
  return { next, ...rest };
}

const NO_CLUSTERS: readonly ObservedCluster[] = [];

function holdOf({ isPaused }: StepInput, { isExceeded }: Budget, gating: GateAnswer | undefined): StepDecision['hold'] {
  if (isPaused) return 'Paused';
  if (isExceeded) return 'TooManyFailures';
  return gating?.failure === undefined ? undefined : 'AnalysisFailed';
}

/** Evaluates the gates for the groups, in the order in which the strategy moves the groups. */
export function askGates(input: StepInput, groups: readonly PlacedGroup[], gates: Gates): GateAnswer {
  const { mandatory, rest } = inOrder(groups, input.strategy.type === 'All' ? [] : input.strategy.mandatoryGroups);
  return gates(gatedGroups(input, mandatory, rest));
}

/** Moves the clusters that this step admits from the waiting count to the progressing count. */
function setOut(counts: PlacedGroup['counts'], admitted: number): PlacedGroup['counts'] {
  return { ...counts, waiting: counts.waiting - admitted, progressing: counts.progressing + admitted };
}

/**
 * Returns the admissions that stay in the record. The admission of a parked cluster contains the time at which it was parked; if the
 * cluster becomes reachable again, its admission time is reset.
 */
function keptAdmissions({ wildcard }: StepInput, groups: readonly PlacedGroup[], now: Instant): Map<string, Admission> {
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

/** If an add-on becomes available after its move, its health counts from then on, so the add-on must stay available. */
function withHealth(admission: Admission, { report }: ObservedCluster): Admission {
  return admission.unhealthyBefore && report.isDone && report.isAvailable ? { ...admission, unhealthyBefore: false } : admission;
}

function parked(admission: Admission, { time }: Instant): Admission {
  return admission.parkedSince === undefined ? { ...admission, parkedSince: time } : admission;
}

function returned(admission: Admission, { wall, time }: Instant): Admission {
  return admission.parkedSince === undefined ? admission : { ...admission, admittedAt: time, since: wall, parkedSince: undefined };
}

function admit({ targetRevision, report }: ObservedCluster, { wall, time }: Instant): Admission {
  const unhealthyBefore = !report.isFresh && !report.isAvailable;
  return { revision: targetRevision, admittedAt: time, since: wall, unhealthyBefore, parkedSince: undefined };
}

interface AllStep {
  readonly groups: readonly PlacedGroup[];
  readonly kept: ReadonlyMap<string, Admission>;
  readonly admissions: Admissions;
  readonly now: Instant;
}

/**
 * Strategy All: a wildcard admission covers every cluster except those that gates hold. In addition, the record names clusters that are
 * parked, that were unhealthy before, or that were admitted later than the others because a gate held them.
 */
function admitAll(
  input: StepInput,
  { groups, kept, admissions, now }: AllStep,
): Pick<StepDecision, 'inFlight' | 'admitsAll' | 'admitted' | 'except'> {
  const { wildcard, isPaused, gates } = input;
  const moves = new Set([...admissions.next, ...admissions.retargets]);
  const candidates = groups.flatMap(({ waiting, retargets }) => [...waiting, ...retargets]);
  // While gates hold every waiting cluster, make no wildcard admission, because it would admit clusters that join.
  const isAllHeld = candidates.length > 0 && moves.size === 0;
  if (!wildcard && (isPaused || isAllHeld)) return { inFlight: kept, admitsAll: false, admitted: [], except: [] };
  // With gates, admit an unreachable cluster only when it is reachable again and no gate holds it.
  const skipsUnreachable = gates !== undefined || (wildcard !== undefined && isPaused);
  const unreachable = new Set(groups.flatMap(({ skipped }) => skipped));
  const outside = [...candidates, ...unreachable].filter((seen) => !wildcard || seen.isExcepted);
  const isLeftOut = (seen: ObservedCluster): boolean => (unreachable.has(seen) ? skipsUnreachable : !moves.has(seen));
  const except = outside.filter(isLeftOut);
  const excepted = new Set(except.map(({ cluster }) => cluster));
  const notable = new Map<string, Admission>();
  for (const { clusters } of input.groups) {
    for (const seen of clusters) {
      if (excepted.has(seen.cluster)) continue;
      const named = wildcard ? seen.admission && withHealth(seen.admission, seen) : seen.report.atTarget ? undefined : admit(seen, now);
      if (named?.unhealthyBefore) notable.set(seen.cluster, named);
    }
  }
  for (const [cluster, admission] of kept) {
    if (admission.unhealthyBefore || admission.parkedSince !== undefined || isLater(input, admission)) notable.set(cluster, admission);
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

/** Whether the cluster was admitted later than the others because a gate held it. Such a cluster has its own deadline. */
function isLater({ gates, wildcard }: StepInput, { admittedAt }: Admission): boolean {
  return gates !== undefined && wildcard !== undefined && admittedAt !== wildcard.admittedAt;
}

function waitingIn(groups: readonly PlacedGroup[], clusters: readonly string[]): number {
  if (clusters.length === 0) return 0;
  const named = new Set(clusters);
  return groups.reduce((sum, { waiting }) => sum + waiting.filter(({ cluster }) => named.has(cluster)).length, 0);
}

/** The clusters that the strategy would admit now. */
interface Budget {
  /** At most `room` clusters, in the order of the strategy. */
  readonly next: readonly ObservedCluster[];
  /** How many more clusters may be in flight. */
  readonly room: number;
  /** Whether more clusters have failed than the strategy tolerates; if so, no cluster is admitted. */
  readonly isExceeded: boolean;
  /** Like `isExceeded`, but does not count clusters that may recover. */
  readonly isExceededForGood: boolean;
}

/**
 * Mandatory groups come first, one at a time, and tolerate no failure. The other groups follow as the strategy specifies. Strategy All has
 * no budget, because its wildcard admission admits all clusters at once.
 */
function nextClusters(input: StepInput, groups: readonly PlacedGroup[], withheld: ReadonlySet<string>): Budget {
  const { type, mandatoryGroups } = input.strategy;
  if (type === 'All') return { next: [], room: sizeOf(groups), isExceeded: false, isExceededForGood: false };
  const { mandatory, rest } = inOrder(groups, mandatoryGroups);
  const isExceeded = hasTooMany(failures, input, groups, { mandatory, rest });
  const isExceededForGood = isExceeded && hasTooMany(({ failed }) => failed, input, groups, { mandatory, rest });
  const plan = groupByGroup(mandatory, groups, withheld) ?? restOf(input, rest, groups, withheld);
  return { ...plan, next: isExceeded ? [] : plan.next, isExceeded, isExceededForGood };
}

/** The groups that the strategy puts first, and the others. */
function inOrder(
  groups: readonly PlacedGroup[],
  mandatoryGroups: readonly MandatoryDecisionGroup[],
): { readonly mandatory: readonly PlacedGroup[]; readonly rest: readonly PlacedGroup[] } {
  if (mandatoryGroups.length === 0) return { mandatory: [], rest: groups };
  const mandatory = mandatoryIn(groups, mandatoryGroups);
  return { mandatory, rest: groups.filter((group) => !mandatory.includes(group)) };
}

type Plan = Pick<Budget, 'next' | 'room'>;

function sizeOf(groups: readonly PlacedGroup[]): number {
  return groups.reduce((sum, { clusters }) => sum + clusters.length, 0);
}

/** Decision groups may change during a rollout, so a failed cluster counts in the group to which it belongs now. */
function hasTooMany(
  failed: (counts: PlacedGroup['counts']) => number,
  { strategy: { type, maxFailures } }: StepInput,
  groups: readonly PlacedGroup[],
  { mandatory, rest }: { readonly mandatory: readonly PlacedGroup[]; readonly rest: readonly PlacedGroup[] },
): boolean {
  if (mandatory.some(({ counts }) => failed(counts) > 0)) return true;
  if (type === 'ProgressivePerGroup') {
    return rest.some(({ counts, clusters }) => failed(counts) > amountOf(maxFailures, clusters.length));
  }
  return groups.reduce((sum, { counts }) => sum + failed(counts), 0) > amountOf(maxFailures, sizeOf(groups));
}

function restOf(input: StepInput, rest: readonly PlacedGroup[], groups: readonly PlacedGroup[], withheld: ReadonlySet<string>): Plan {
  if (input.strategy.type === 'Progressive') return progressive(input, rest, withheld);
  return groupByGroup(rest, groups, withheld) ?? { next: [], room: sizeOf(rest) };
}

/**
 * Admits whole groups in order. The next group starts when no cluster of the previous group is waiting, progressing or soaking. Clusters
 * may move between groups, so a group starts only while no cluster of any other group is progressing or soaking. Returns undefined if all
 * groups have finished.
 */
function groupByGroup(candidates: readonly PlacedGroup[], groups: readonly PlacedGroup[], withheld: ReadonlySet<string>): Plan | undefined {
  const taken = groups.reduce((sum, { counts }) => sum + onTheWay(counts), 0);
  for (const group of candidates) {
    const size = group.clusters.length;
    const own = onTheWay(group.counts);
    const room = Math.max(0, size - taken);
    if (group.counts.waiting > 0) return { next: taken > own ? [] : firstInQueue([group], size, withheld), room };
    if (own > 0) return { next: [], room };
  }
  return undefined;
}

function progressive({ strategy, clustersPerGroup }: StepInput, groups: readonly PlacedGroup[], withheld: ReadonlySet<string>): Plan {
  const taken = groups.reduce((sum, { counts }) => sum + slotsTaken(counts), 0);
  const budget = amountOf(strategy.maxConcurrency ?? { count: clustersPerGroup }, sizeOf(groups));
  const room = Math.max(0, budget - taken);
  return { next: firstInQueue(groups, room, withheld), room };
}

/**
 * The waiting clusters to admit next. Clusters that gates hold are left out. They take no slot, but their group is not finished until they
 * have moved. Each group is already in queue order, so taking at most `room` clusters per group is enough.
 */
function firstInQueue(groups: readonly PlacedGroup[], room: number, withheld: ReadonlySet<string>): readonly ObservedCluster[] {
  const first: ObservedCluster[] = [];
  for (const { waiting } of groups) {
    let left = room;
    for (const seen of waiting) {
      if (left === 0) break;
      if (!seen.mayMove || withheld.has(seen.cluster)) continue;
      first.push(seen);
      left--;
    }
  }
  return first.sort(inQueue).slice(0, room);
}

/**
 * Compares by rank in an automatic way back. Otherwise clusters with a later revision come first (addons.md §5), and clusters of the same
 * kind are compared by name.
 */
function inQueue(a: ObservedCluster, b: ObservedCluster): number {
  const byRank = (a.wayBackRank ?? 0) - (b.wayBackRank ?? 0);
  if (byRank !== 0) return byRank;
  if (a.isReturning !== b.isReturning) return a.isReturning ? -1 : 1;
  return a.cluster < b.cluster ? -1 : 1;
}

/**
 * The mandatory groups in the order of their references. A reference with a name selects a group by name; a reference without a name
 * selects by index.
 */
function mandatoryIn(groups: readonly PlacedGroup[], refs: readonly MandatoryDecisionGroup[]): readonly PlacedGroup[] {
  const named = refs.flatMap((ref) =>
    groups.filter((group) => (ref.groupName ? ref.groupName === group.name : ref.groupIndex === group.index)),
  );
  return [...new Set(named)];
}
