import {
  type ManifestWork,
  type ManifestWorkReplicaSet,
  type ManifestWorkReplicaSetSpec,
  type ManifestWorkSpec,
  type Placement,
  type PlacementDecision,
  REPLICA_SET_LABEL,
  REPLICA_SET_PLACEMENT_LABEL,
  manifestWorkReplicaSets,
  manifestWorks,
  placementDecisions,
  placements,
} from '@outrigger/api';
import { type Condition, type Kind, type KubeObject, apiVersionOf } from '@outrigger/core';

export const NAMESPACE = 'apps';
export const KEY = { namespace: NAMESPACE, name: 'web' };

function object<T extends KubeObject>(kind: Kind<T>, metadata: KubeObject['metadata'], rest: object): T {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, ...rest } as unknown as T;
}

/** A template with one ConfigMap that has this value. */
export function template(value: string, parts: Partial<ManifestWorkSpec> = {}): ManifestWorkSpec {
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'default' }, data: { value } };
  return { workload: { manifests: [manifest] }, ...parts };
}

export function replicaSet(spec: Partial<ManifestWorkReplicaSetSpec> = {}, metadata: KubeObject['metadata'] = {}): ManifestWorkReplicaSet {
  return object(
    manifestWorkReplicaSets,
    { ...KEY, generation: 1, ...metadata },
    { spec: { manifestWorkTemplate: template('one'), placementRefs: [{ name: 'p' }], ...spec } },
  );
}

export function placement(name: string, selected: number, status: Placement['status'] = {}): Placement {
  return object(placements, { name, namespace: NAMESPACE }, { spec: {}, status: { numberOfSelectedClusters: selected, ...status } });
}

/** A PlacementDecision. `group` is the index of its decision group. */
export function page(of: string, clusters: readonly string[], group = 0): PlacementDecision {
  const labels = {
    'cluster.open-cluster-management.io/placement': of,
    'cluster.open-cluster-management.io/decision-group-index': String(group),
    'cluster.open-cluster-management.io/decision-group-name': `group-${group}`,
  };
  const decisions = clusters.map((clusterName) => ({ clusterName, reason: '' }));
  return object(placementDecisions, { name: `${of}-decision-${group + 1}`, namespace: NAMESPACE, labels }, { status: { decisions } });
}

/** A Placement with one decision group that contains these clusters. */
export function placed(of: string, ...clusters: readonly string[]): readonly KubeObject[] {
  return [placement(of, clusters.length), page(of, clusters)];
}

/** A work as upstream's controller creates it. */
export function foreignWork(cluster: string, name: string, spec: ManifestWorkSpec): ManifestWork {
  const labels = { [REPLICA_SET_LABEL]: `${NAMESPACE}.${KEY.name}`, [REPLICA_SET_PLACEMENT_LABEL]: 'p' };
  return object(manifestWorks, { name, namespace: cluster, labels, generation: 1 }, { spec });
}

/** Returns conditions with the given statuses by type, all at one generation and time. */
export function conditions(
  states: Readonly<Record<string, Condition['status']>>,
  observedGeneration: number,
  at: number,
): readonly Condition[] {
  const lastTransitionTime = new Date(at).toISOString().replace('.000', '');
  return Object.entries(states).map(([type, status]) => ({
    type,
    status,
    reason: 'Test',
    message: '',
    lastTransitionTime,
    observedGeneration,
  }));
}
