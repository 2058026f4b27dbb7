import type { Behavior } from './behavior.js';
import type { Rollout } from './rollout.js';
import type { SimulatedKind } from './simulated-kinds.js';
import type { Workload } from './workload-status.js';

interface Tracked {
  readonly uid: string;
  readonly rollout: Rollout;
  readonly isComplete: boolean;
}

export interface Sighting {
  readonly key: string;
  readonly workload: Workload;
  readonly simulated: SimulatedKind;
  readonly behavior: Behavior;
  readonly nodeCount: number;
  readonly now: number;
}

/** Tracks how long each workload has been at its current generation with its current simulated behavior. */
export class RolloutTracker {
  readonly #tracked = new Map<string, Tracked>();

  rolloutOf(sighting: Sighting): Rollout {
    const { key, workload } = sighting;
    const uid = workload.metadata.uid ?? '';
    const known = this.#tracked.get(key);
    const rollout = known?.uid === uid ? continued(known, sighting) : found(sighting);
    if (rollout !== known?.rollout) this.#tracked.set(key, { uid, rollout, isComplete: rollout.hadCompleted });
    return rollout;
  }

  markComplete(key: string): void {
    const known = this.#tracked.get(key);
    if (known && !known.isComplete) this.#tracked.set(key, { ...known, isComplete: true });
  }

  /** Whether the rollout of the current generation has completed, with the current behavior or with an earlier one. */
  hasCompleted(key: string): boolean {
    return this.#tracked.get(key)?.isComplete ?? false;
  }

  forget(key: string): void {
    this.#tracked.delete(key);
  }
}

function continued({ rollout, isComplete }: Tracked, { workload, simulated, behavior, now }: Sighting): Rollout {
  const generation = generationOf(workload);
  if (generation !== rollout.generation) {
    return { generation, behavior, startedAt: now, readyBefore: simulated.ready(workload.status ?? {}), hadCompleted: false };
  }
  return behavior === rollout.behavior ? rollout : { ...rollout, behavior, startedAt: now, hadCompleted: isComplete };
}

/**
 * Starts the rollout of a workload that the simulation observes for the first time. If the simulation was restarted during a rollout, some
 * replicas may already be ready, and they stay ready.
 */
function found({ workload, simulated, behavior, nodeCount, now }: Sighting): Rollout {
  const generation = generationOf(workload);
  const status = workload.status ?? {};
  const ready = simulated.ready(status);
  const isDone = status.observedGeneration === generation && ready >= simulated.desired(workload, nodeCount);
  const startedAt = isDone ? Number.NEGATIVE_INFINITY : now;
  return { generation, behavior, startedAt, readyBefore: isDone ? 0 : ready, hadCompleted: isDone };
}

function generationOf({ metadata }: Workload): number {
  return metadata.generation ?? 1;
}
