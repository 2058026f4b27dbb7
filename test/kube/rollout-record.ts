import { type AddOnRollout, type ManifestWork, addOnRollouts, manifestWorks } from '@outrigger/api';
import type { Kind, KubeObject } from '@outrigger/core';
import type { Client } from '@outrigger/kube';

export interface Recording<T> {
  /** Stops recording. Returns every state that was observed, in order. */
  stop(): Promise<readonly T[]>;
}

/** Records every state of the objects of a kind from now on. */
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
  // This handler prevents an unhandled rejection before `stop` reports the error.
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

/**
 * Checks the recorded states of a rollout with one entry. Returns the violations: more clusters in flight than the budget, and clusters
 * admitted twice to a target.
 */
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
      if (admittedTo.get(cluster) === entry?.targetRevision) found.push(`${cluster} admitted twice to ${entry?.targetRevision}`);
      admittedTo.set(cluster, entry?.targetRevision ?? 0);
    }
    before = now;
  }
  return found;
}

/**
 * Returns the works that got new content before the record admitted their cluster to it. On a real server, resource versions order the
 * writes of all kinds, so the events of two watches can be compared.
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
