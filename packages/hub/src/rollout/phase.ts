import type { Strategy } from './strategy.js';

/** What an add-on's own status says of one target. Most add-ons of a fleet say the same, so one value stands for many of them. */
export interface TargetReport {
  /** It has never been given any content. */
  readonly isFresh: boolean;
  /** It names the target already. */
  readonly atTarget: boolean;
  /** Everything the target calls for stands (addons.md §4, Done), for this target. */
  readonly isDone: boolean;
  readonly isAvailable: boolean;
  /** Health cannot tell anything about this move: a required dependency is missing, or nobody reports. */
  readonly isHealthSilent: boolean;
  /** Progressing says Failed, for this target. */
  readonly hasFailed: boolean;
}

/** That a cluster was let go, as the record tells it. */
export interface Admission {
  readonly revision: number;
  /** In the record's words. */
  readonly admittedAt: string;
  /** The same instant on the hub's clock, which no step of the wall clock moves. */
  readonly since: number;
  /** The add-on was not available when it was admitted and has not been since, so that its health says nothing about the move. */
  readonly unhealthyBefore: boolean;
  /** In the record's words. */
  readonly parkedSince: string | undefined;
}

/**
 * What the caches say of one cluster, relative to the target of its entry. Old news is safe: it can only take a cluster out of the record.
 * Instants are on the hub's clock, and worked out when they are asked for: of most clusters nobody ever asks.
 */
export interface ClusterObservation {
  readonly cluster: string;
  /** What its entry has for it. */
  readonly targetRevision: number;
  /** False while it is not certain that the cluster belongs to this entry: then it is not let go anywhere. */
  readonly mayMove: boolean;
  readonly said: TargetReport;
  /** The cluster is known not to answer, or is gone. */
  readonly isUnreachable: boolean;
  /** The record names it, for the target. */
  readonly admission: Admission | undefined;
  /** The record names it for another revision: it keeps its slot until it arrives there. */
  readonly isElsewhere: boolean;
  /** It has arrived there, and nothing but the record says that it has that revision: it stays in the record until its annotation does. */
  readonly isUnwritten?: boolean;
  /** It has arrived at a later revision than the target: on the way back it is admitted before clusters that never moved. */
  readonly isReturning: boolean;
  /** The hub has never given it any content. */
  readonly isNew: boolean;
  /** Since when it is both done and available. */
  readonly soakingSince: number;
  /** Since when it is done, whatever its health. */
  readonly doneSince: number;
  /** Since when it could have moved: it was let go, was there, and could be reached. */
  readonly movingSince: number;
  readonly unreachableSince: number;
  /** It could not be reached when everybody was let go: then it was not let go in earnest. */
  readonly hasMissedStar: boolean;
}

/**
 * Where one cluster stands in a rollout.
 * `waiting` has not been admitted; `skipped` neither, and is unreachable. `progressing`, `soaking` and `parked` are in flight, a parked one
 * without a slot. `failing` has failed but keeps its slot until its deadline, since failures mend themselves (docs/adr/0003). `failed` and
 * `succeeded` are out.
 */
export type Phase = 'waiting' | 'skipped' | 'progressing' | 'soaking' | 'parked' | 'failing' | 'failed' | 'succeeded';

export interface Standing {
  readonly phase: Phase;
  /** Succeeded without its health being asked. */
  readonly isUnhealthyBefore?: boolean;
  /** Wall time at which the phase may change by the clock alone. */
  readonly recheckAt?: number;
}

const WAITING: Standing = { phase: 'waiting' };
const SKIPPED: Standing = { phase: 'skipped' };
const PARKED: Standing = { phase: 'parked' };
const FAILED: Standing = { phase: 'failed' };
const SUCCEEDED: Standing = { phase: 'succeeded' };
const SUCCEEDED_UNASKED: Standing = { phase: 'succeeded', isUnhealthyBefore: true };
/** On its way, for as long as it takes. */
export const PROGRESSING: Standing = { phase: 'progressing' };

/** An admitted cluster that has been unreachable this long gives its slot back. */
export const PARK_AFTER_MS: number = 10 * 60_000;

/** Places one cluster. `admission` is undefined where the record does not name it, be it by itself or with everybody else. */
export function standingOf(seen: ClusterObservation, admission: Admission | undefined, strategy: Strategy, now: number): Standing {
  const { atTarget, isDone } = seen.said;
  if (!admission && !atTarget) return seen.isUnreachable ? SKIPPED : WAITING;
  if (atTarget && isDone) return soak(seen, admission, strategy, now);
  // It moved, left the record, and is not done: it failed or timed out before, and has not mended since.
  if (!admission) return FAILED;
  return moving(seen, admission, strategy, now);
}

/** minSuccessTime is always waited for (addons.md §5). */
function soak(seen: ClusterObservation, admission: Admission | undefined, strategy: Strategy, now: number): Standing {
  // A cluster that has left the record has passed its soak; what happens to its health later is not this rollout's business.
  if (!admission) return SUCCEEDED;
  const { isAvailable, isHealthSilent } = seen.said;
  // The time alone counts where health says nothing about the move.
  const isTimeAlone = !isAvailable && (admission.unhealthyBefore || isHealthSilent);
  if (!isAvailable && !isTimeAlone) return moving(seen, admission, strategy, now);
  const succeeded = isTimeAlone ? SUCCEEDED_UNASKED : SUCCEEDED;
  if (strategy.minSuccessMs === 0) return succeeded;
  const soakedAt = (isTimeAlone ? seen.doneSince : seen.soakingSince) + strategy.minSuccessMs;
  return now >= soakedAt ? succeeded : { phase: 'soaking', recheckAt: soakedAt };
}

function moving(seen: ClusterObservation, admission: Admission, { progressDeadlineMs }: Strategy, now: number): Standing {
  if (seen.isUnreachable) return unreachable(seen, admission, now);
  if (progressDeadlineMs === undefined) return seen.said.hasFailed ? FAILED : PROGRESSING;
  // One that comes back is given its time anew.
  const startedAt = admission.parkedSince === undefined ? seen.movingSince : now;
  const expiresAt = startedAt + progressDeadlineMs;
  if (now >= expiresAt) return FAILED;
  return { phase: seen.said.hasFailed ? 'failing' : 'progressing', recheckAt: expiresAt };
}

function unreachable(seen: ClusterObservation, admission: Admission, now: number): Standing {
  if (seen.hasMissedStar) return SKIPPED;
  if (admission.parkedSince !== undefined) return PARKED;
  const parkAt = Math.max(seen.unreachableSince, admission.since) + PARK_AFTER_MS;
  return now >= parkAt ? PARKED : { phase: 'progressing', recheckAt: parkAt };
}

/** Whether a phase keeps its cluster in the record. */
export function isInFlight(phase: Phase): boolean {
  return phase === 'progressing' || phase === 'soaking' || phase === 'parked' || phase === 'failing';
}
