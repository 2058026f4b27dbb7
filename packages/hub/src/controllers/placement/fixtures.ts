import {
  type AddOnPlacementScore,
  type ClusterTaint,
  type ManagedCluster,
  type ManagedClusterSet,
  type ManagedClusterSetBinding,
  type Placement,
  type PlacementDecision,
  type PlacementSpec,
  addOnPlacementScores,
  managedClusterSetBindings,
  managedClusterSets,
  managedClusters,
  placementDecisions,
  placements,
} from '@outrigger/api';
import { type Kind, type KubeObject, apiVersionOf } from '@outrigger/core';

export const NAMESPACE = 'apps';

function object<T extends KubeObject>(kind: Kind<T>, metadata: KubeObject['metadata'], rest: object): T {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, ...rest } as unknown as T;
}

export function placement(spec: PlacementSpec = {}, parts: Partial<Placement> = {}): Placement {
  return object(
    placements,
    { name: 'p', namespace: NAMESPACE, uid: 'uid-p', generation: 1, ...parts.metadata },
    { spec, ...(parts.status ? { status: parts.status } : {}) },
  );
}

export function cluster(name: string, labels: Readonly<Record<string, string>> = {}, taints: readonly ClusterTaint[] = []): ManagedCluster {
  return object(managedClusters, { name, labels }, { spec: { hubAcceptsClient: true, taints } });
}

/** Clusters `c000`, `c001`, … */
export function fleet(count: number, labels: Readonly<Record<string, string>> = {}): readonly ManagedCluster[] {
  return Array.from({ length: count }, (_, index) => cluster(`c${String(index).padStart(3, '0')}`, labels));
}

/** A set that contains every cluster, and a binding of this set to the namespace. */
export const everything: readonly [ManagedClusterSet, ManagedClusterSetBinding] = [
  object(managedClusterSets, { name: 'global' }, { spec: { clusterSelector: { selectorType: 'LabelSelector', labelSelector: {} } } }),
  binding('global'),
];

export function clusterSet(name: string, spec: ManagedClusterSet['spec'] = {}): ManagedClusterSet {
  return object(managedClusterSets, { name }, { spec });
}

export function binding(set: string, namespace: string = NAMESPACE): ManagedClusterSetBinding {
  return object(managedClusterSetBindings, { name: set, namespace }, { spec: { clusterSet: set } });
}

export function page(name: string, clusters: readonly string[], metadata: KubeObject['metadata'] = {}): PlacementDecision {
  const decisions = clusters.map((clusterName) => ({ clusterName, reason: '' }));
  return object(placementDecisions, { name, namespace: NAMESPACE, ...metadata }, { status: { decisions } });
}

export function score(clusterName: string, name: string, value: number, validUntil?: string): AddOnPlacementScore {
  const status = { scores: [{ name: 'score', value }], ...(validUntil === undefined ? {} : { validUntil }) };
  return object(addOnPlacementScores, { name, namespace: clusterName }, { status });
}
