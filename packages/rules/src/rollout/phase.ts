import { earliest } from '@outrigger/core';
import type { Strategy } from '../strategy/rollout-strategy.js';
import { failureOf, type RecordedFailure } from './admissions/failure.js';
import type { Admission, ObservedCluster, StepInput } from './input.js';

/**
 * The phase of one cluster in a rollout. `waiting`: not admitted. `skipped`: not admitted because it is unreachable. `progressing` and
 * `soaking`: in flight. `parked`: in flight without a slot. `failing`: has failed, but keeps its slot until its deadline, because it may
 * recover (docs/adr/0003). `failed` and `succeeded`: its move has ended. `recovering`: has failed, is done now, and soaks without a slot.
 */
export type Phase = 'waiting' | 'skipped' | 'progressing' | 'soaking' | 'parked' | 'failing' | 'failed' | 'recovering' | 'succeeded';

interface Standing {
  readonly phase: Phase;
  /** Whether the cluster succeeded without a check of its health. */
  readonly isUnhealthyBefore?: boolean;
  /** Wall time at which the phase may change even if no object changes. */
  readonly recheckAt?: number;
}

const WAITING: Standing = { phase: 'waiting' };
const SKIPPED: Standing = { phase: 'skipped' };
const PARKED: Standing = { phase: 'parked' };
const FAILED: Standing = { phase: 'failed' };
const SUCCEEDED: Standing = { phase: 'succeeded' };
const SUCCEEDED_UNASKED: Standing = { phase: 'succeeded', isUnhealthyBefore: true };
/** The phase of a cluster in flight whose rollout has no progressDeadline, so that no time limit ends the phase. */
const PROGRESSING: Standing = { phase: 'progressing' };

/** An admitted cluster that has been unreachable for this long is parked. */
const PARK_AFTER_MS = 10 * 60_000;

/**
 * Returns the phase of one cluster. `admission` is undefined if the record admits the cluster neither by name nor by a wildcard admission.
 */
function standingOf(seen: ObservedCluster, admission: Admission | undefined, strategy: Strategy, now: number): Standing {
  const { atTarget, isDone } = seen.report;
  if (!admission && !atTarget) return seen.isUnreachable ? SKIPPED : WAITING;
  if (atTarget && isDone) return soak(seen, admission, strategy, now);
  // The cluster moved, was removed from the record, and is not done. It therefore failed or timed out earlier and has not recovered.
  if (!admission) return FAILED;
  return moving(seen, admission, strategy, now);
}

/** A done cluster always soaks for minSuccessTime, whether its health is known or not, also after a failure (addons.md §5). */
function soak(seen: ObservedCluster, admission: Admission | undefined, strategy: Strategy, now: number): Standing {
  const { isAvailable, isHealthSilent } = seen.report;
  // A cluster that is neither in flight nor listed as failed has finished its soak. Its later health does not affect this rollout.
  if (!admission && !seen.recordedFailure) return SUCCEEDED;
  // If health does not count for the move, only the soak time does.
  const isUnasked = admission ? admission.unhealthyBefore || isHealthSilent : seen.recordedFailure === 'TimeAlone';
  const isTimeAlone = !isAvailable && isUnasked;
  if (!isAvailable && !isTimeAlone) return admission ? moving(seen, admission, strategy, now) : FAILED;
  const succeeded = isTimeAlone ? SUCCEEDED_UNASKED : SUCCEEDED;
  if (strategy.minSuccessMs === 0) return succeeded;
  const soakedAt = (isTimeAlone ? seen.doneSince : seen.soakingSince) + strategy.minSuccessMs;
  return now >= soakedAt ? succeeded : { phase: admission ? 'soaking' : 'recovering', recheckAt: soakedAt };
}

function moving(seen: ObservedCluster, admission: Admission, { progressDeadlineMs }: Strategy, now: number): Standing {
  if (seen.isUnreachable) return unreachable(seen, admission, now);
  if (progressDeadlineMs === undefined) return seen.report.hasFailed ? FAILED : PROGRESSING;
  // If the cluster was parked and is reachable again, its deadline starts again.
  const startedAt = admission.parkedSince === undefined ? seen.movingSince : now;
  const expiresAt = startedAt + progressDeadlineMs;
  if (now >= expiresAt) return FAILED;
  return { phase: seen.report.hasFailed ? 'failing' : 'progressing', recheckAt: expiresAt };
}

function unreachable(seen: ObservedCluster, admission: Admission, now: number): Standing {
  if (seen.hasMissedWildcard) return SKIPPED;
  if (admission.parkedSince !== undefined) return PARKED;
  const parkAt = Math.max(seen.unreachableSince, admission.since) + PARK_AFTER_MS;
  return now >= parkAt ? PARKED : { phase: 'progressing', recheckAt: parkAt };
}

/**
 * Returns the phase of a cluster that is in flight to an earlier target. The cluster keeps its slot. If the cluster is unreachable while a
 * gate prevents its admission to the current target, the step of the current target parks it, because no step runs for the earlier target
 * any more.
 */
