import {
  ADDON_NAME_LABEL,
  type AddOnRollout,
  type ClusterManagementAddOn,
  type ManagedCluster,
  type ManagedClusterAddOn,
  type ManifestWork,
  type Placement,
  type PlacementDecision,
} from '@outrigger/api';
import { indexBy, nameOf } from '@outrigger/core';
import { type ClusterProjection, projectCluster } from '../observed/clusters.js';
import { type PlacementDecisionProjection, projectPlacementDecision, projectPlacement } from '../observed/placements.js';
import type { StrategyLookups } from '../strategy/lookups.js';

/** The objects that an explanation uses, as plain data, so that the functions that read them are pure. */
export interface Snapshot {
  readonly managementAddOns: readonly ClusterManagementAddOn[];
  readonly clusters: readonly ManagedCluster[];
  readonly installed: readonly ManagedClusterAddOn[];
  readonly rollouts: readonly AddOnRollout[];
  readonly placements: readonly Placement[];
  readonly decisions: readonly PlacementDecision[];
  /** The works of the add-ons that are explained. Without them an explanation ends at the conditions of the add-on. */
  readonly works?: readonly ManifestWork[];
  /** The kinds that the user may not read; their lists are empty. */
  readonly unreadable?: readonly string[];
}

export const EMPTY: Snapshot = { managementAddOns: [], clusters: [], installed: [], rollouts: [], placements: [], decisions: [] };

/**
 * Returns the value itself. Projections of a few objects use this function instead of an interner, because sharing saves nothing for them.
 */
const asIs = <T>(value: T): T => value;

export function projectedCluster(cluster: ManagedCluster): ClusterProjection {
  return projectCluster(cluster, asIs);
}

type StrategyObjects = Pick<Snapshot, 'clusters' | 'placements' | 'decisions'>;

const lookupsOf = new WeakMap<StrategyObjects, StrategyLookups>();

/**
 * Lookups for the install strategies over the objects of a snapshot. The objects are indexed once per snapshot, because a fleet is
 * explained cluster by cluster.
 */
export function snapshotLookups(snapshot: StrategyObjects): StrategyLookups {
  const known = lookupsOf.get(snapshot);
  if (known) return known;
  const pages: readonly PlacementDecisionProjection[] = snapshot.decisions.map((page) => projectPlacementDecision(page, asIs));
  const byPlacement = indexBy(pages, (page) => [page.placement]);
  const byMember = indexBy(pages, (page) => page.clusters);
  const placements = new Map(snapshot.placements.map((one) => [`${one.metadata.namespace ?? ''}/${one.metadata.name ?? ''}`, one]));
  const projections = new Map(snapshot.clusters.map((cluster) => [nameOf(cluster), projectedCluster(cluster)]));
  const lookups: StrategyLookups = {
    placement(key) {
      const found = placements.get(key);
      return found && projectPlacement(found, asIs);
    },
    pages: (placement) => byPlacement.get(placement) ?? [],
    pagesWith: (cluster) => byMember.get(cluster) ?? [],
    cluster: (name) => projections.get(name),
    clusters: () => [...projections.values()],
  };
  lookupsOf.set(snapshot, lookups);
  return lookups;
}

/** The objects of a snapshot by name. */
export interface SnapshotIndex {
  addOn(name: string): ClusterManagementAddOn | undefined;
  cluster(name: string): ManagedCluster | undefined;
  installed(cluster: string, addOn: string): ManagedClusterAddOn | undefined;
  rollout(addOn: string): AddOnRollout | undefined;
  works(cluster: string, addOn: string): readonly ManifestWork[];
  /** The works of all add-ons on a cluster. */
  worksOn(cluster: string): readonly ManifestWork[];
}

const indexOf = new WeakMap<Snapshot, SnapshotIndex>();

export function snapshotIndex(snapshot: Snapshot): SnapshotIndex {
  const known = indexOf.get(snapshot);
  if (known) return known;
  const place = (namespace: string | undefined, name: string | undefined): string => `${namespace ?? ''}/${name ?? ''}`;
  const addOns = new Map(snapshot.managementAddOns.map((one) => [nameOf(one), one]));
  const clusters = new Map(snapshot.clusters.map((one) => [nameOf(one), one]));
  const installed = new Map(snapshot.installed.map((one) => [place(one.metadata.namespace, one.metadata.name), one]));
  const rollouts = new Map(snapshot.rollouts.map((one) => [nameOf(one), one]));
  const works = indexBy(snapshot.works ?? [], ({ metadata }) => [place(metadata.namespace, metadata.labels?.[ADDON_NAME_LABEL])]);
  const worksByCluster = indexBy(snapshot.works ?? [], ({ metadata }) => [metadata.namespace ?? '']);
  const index: SnapshotIndex = {
    addOn: (name) => addOns.get(name),
    cluster: (name) => clusters.get(name),
    installed: (cluster, addOn) => installed.get(place(cluster, addOn)),
    rollout: (addOn) => rollouts.get(addOn),
    works: (cluster, addOn) => works.get(place(cluster, addOn)) ?? [],
    worksOn: (cluster) => worksByCluster.get(cluster) ?? [],
  };
  indexOf.set(snapshot, index);
  return index;
}
