import { managedClusterAddOns, manifestWorks, namespaces } from '@outrigger/api';
import { ApiError, type Kind } from '@outrigger/core';
import type { EffectContext, EffectHandler } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';
import { type ClusterLeftoverProjection, leftoverOf } from '../../resources/cluster-leftovers.js';

/** The objects in a cluster's namespace that are deleted next: those with the lowest priority, of the first kind that still has objects. */
export interface Due {
  readonly kind: Kind;
  readonly priority: number;
  readonly leftovers: readonly ClusterLeftoverProjection[];
}

/** The kinds in the order in which a cluster's objects are deleted. */
const KINDS: readonly Kind[] = [managedClusterAddOns, manifestWorks];

/** Returns the next objects to delete, or undefined if nothing is left. */
export function dueOf(leftovers: (kind: Kind) => readonly ClusterLeftoverProjection[]): Due | undefined {
  for (const kind of KINDS) {
    const all = leftovers(kind);
    if (all.length === 0) continue;
    const priority = all.reduce((least, leftover) => Math.min(least, leftover.priority), Number.POSITIVE_INFINITY);
    return { kind, priority, leftovers: all.filter((leftover) => leftover.priority === priority) };
  }
  return undefined;
}

export interface RecheckInput {
  readonly cluster: string;
  /** The next objects to delete according to the caches; absent if nothing is left. */
  readonly due?: { readonly plural: string; readonly priority: number };
}

export function recheckInput(cluster: string, due: Due | undefined): RecheckInput {
  return { cluster, ...(due ? { due: { plural: due.kind.plural, priority: due.priority } } : {}) };
}

/**
 * Checks with the API server that the next objects to delete are those that the caches show. Add-ons, works and clusters arrive through
 * different watches; with a lagging watch the hub would delete a work too early, or remove the agent's permissions while works remain. If
 * this effect fails, no later stage runs, and the pass is repeated when the caches have caught up.
 */
export const recheck: EffectHandler<RecheckInput> = async ({ cluster, due }, context) => {
  const live = await liveDue(cluster, context);
  if (live?.kind.plural === due?.plural && live?.priority === due?.priority) return;
  const found = live ? `${live.kind.plural} of priority ${live.priority}` : 'nothing';
  throw new ApiError('Conflict', `the caches are behind: ${found} is due in namespace ${cluster}`);
};

/** Fails while the server still has a work of the cluster, so that no later stage runs. */
export const noWorksLeft: EffectHandler<string> = async (cluster, context) => {
  const left = context.client(HUB).listAll(manifestWorks, { namespace: cluster, metadataOnly: true, signal: context.signal });
  for await (const { metadata } of left) {
    throw new ApiError('Conflict', `the caches are behind: there is a work ${metadata.name ?? ''} in namespace ${cluster}`);
  }
};

/** Fails if the cluster's namespace is being deleted, so that no later stage runs. */
export const namespaceStays: EffectHandler<string> = async (cluster, context) => {
  const { metadata } = await context.client(HUB).get(namespaces, { name: cluster }, { signal: context.signal });
  if (metadata.deletionTimestamp !== undefined)
    throw new ApiError('Conflict', `the caches are behind: the namespace ${cluster} is being deleted`);
};

async function liveDue(cluster: string, context: EffectContext): Promise<Due | undefined> {
  const client = context.client(HUB);
  const { signal } = context;
  const found = new Map<Kind, readonly ClusterLeftoverProjection[]>();
  for (const kind of KINDS) {
    const leftovers: ClusterLeftoverProjection[] = [];
    for await (const object of client.listAll(kind, { namespace: cluster, metadataOnly: true, signal })) {
      leftovers.push(leftoverOf(object, (value) => value));
    }
    found.set(kind, leftovers);
  }
  return dueOf((kind) => found.get(kind) ?? []);
}
