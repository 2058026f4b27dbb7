import { managedClusters } from '@outrigger/api';
import { ApiError, isApiError } from '@outrigger/core';
import type { EffectContext, EffectHandler } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';
import { type ClusterMemory, SEEN } from './state.js';

/** Before it removes objects, the hub reads the ManagedCluster from the API server twice, with this interval in between. */
export const GONE_AFTER_MS = 10_000;
/** This many clusters, or this share of all clusters, may disappear at once without a confirmation. */
const UNGUARDED_COUNT = 5;
const UNGUARDED_SHARE = 0.2;

/**
 * Whether so many clusters have disappeared that the cause may be a mistake. Each of these clusters then waits for a user's confirmation.
 */
export function isMassLoss(gone: number, living: number): boolean {
  return gone > Math.max(UNGUARDED_COUNT, UNGUARDED_SHARE * (gone + living));
}

/**
 * Checks with the API server that a cluster does not exist. Fails if it exists or if ManagedClusters are not served, so that no later stage
 * runs.
 */
export const confirmGone: EffectHandler<string, ClusterMemory> = async (name, context) => {
  if (await exists(name, context)) {
    context.remember(() => SEEN);
    throw new ApiError('Conflict', `the caches are behind: ManagedCluster ${name} exists`);
  }
  const answeredAt = context.runtime.clock.monotonic();
  context.remember((known) => ({ ...known, goneSince: known?.goneSince ?? answeredAt }));
};

async function exists(name: string, context: EffectContext<ClusterMemory>): Promise<boolean> {
  const hub = context.client(HUB);
  const { signal } = context;
  try {
    await hub.get(managedClusters, { name }, { signal });
    return true;
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
  // A get request for a kind that is not served also returns NotFound, but a list request fails.
  const { items } = await hub.list(managedClusters, { fieldSelector: `metadata.name=${name}`, limit: 1, signal });
  return items.length > 0;
}
