import type { Behavior } from './behavior.js';

const SLOW_FACTOR = 10;

/**
 * The rollout of one generation of a workload with one behavior. It starts when the simulation first observes the generation together with
 * the behavior.
 */
export interface Rollout {
  readonly generation: number;
  readonly behavior: Behavior;
  readonly startedAt: number;
  /** The number of ready replicas of the previous generation. These replicas keep running until new replicas are ready. */
  readonly readyBefore: number;
  /** Whether this generation completed with an earlier behavior. If so, a later problem does not make the rollout fail. */
  readonly hadCompleted: boolean;
}

export interface Timing {
  readonly readyAfterMs: number;
  /** The progress deadline; absent for kinds without one. */
  readonly deadlineMs?: number;
  /** Whether an update removes an old replica before it starts the new one, as that of a DaemonSet or a StatefulSet does. */
  readonly isReplacing?: boolean;
}

export type Phase = 'progressing' | 'complete' | 'timedOut' | 'broken';

export interface Progress {
  readonly phase: Phase;
  readonly replicas: number;
  readonly updated: number;
  readonly ready: number;
  /** The time at which the progress changes next if the workload does not change; undefined if the progress is final. */
  readonly nextAt?: number;
}

/**
 * Returns the progress of a rollout at `now`. A rollout is complete when its duration has passed and its pods are ready. `readyPods` is
 * omitted for a workload whose pods are not simulated.
 */
export function progressOf(rollout: Rollout, desired: number, now: number, timing: Timing, readyPods: number = desired): Progress {
  const { behavior, startedAt, hadCompleted } = rollout;
  if (desired === 0) return { phase: 'complete', replicas: 0, updated: 0, ready: 0 };
  const readyAt = startedAt + timing.readyAfterMs * (behavior === 'slow' ? SLOW_FACTOR : 1);
  const recovers = behavior === 'ready' || behavior === 'slow';
  const isDue = recovers && now >= readyAt;
  if (isDue && readyPods >= desired) return { phase: 'complete', replicas: desired, updated: desired, ready: desired };
  if (hadCompleted) {
    const broken = { phase: 'broken', replicas: desired, updated: desired, ready: isDue ? readyPods : 0 } as const;
    return recovers && !isDue ? { ...broken, nextAt: readyAt } : broken;
  }

  const deadlineAt = behavior === 'fail' ? readyAt : startedAt + (timing.deadlineMs ?? Number.POSITIVE_INFINITY);
  const phase = now >= deadlineAt ? 'timedOut' : 'progressing';
  const nextAt = Math.min(...[recovers ? readyAt : Number.POSITIVE_INFINITY, deadlineAt].filter((at) => at > now));
  const counts = timing.isReplacing ? replacement(rollout.readyBefore, desired) : surge(rollout.readyBefore, desired);
  return { phase, ...counts, ...(Number.isFinite(nextAt) ? { nextAt } : {}) };
}

/** The replica counts during a rolling update that replaces one replica at a time. The new replica is not ready yet. */
function replacement(readyBefore: number, desired: number): { replicas: number; updated: number; ready: number } {
  if (readyBefore === 0) return { replicas: desired, updated: desired, ready: 0 };
  return { replicas: desired, updated: 1, ready: Math.min(readyBefore, desired - 1) };
}

/**
 * The replica counts during a rolling update, which keeps the old replicas until a new one is ready. A first rollout has no old replicas.
 */
function surge(readyBefore: number, desired: number): { replicas: number; updated: number; ready: number } {
  if (readyBefore === 0) return { replicas: desired, updated: desired, ready: 0 };
  const kept = Math.min(readyBefore, desired);
  return { replicas: kept + 1, updated: 1, ready: kept };
}
