import type { Strategy } from './strategy.js';

/** What the caches say of one cluster, relative to the target of its entry. Old news is safe: it can only take a cluster out of the record. */
export interface ClusterObservation {
  readonly cluster: string;
  /** When its add-on was created; undefined while it is not there yet. */
  readonly createdAt: number | undefined;
  /** The add-on's own status names the target already. */
  readonly atTarget: boolean;
  /** Everything the target calls for stands (addons.md §4, Done), for this target. */
  readonly isDone: boolean;
  /** When it was done, in milliseconds of wall time; undefined while it is not. */
  readonly doneAt: number | undefined;
  /** Since when Available is True, undefined while it is not. */
  readonly availableSince: number | undefined;
  /** Health cannot tell anything about this move: not available before it, a required dependency missing, or nobody reports. */
  readonly isUnhealthyBefore: boolean;
  /** Progressing says Failed, for this target. */
  readonly hasFailed: boolean;
  /** Since when the cluster itself is unreachable; undefined while it is reachable, or says nothing about it. */
  readonly unreachableSince: number | undefined;
}

/**
 * Where one cluster stands in a rollout.
 * `waiting` has not been admitted; `skipped` neither, and is unreachable. `progressing`, `soaking` and `parked` are in flight, a parked one
 * without a slot. `failing` has failed but keeps its slot until its deadline, since failures mend themselves. `failed` and `succeeded` are out.
 */
export type Phase = 'waiting' | 'skipped' | 'progressing' | 'soaking' | 'parked' | 'failing' | 'failed' | 'succeeded';

export interface Standing {
  readonly cluster: string;
  readonly phase: Phase;
  /** Wall time at which the phase may change by the clock alone. */
  readonly recheckAt?: number;
}

/** An admitted cluster that has been unreachable this long gives its slot back. */
export const PARK_AFTER_MS: number = 10 * 60_000;

/** Places one cluster. `admittedAt` is undefined where the record does not name it. */
export function standingOf(seen: ClusterObservation, admittedAt: number | undefined, strategy: Strategy, now: number): Standing {
  const { cluster } = seen;
  if (admittedAt === undefined && !seen.atTarget) {
    return { cluster, phase: seen.unreachableSince === undefined ? 'waiting' : 'skipped' };
  }
  if (seen.atTarget && seen.isDone) return soak(seen, admittedAt, strategy, now);
  if (admittedAt === undefined) {
    // It moved, left the record, and is not done: it failed or timed out before, and has not mended since.
    return { cluster, phase: 'failed' };
  }
  return moving(seen, admittedAt, strategy, now);
}

function soak(seen: ClusterObservation, admittedAt: number | undefined, strategy: Strategy, now: number): Standing {
  const { cluster } = seen;
  // A cluster that has left the record has passed its soak; what happens to its health later is not this rollout's business.
  if (admittedAt === undefined || seen.isUnhealthyBefore) return { cluster, phase: 'succeeded' };
  if (seen.availableSince === undefined) return moving(seen, admittedAt, strategy, now);
  const soakedAt = Math.max(seen.doneAt ?? now, seen.availableSince) + strategy.minSuccessMs;
  return now >= soakedAt ? { cluster, phase: 'succeeded' } : { cluster, phase: 'soaking', recheckAt: soakedAt };
}

function moving(seen: ClusterObservation, admittedAt: number, strategy: Strategy, now: number): Standing {
  const { cluster } = seen;
  const expiresAt = strategy.progressDeadlineMs === undefined ? undefined : admittedAt + strategy.progressDeadlineMs;
  if (seen.unreachableSince !== undefined) {
    const parkAt = Math.max(seen.unreachableSince, admittedAt) + PARK_AFTER_MS;
    if (now >= parkAt) return { cluster, phase: 'parked' };
    return { cluster, phase: 'progressing', recheckAt: parkAt };
  }
  if (expiresAt !== undefined && now >= expiresAt) return { cluster, phase: 'failed' };
  if (seen.hasFailed) return expiresAt === undefined ? { cluster, phase: 'failed' } : { cluster, phase: 'failing', recheckAt: expiresAt };
  return { cluster, phase: 'progressing', ...(expiresAt === undefined ? {} : { recheckAt: expiresAt }) };
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
