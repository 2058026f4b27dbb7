import type {
  AddOnRollout,
  ClusterManagementAddOn,
  ManagedCluster,
  ManagedClusterAddOn,
  Placement,
  PlacementDecision,
} from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { type ClusterRecord, projectCluster } from '../observed/clusters.js';
import { type DecisionRecord, projectDecision, projectPlacement } from '../observed/placements.js';
import type { StrategyLookups } from '../strategy/lookups.js';

/** The objects that an explanation uses, as plain data, so that the functions that read them are pure. */
export interface Snapshot {
  readonly addOns: readonly ClusterManagementAddOn[];
  readonly clusters: readonly ManagedCluster[];
  readonly installed: readonly ManagedClusterAddOn[];
  readonly rollouts: readonly AddOnRollout[];
  readonly placements: readonly Placement[];
  readonly decisions: readonly PlacementDecision[];
  /** The kinds that the user may not read; their lists are empty. */
  readonly unreadable?: readonly string[];
}

export const EMPTY: Snapshot = { addOns: [], clusters: [], installed: [], rollouts: [], placements: [], decisions: [] };

export function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? '';
}

/** For projections of a few objects, which have nothing to share. */
const asIs = <T>(value: T): T => value;

export function projectedCluster(cluster: ManagedCluster): ClusterRecord {
  return projectCluster(cluster, asIs);
}

/** The objects of a snapshot as the install strategies read them. */
export function snapshotLookups({ clusters, placements, decisions }: Snapshot): StrategyLookups {
  const pages: readonly DecisionRecord[] = decisions.map((page) => projectDecision(page, asIs));
  const records = clusters.map(projectedCluster);
  return {
    placement(key) {
      const found = placements.find(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name ?? ''}` === key);
      return found && projectPlacement(found, asIs);
    },
    pages: (placement) => pages.filter((page) => page.placement === placement),
    pagesWith: (cluster) => pages.filter((page) => page.clusters.includes(cluster)),
    cluster: (name) => records.find(({ key }) => key.name === name),
    clusters: () => records,
  };
}
