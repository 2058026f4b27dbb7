import type { Strategy } from '../strategy/rollout-strategy.js';

/** The meaning of an add-on's status for one target. Most add-ons of a fleet have equal statuses, so many of them share one value. */
export interface TargetReport {
  /** It reports no config yet: no content was ever assigned to it. */
  readonly isFresh: boolean;
  /** The status names the target. */
  readonly atTarget: boolean;
  /** The cluster is done with this target (addons.md §4, Done). */
  readonly isDone: boolean;
  readonly isAvailable: boolean;
  /** Its health is not relevant to this move: a required dependency is missing, or health is not reported. */
  readonly isHealthSilent: boolean;
  /** The Progressing condition reports Failed for this target. */
  readonly hasFailed: boolean;
}

/** The recorded admission of a cluster. */
export interface Admission {
  readonly revision: number;
  /** As written in the record. */
  readonly admittedAt: string;
  /** The same time on the hub's clock, which steps of the wall clock do not affect. */
  readonly since: number;
  /** The add-on was not available when it was admitted, nor since, so its health is not relevant to the move. */
  readonly unhealthyBefore: boolean;
  /** As written in the record. */
  readonly parkedSince: string | undefined;
}

/**
 * The cached state of one cluster, relative to the target of its entry. Stale caches are safe: they can only remove a cluster from the
 * record. Times are on the hub's clock, and computed on access, since most clusters never need them.
 */
export interface ClusterObservation {
  readonly cluster: string;
  /** The revision that the entry assigns to this cluster. */
  readonly targetRevision: number;
  /** False while it is uncertain whether the cluster belongs to this entry: then it is not admitted. */
  readonly mayMove: boolean;
  readonly report: TargetReport;
  /** The cluster is known to be unreachable, or no longer exists. */
  readonly isUnreachable: boolean;
  /** The admission, if the record names the cluster for the target. */
  readonly admission: Admission | undefined;
  /** The record names the cluster for another revision: it keeps its slot until it is done with that revision. */
  readonly isElsewhere: boolean;
  /** It is done with that revision, but its annotation does not name that revision yet: the cluster stays in the record until it does. */
  readonly isUnwritten?: boolean;
  /** It has a later revision than the target: in a rollback it is admitted before clusters that never moved. */
  readonly isReturning: boolean;
  /** The hub has never assigned content to it. */
  readonly isNew: boolean;
  /** The time since which it has been both done and available. */
  readonly soakingSince: number;
  /** The time since which it has been done, regardless of its health. */
  readonly doneSince: number;
  /** The time since which it could move: it was admitted, its add-on existed, and it was reachable. */
  readonly movingSince: number;
  readonly unreachableSince: number;
  /** It is in flight to an earlier target, and this admission would retarget it, if the gates allow it. */
  readonly retarget?: Admission | undefined;
  /** A gate held it when the others were admitted by the wildcard admission, and it has not been admitted since. */
  readonly isExcepted?: boolean;
  /** It was unreachable at the time of the wildcard admission, so it is treated as not admitted. */
  readonly hasMissedWildcard: boolean;
  /** From its admission until it reported the target as done, computed from the stored times; undefined if one of them is not known. */
  readonly movedSeconds?: number | undefined;
}

/**
 * The phase of one cluster in a rollout. `waiting`: not admitted. `skipped`: not admitted because it is unreachable. `progressing`,
 * `soaking` and `parked` are in flight, `parked` without a slot. `failing` has failed but keeps its slot until its deadline, since a
 * failure may resolve itself (docs/adr/0003). `failed` and `succeeded` have ended.
 */
export type Phase = 'waiting' | 'skipped' | 'progressing' | 'soaking' | 'parked' | 'failing' | 'failed' | 'succeeded';

export interface Standing {
  readonly phase: Phase;
  /** Succeeded without a check of its health. */
  readonly isUnhealthyBefore?: boolean;
  /** Wall time at which the phase may change through the passage of time alone. */
  readonly recheckAt?: number;
}

const WAITING: Standing = { phase: 'waiting' };
const SKIPPED: Standing = { phase: 'skipped' };
const PARKED: Standing = { phase: 'parked' };
const FAILED: Standing = { phase: 'failed' };
const SUCCEEDED: Standing = { phase: 'succeeded' };
const SUCCEEDED_UNASKED: Standing = { phase: 'succeeded', isUnhealthyBefore: true };
/** In flight, without a time limit. */
export const PROGRESSING: Standing = { phase: 'progressing' };

/** An admitted cluster that has been unreachable for this long is parked. */
export const PARK_AFTER_MS: number = 10 * 60_000;

/** Returns the phase of one cluster. `admission` is undefined if the record admits it neither by name nor by a wildcard. */
export function standingOf(seen: ClusterObservation, admission: Admission | undefined, strategy: Strategy, now: number): Standing {
  const { atTarget, isDone } = seen.report;
  if (!admission && !atTarget) return seen.isUnreachable ? SKIPPED : WAITING;
  if (atTarget && isDone) return soak(seen, admission, strategy, now);
  // It moved, was removed from the record, and is not done: it failed or timed out earlier, and has not recovered.
  if (!admission) return FAILED;
  return moving(seen, admission, strategy, now);
}

/** A done cluster always soaks for minSuccessTime, whether its health is known or not (addons.md §5). */
function soak(seen: ClusterObservation, admission: Admission | undefined, strategy: Strategy, now: number): Standing {
  // A cluster that was removed from the record has finished its soak; this rollout ignores its later health.
  if (!admission) return SUCCEEDED;
  const { isAvailable, isHealthSilent } = seen.report;
  // If health is not relevant to the move, only the soak time is checked.
  const isTimeAlone = !isAvailable && (admission.unhealthyBefore || isHealthSilent);
  if (!isAvailable && !isTimeAlone) return moving(seen, admission, strategy, now);
  const succeeded = isTimeAlone ? SUCCEEDED_UNASKED : SUCCEEDED;
  if (strategy.minSuccessMs === 0) return succeeded;
  const soakedAt = (isTimeAlone ? seen.doneSince : seen.soakingSince) + strategy.minSuccessMs;
  return now >= soakedAt ? succeeded : { phase: 'soaking', recheckAt: soakedAt };
}

function moving(seen: ClusterObservation, admission: Admission, { progressDeadlineMs }: Strategy, now: number): Standing {
  if (seen.isUnreachable) return unreachable(seen, admission, now);
  if (progressDeadlineMs === undefined) return seen.report.hasFailed ? FAILED : PROGRESSING;
  // For a cluster that was parked and is reachable again, the deadline is reset.
  const startedAt = admission.parkedSince === undefined ? seen.movingSince : now;
  const expiresAt = startedAt + progressDeadlineMs;
  if (now >= expiresAt) return FAILED;
  return { phase: seen.report.hasFailed ? 'failing' : 'progressing', recheckAt: expiresAt };
}

function unreachable(seen: ClusterObservation, admission: Admission, now: number): Standing {
  if (seen.hasMissedWildcard) return SKIPPED;
  if (admission.parkedSince !== undefined) return PARKED;
  const parkAt = Math.max(seen.unreachableSince, admission.since) + PARK_AFTER_MS;
  return now >= parkAt ? PARKED : { phase: 'progressing', recheckAt: parkAt };
}

/** Whether a cluster in this phase stays in the record. */
export function isInFlight(phase: Phase): boolean {
  return phase === 'progressing' || phase === 'soaking' || phase === 'parked' || phase === 'failing';
}
