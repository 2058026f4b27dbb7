import { collect } from '@outrigger/core';
import {
  ADDON_NAME_LABEL,
  addOnRollouts,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
  placementDecisions,
  placements,
} from '@outrigger/api';
import type { Client } from '@outrigger/kube';
import type { Snapshot } from '@outrigger/rules/why';
import { find, listOf } from './objects.js';
import { refusals } from './readable.js';

/**
 * Reads all objects that are relevant to one cluster: its add-ons, and the declarations of the whole fleet. The user must be allowed to
 * read the cluster's add-ons; other kinds that the user may not read are omitted and listed in `unreadable`.
 */
export async function clusterSnapshot(hub: Client, cluster: string): Promise<Snapshot> {
  const refused = refusals();
  const [managementAddOns, clusters, installed, rollouts, chosen, decisions, works] = await Promise.all([
    refused.read(clusterManagementAddOns, listOf(hub, clusterManagementAddOns)),
    refused.read(
      managedClusters,
      find(hub, managedClusters, { name: cluster }).then((found) => (found ? [found] : [])),
    ),
    listOf(hub, managedClusterAddOns, cluster),
    refused.read(addOnRollouts, listOf(hub, addOnRollouts)),
    refused.read(placements, listOf(hub, placements)),
    refused.read(placementDecisions, listOf(hub, placementDecisions)),
    refused.read(manifestWorks, collect(hub.listAll(manifestWorks, { namespace: cluster, labelSelector: ADDON_NAME_LABEL }))),
  ]);
  const { kinds } = refused;
  const unreadable = kinds.length > 0 ? { unreadable: kinds } : {};
  return { managementAddOns, clusters, installed, rollouts, placements: chosen, decisions, works, ...unreadable };
}

/** Reads the objects of the whole fleet. Fails if the user may not read them. */
export async function fleetSnapshot(hub: Client): Promise<Snapshot> {
  const [managementAddOns, clusters, installed, rollouts, chosen, decisions] = await Promise.all([
    listOf(hub, clusterManagementAddOns),
    listOf(hub, managedClusters),
    listOf(hub, managedClusterAddOns),
    listOf(hub, addOnRollouts),
    listOf(hub, placements),
    listOf(hub, placementDecisions),
  ]);
  return { managementAddOns, clusters, installed, rollouts, placements: chosen, decisions };
}

/** Reads the works of one add-on on all clusters. The list is empty if the user may not read works. */
export async function worksOf(hub: Client, addOn: string): Promise<Snapshot['works']> {
  return refusals().read(manifestWorks, collect(hub.listAll(manifestWorks, { labelSelector: `${ADDON_NAME_LABEL}=${addOn}` })));
}
