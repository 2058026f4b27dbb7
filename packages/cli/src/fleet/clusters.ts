import { clusterManagementAddOns, managedClusters } from '@outrigger/api';
import { isApiError, nameOf } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { notFound, usageError } from '../failure.js';
import { suggestion } from '@outrigger/rules/explanation';
import { find, listOf } from './objects.js';
import { ifAllowed } from './readable.js';

/**
 * Fails if a cluster does not exist, and suggests the nearest name. If the user may not read ManagedClusters, as is usual for a cluster
 * owner, every name is accepted; the command's own requests then fail if the user may not access the cluster.
 */
export async function requireClusters(hub: Client, names: readonly string[]): Promise<void> {
  for (const name of names) {
    try {
      if (await find(hub, managedClusters, { name })) continue;
    } catch (error) {
      if (isApiError(error, 'Forbidden')) return;
      throw error;
    }
    // Commands that take several clusters have split the list.
    if (name.includes(',')) throw usageError(`"${name}" names several clusters, and this command takes one`);
    const known = (await listOf(hub, managedClusters)).map(nameOf).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    const isAddOn = await ifAllowed(find(hub, clusterManagementAddOns, { name }));
    throw notFound(`there is no cluster "${name}"${isAddOn ? ': it is the name of an add-on' : ''}${suggestion(name, known)}`);
  }
}
