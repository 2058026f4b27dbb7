import {
  type AddOnRollout,
  type ClusterManagementAddOn,
  type ManagedCluster,
  type ManagedClusterAddOn,
  type Placement,
  type PlacementDecision,
  addOnRollouts,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusters,
  placementDecisions,
  placements,
} from '@outrigger/api';
import type { Client } from '@outrigger/kube';
import { find, listOf } from './objects.js';

/** The objects that an explanation uses, as plain data, so that the functions that read them are pure. */
export interface Snapshot {
  readonly addOns: readonly ClusterManagementAddOn[];
  readonly clusters: readonly ManagedCluster[];
  readonly installed: readonly ManagedClusterAddOn[];
  readonly rollouts: readonly AddOnRollout[];
  readonly placements: readonly Placement[];
  readonly decisions: readonly PlacementDecision[];
}

export const EMPTY: Snapshot = { addOns: [], clusters: [], installed: [], rollouts: [], placements: [], decisions: [] };

/** All objects that can matter for one cluster: its add-ons, and the declarations of the whole fleet. */
export async function clusterSnapshot(hub: Client, cluster: string): Promise<Snapshot> {
  const [addOns, found, installed, rollouts, chosen, decisions] = await Promise.all([
    listOf(hub, clusterManagementAddOns),
    find(hub, managedClusters, { name: cluster }),
    listOf(hub, managedClusterAddOns, cluster),
    listOf(hub, addOnRollouts),
    listOf(hub, placements),
    listOf(hub, placementDecisions),
  ]);
  return { addOns, clusters: found ? [found] : [], installed, rollouts, placements: chosen, decisions };
}