function elsewhere(seen: ObservedCluster, now: number): Standing {
  if (!seen.retarget || !seen.isUnreachable) return PROGRESSING;
  const parkAt = seen.unreachableSince + PARK_AFTER_MS;
  return now >= parkAt ? PARKED : { phase: 'progressing', recheckAt: parkAt };
}

/** Whether a cluster in this phase stays in the record. */
function isInFlight(phase: Phase): boolean {
  return phase === 'progressing' || phase === 'soaking' || phase === 'parked' || phase === 'failing';
}

type Group = StepInput['groups'][number];

/** A group, with its clusters divided by phase. */
export interface PlacedGroup extends Group {
  readonly counts: Readonly<Record<Phase, number>>;
  /**
   * The waiting clusters. Clusters with a later revision come first, then the others, each in name order. In an automatic way back,
   * clusters are sorted by rank first.
   */
  readonly waiting: readonly ObservedCluster[];
  /** In name order. */
  readonly skipped: readonly ObservedCluster[];
  /** Clusters in flight to an earlier target that move to the current target if no gate holds them. */
  readonly retargets: readonly ObservedCluster[];
  readonly inFlight: readonly { readonly seen: ObservedCluster; readonly phase: Phase }[];
  /** The clusters that count as failed. The record lists them, because `inFlight` no longer does. */
  readonly failures: readonly { readonly seen: ObservedCluster; readonly as: RecordedFailure; readonly recheckAt: number | undefined }[];
  /** Clusters with a named admission that have succeeded; they are removed from the record. */
  readonly arrived: readonly ObservedCluster[];
  /** The number of clusters whose move this pass counts as succeeded without a health check. */
  readonly unhealthyBefore: number;
  /** Wall time at which the phase of a cluster may change even if no object changes. */
  readonly recheckAt: number | undefined;
}

/**
 * Determines the phase of every cluster in a group and counts the clusters per phase. This is the only loop over all clusters of the group;
 * later code visits only clusters that wait or move.
 */
export function placeGroup(input: StepInput, group: Group, now: number): PlacedGroup {
  const counts = noCounts();
  const waiting: ObservedCluster[] = [];
  const returning: ObservedCluster[] = [];
  const inFlight: { seen: ObservedCluster; phase: Phase }[] = [];
  const arrived: ObservedCluster[] = [];
  const failures: PlacedGroup['failures'][number][] = [];
  const skipped: ObservedCluster[] = [];
  const retargets: ObservedCluster[] = [];
  let unhealthyBefore = 0;
  let recheckAt: number | undefined;
  for (const seen of group.clusters) {
    const standing = placeCluster(input, seen, now);
    const { phase } = standing;
    counts[phase]++;
    if (phase === 'waiting') (seen.isReturning ? returning : waiting).push(seen);
    if (seen.retarget) retargets.push(seen);
    if (phase === 'skipped') skipped.push(seen);
    if (isInFlight(phase) || (phase === 'failed' && input.keepsFailed && seen.admission)) inFlight.push({ seen, phase });
    if (phase === 'succeeded' && seen.admission) arrived.push(seen);
    const as = phase === 'failed' || phase === 'recovering' ? failureOf(input, seen) : undefined;
    if (as) failures.push({ seen, as, recheckAt: standing.recheckAt });
    if (standing.isUnhealthyBefore) unhealthyBefore++;
    recheckAt = earliest(recheckAt, standing.recheckAt);
  }
  const queue = returning.length > 0 ? [...returning, ...waiting] : waiting;
  if (input.isAutomaticWayBack) queue.sort((a, b) => (a.wayBackRank ?? 0) - (b.wayBackRank ?? 0));
  return { counts, waiting: queue, skipped, retargets, inFlight, arrived, failures, unhealthyBefore, recheckAt, ...group };
}

/** The phase of one cluster of an entry. */
export function placeCluster(
  input: Pick<StepInput, 'hasCompleted' | 'wildcard' | 'strategy'>,
  seen: ObservedCluster,
  now: number,
): Standing {
  if (seen.isElsewhere) return elsewhere(seen, now);
  const isPast = input.hasCompleted && seen.admission === undefined && seen.report.isDone;
  const wildcard = seen.isExcepted ? undefined : input.wildcard;
  return standingOf(seen, isPast ? undefined : (seen.admission ?? wildcard), input.strategy, now);
}

function noCounts(): Record<Phase, number> {
  return { waiting: 0, skipped: 0, progressing: 0, soaking: 0, parked: 0, failing: 0, failed: 0, recovering: 0, succeeded: 0 };
}

export function sumCounts(groups: readonly PlacedGroup[]): Record<Phase, number> {
  const sum = noCounts();
  for (const { counts } of groups) for (const phase of Object.keys(sum) as Phase[]) sum[phase] += counts[phase];
  return sum;
}

export function failures(counts: PlacedGroup['counts']): number {
  return counts.failed + counts.failing + counts.recovering;
}

/** The number of slots of the budget that are taken. */
export function slotsTaken(counts: PlacedGroup['counts']): number {
  return counts.progressing + counts.soaking + counts.failing;
}

/** The number of clusters of a group that must finish before the next group starts. */
export function onTheWay(counts: PlacedGroup['counts']): number {
  return counts.progressing + counts.soaking;
}
