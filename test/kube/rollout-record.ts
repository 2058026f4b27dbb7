import { type AddOnRollout, type ManifestWork, addOnRollouts, manifestWorks } from '@outrigger/api';
import type { Kind, KubeObject } from '@outrigger/core';
import type { Client } from '@outrigger/kube';

export interface Recording<T> {
  /** Every state that was seen, in order; stops looking. */
  stop(): Promise<readonly T[]>;
}

/** Keeps every state the objects of a kind go through from now on. */
export async function recordStates<T extends KubeObject>(hub: Client, kind: Kind<T>): Promise<Recording<T>> {
  const states: T[] = [];
  const stopping = new AbortController();
  const { metadata } = await hub.list(kind, {});
  const watching = (async () => {
    try {
      const from = metadata.resourceVersion ? { resourceVersion: metadata.resourceVersion } : {};
      for await (const { object } of hub.watch(kind, { ...from, signal: stopping.signal })) states.push(object);
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
    }
  })();
  // Told by `stop`, not as a rejection nobody waits for.
  watching.catch(() => undefined);
  return {
    async stop() {
      stopping.abort();
      await watching;
      return states;
    },
  };
}

export const recordRollouts = (hub: Client): Promise<Recording<AddOnRollout>> => recordStates(hub, addOnRollouts);
export const recordWorks = (hub: Client): Promise<Recording<ManifestWork>> => recordStates(hub, manifestWorks);

/** Replays the record of an add-on with one entry: who was let go when, how many at once, and whether anybody twice. */
export function budgetViolations(states: readonly AddOnRollout[], budget: number): readonly string[] {
  const found: string[] = [];
  const admittedTo = new Map<string, number>();
  let before = new Set<string>();
  for (const { status } of states) {
    const [entry] = status?.entries ?? [];
    const now = new Set((entry?.inFlight ?? []).map(({ cluster }) => cluster));
    const admitted = [...now].filter((cluster) => !before.has(cluster));
    if (admitted.length > 0 && now.size > budget) found.push(`${[...now].join()} in flight`);
    for (const cluster of admitted) {
      if (admittedTo.get(cluster) === entry?.targetRevision) found.push(`${cluster} let go twice to ${entry?.targetRevision}`);
      admittedTo.set(cluster, entry?.targetRevision ?? 0);
    }
    before = now;
  }
  return found;
}

/**
 * Works that got a content before the record let their cluster go to it. On a real server resource versions order the writes of all kinds, so
 * two watches can be laid side by side.
 */
export function unrecordedMoves(
  rollouts: readonly AddOnRollout[],
  works: readonly ManifestWork[],
  isMoved: (work: ManifestWork) => boolean,
  revision: number,
): readonly string[] {
  const at = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion);
  const admittedAt = new Map<string, number>();
  for (const rollout of rollouts) {
    const [entry] = rollout.status?.entries ?? [];
    if (entry?.targetRevision !== revision) continue;
    for (const { cluster } of entry.inFlight ?? []) if (!admittedAt.has(cluster)) admittedAt.set(cluster, at(rollout));
  }
  return works
    .filter((work) => isMoved(work) && !((admittedAt.get(work.metadata.namespace ?? '') ?? Infinity) < at(work)))
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name} at ${metadata.resourceVersion}`);
}
