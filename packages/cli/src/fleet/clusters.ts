import { type ManagedCluster, clusterManagementAddOns, managedClusters } from '@outrigger/api';
import { isApiError, nameOf } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { notFound, usageError } from '../failure.js';
import { suggestion } from '@outrigger/rules/explanation';
import { find, listOf } from './objects.js';
import { ifAllowed } from './readable.js';
import { requireStayingCluster } from './staying.js';

/**
 * Fails if a cluster does not exist, and suggests the nearest name. If the user may not read ManagedClusters, as is usual for a cluster
 * owner, every name is accepted; the command's own requests then fail if the user may not access the cluster. Returns the clusters that
 * the user may read.
 */
export async function requireClusters(hub: Client, names: readonly string[]): Promise<readonly ManagedCluster[]> {
  const clusters: ManagedCluster[] = [];
  for (const name of names) {
    try {
      const found = await find(hub, managedClusters, { name });
      if (found) {
        clusters.push(found);
        continue;
      }
    } catch (error) {
      if (isApiError(error, 'Forbidden')) return clusters;
      throw error;
    }
    // A command for several clusters has already split the list at its commas, so a name with a comma comes from a command for one cluster.
    if (name.includes(',')) throw usageError(`"${name}" names several clusters, and this command takes one`);
    const known = (await listOf(hub, managedClusters)).map(nameOf).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    const isAddOn = await ifAllowed(find(hub, clusterManagementAddOns, { name }));
    throw notFound(`there is no cluster "${name}"${isAddOn ? ': it is the name of an add-on' : ''}${suggestion(name, known)}`);
  }
  return clusters;
}

/** Fails if a cluster does not exist or is leaving the fleet. Commands that start something on the clusters call this function. */
export async function requireStayingClusters(hub: Client, names: readonly string[]): Promise<void> {
  for (const cluster of await requireClusters(hub, names)) requireStayingCluster(cluster);
}
