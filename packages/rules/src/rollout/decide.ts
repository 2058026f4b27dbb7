import { earliest } from '@outrigger/core';
import { admit, type Instant, parked, returned, withHealth } from './admissions/admission.js';
import { type Budget, inOrder, nextClusters } from './admissions/budget.js';
import { admitAll, waitingIn } from './admissions/wildcard.js';
import { type GateAnswer, type Gates, gatedGroups, joiningClusters, withheld } from './gates/gates.js';
import type { Admission, ObservedCluster, StepInput } from './input.js';
import { type PlacedGroup, placeGroup, sumCounts } from './phase.js';

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
   * Joining clusters that get the last completed revision while the rollout is paused, halted or held by a gate; at most as many as the
   * budget allows.
   */
  readonly joiners: readonly string[];
  /** Clusters in flight to an earlier target that a gate holds. They are not retargeted and continue to the earlier target. */
  readonly heldElsewhere: ReadonlySet<string>;
  /** Whether clusters that were admitted to the last completed revision when they joined continue to that revision. */
  readonly holdsJoiners: boolean;
  /** The result of evaluating the gates, if a policy governs the add-on. */
  readonly gating?: GateAnswer | undefined;
  /** Whether more clusters have failed than the strategy tolerates. Also set while the rollout is paused. */
  readonly hasTooManyFailures: boolean;
  /**
   * Whether more clusters are `failed` than maxFailures tolerates. Clusters that are `failing` are not counted, because they may recover.
   */
  readonly hasTooManyFailed: boolean;
  /** The reason why no further cluster is admitted; undefined if there is none. */
  readonly hold: 'Paused' | 'TooManyFailures' | 'AnalysisFailed' | undefined;
  readonly recheckAt: number | undefined;
}

/**
 * Computes one step of an entry's rollout: removes from the record the clusters whose move has ended, and admits as many clusters as the
 * budget and the gates allow.
 *
 * This function alone enforces the invariant: an admission never brings the number of clusters in flight above the budget, and no cluster
 * is admitted while more clusters have failed than `maxFailures` tolerates. Gates only prevent admissions, so they cannot break the
 * invariant.
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
    recheckAt: earliest(gating?.recheckAt, ...groups.map(({ recheckAt }) => recheckAt)),
  };
  const inFlight = keptAdmissions(input, groups, now);
  const parkedClusters = new Set(
    groups.flatMap((group) => group.inFlight.filter(({ phase }) => phase === 'parked').map(({ seen }) => seen)),
  );
  for (const seen of admissions.retargets) {
    // A parked cluster has no slot, so the record must say that it is parked.
    if (seen.retarget) inFlight.set(seen.cluster, parkedClusters.has(seen) ? parked(seen.retarget, now) : seen.retarget);
  }
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
  /** Joining clusters that get the last completed revision instead of the target. */
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
  const candidates = hold ? joiningClusters(groups, gating) : back.joiners;
  // A step that admits clusters to the target may use the whole budget, so joining clusters get the last completed revision in another
  // step.
  const hasRoom = candidates.length > 0 && (hold !== undefined || budget.next.length === 0);
  const joiners = hasRoom ? candidates.slice(0, budget.room) : NO_CLUSTERS;
  const common = { retargets, joiners, back, budget, hold };
  if (input.strategy.type !== 'All') return { next: hold ? NO_CLUSTERS : budget.next, ...common };
  const mayMove = (seen: ObservedCluster): boolean => seen.mayMove && isOpen(seen);
  const next = input.isPaused ? NO_CLUSTERS : groups.flatMap(({ waiting }) => (waiting.every(mayMove) ? waiting : waiting.filter(mayMove)));
  return { next, ...common };
}

const NO_CLUSTERS: readonly ObservedCluster[] = [];

function holdOf({ isPaused }: StepInput, { isExceeded }: Budget, gating: GateAnswer | undefined): StepDecision['hold'] {
  if (isPaused) return 'Paused';
  if (isExceeded) return 'TooManyFailures';
  return gating?.failure === undefined ? undefined : 'AnalysisFailed';
}

/** Evaluates the gates for the groups, in the order in which the strategy admits the groups. */
export function askGates(input: StepInput, groups: readonly PlacedGroup[], gates: Gates): GateAnswer {
  const { mandatory, optional } = inOrder(groups, input.strategy.type === 'All' ? [] : input.strategy.mandatoryGroups);
  return gates(gatedGroups(input, mandatory, optional));
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
