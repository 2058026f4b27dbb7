import type { Strategy } from './strategy.js';

/** What the caches say of one cluster, relative to the target of its entry. Old news is safe: it can only take a cluster out of the record. */
export interface ClusterObservation {
  readonly cluster: string;
  /** When its add-on was created; undefined while it is not there yet. */
  readonly createdAt: number | undefined;
  /** It has never been given any content. */
  readonly isFresh: boolean;
  /** False while it is not certain that the cluster belongs to this entry: then it is not let go anywhere. */
  readonly mayMove: boolean;
  /** The add-on's own status names the target already. */
  readonly atTarget: boolean;
  /** Everything the target calls for stands (addons.md §4, Done), for this target. */
  readonly isDone: boolean;
  /** When it was done, in milliseconds of wall time; undefined while it is not. */
  readonly doneAt: number | undefined;
  readonly isAvailable: boolean;
  /** Since when Available is True, undefined while it is not. */
  readonly availableSince: number | undefined;
  /** Health cannot tell anything about this move: a required dependency is missing, or nobody reports. */
  readonly isHealthSilent: boolean;
  /** Progressing says Failed, for this target. */
  readonly hasFailed: boolean;
  /** Since when the cluster itself is unreachable; undefined while it is reachable, or says nothing about it. */
  readonly unreachableSince: number | undefined;
  /** Since when it is reachable, where it says so. */
  readonly reachableSince: number | undefined;
}

/** That a cluster was let go, as the record tells it. */
export interface Admission {
  readonly at: number;
  /** The add-on was not available when it was let go, so that its health tells nothing about the move. */
  readonly unhealthyBefore: boolean;
  readonly parkedSince: number | undefined;
  /** Let go with everybody else by a `*`. */
  readonly isByStar: boolean;
}

/**
 * Where one cluster stands in a rollout.
 * `waiting` has not been admitted; `skipped` neither, and is unreachable. `progressing`, `soaking` and `parked` are in flight, a parked one
 * without a slot. `failing` has failed but keeps its slot until its deadline, since failures mend themselves (docs/adr/0003). `failed` and
 * `succeeded` are out.
 */
export type Phase = 'waiting' | 'skipped' | 'progressing' | 'soaking' | 'parked' | 'failing' | 'failed' | 'succeeded';

export interface Standing {
  readonly cluster: string;
  readonly phase: Phase;
  /** Succeeded without its health being asked. */
  readonly isUnhealthyBefore?: boolean;
  /** Wall time at which the phase may change by the clock alone. */
  readonly recheckAt?: number;
}

/** An admitted cluster that has been unreachable this long gives its slot back. */
export const PARK_AFTER_MS: number = 10 * 60_000;

/** Places one cluster. `admission` is undefined where the record does not name it. */
export function standingOf(seen: ClusterObservation, admission: Admission | undefined, strategy: Strategy, now: number): Standing {
  const { cluster } = seen;
  if (!admission && !seen.atTarget) return { cluster, phase: seen.unreachableSince === undefined ? 'waiting' : 'skipped' };
  if (seen.atTarget && seen.isDone) return soak(seen, admission, strategy, now);
  // It moved, left the record, and is not done: it failed or timed out before, and has not mended since.
  if (!admission) return { cluster, phase: 'failed' };
  return moving(seen, admission, strategy, now);
}

function soak(seen: ClusterObservation, admission: Admission | undefined, strategy: Strategy, now: number): Standing {
  const { cluster } = seen;
  // A cluster that has left the record has passed its soak; what happens to its health later is not this rollout's business.
  if (!admission) return { cluster, phase: 'succeeded' };
  if (admission.unhealthyBefore || seen.isHealthSilent) return { cluster, phase: 'succeeded', isUnhealthyBefore: true };
  if (seen.availableSince === undefined) return moving(seen, admission, strategy, now);
  // Times ahead of ours were written before the clock was stepped back: that must not hold up who need not soak at all.
  if (strategy.minSuccessMs === 0) return { cluster, phase: 'succeeded' };
  const soakedAt = Math.max(seen.doneAt ?? now, seen.availableSince) + strategy.minSuccessMs;
  return now >= soakedAt ? { cluster, phase: 'succeeded' } : { cluster, phase: 'soaking', recheckAt: soakedAt };
}

function moving(seen: ClusterObservation, admission: Admission, strategy: Strategy, now: number): Standing {
  const { cluster } = seen;
  if (seen.unreachableSince !== undefined) return unreachable(cluster, seen.unreachableSince, admission, now);
  const expiresAt = strategy.progressDeadlineMs === undefined ? undefined : startedAt(seen, admission, now) + strategy.progressDeadlineMs;
  if (expiresAt !== undefined && now >= expiresAt) return { cluster, phase: 'failed' };
  if (seen.hasFailed) return expiresAt === undefined ? { cluster, phase: 'failed' } : { cluster, phase: 'failing', recheckAt: expiresAt };
  return { cluster, phase: 'progressing', ...(expiresAt === undefined ? {} : { recheckAt: expiresAt }) };
}

function unreachable(cluster: string, since: number, admission: Admission, now: number): Standing {
  // A star also names clusters that were away when it was given: those were never let go in earnest.
  if (admission.isByStar && since <= admission.at) return { cluster, phase: 'skipped' };
  const parkAt = Math.max(since, admission.at) + PARK_AFTER_MS;
  if (admission.parkedSince !== undefined || now >= parkAt) return { cluster, phase: 'parked' };
  return { cluster, phase: 'progressing', recheckAt: parkAt };
}

/** Since when a cluster could have moved: one that comes back is given its time anew. */
function startedAt(seen: ClusterObservation, { at, parkedSince, isByStar }: Admission, now: number): number {
  if (parkedSince !== undefined) return now;
  return isByStar ? Math.max(at, seen.reachableSince ?? at) : at;
}

/** Whether a phase keeps its cluster in the record. */
export function isInFlight(phase: Phase): boolean {
  return phase === 'progressing' || phase === 'soaking' || phase === 'parked' || phase === 'failing';
}

/** Whether a phase takes one of the budget's slots. */
export function takesSlot(phase: Phase): boolean {
  return isInFlight(phase) && phase !== 'parked';
}

export function isFailure(phase: Phase): boolean {
  return phase === 'failed' || phase === 'failing';
}
