import { CLUSTER_SET_LABEL, type ClusterTaint, type ManagedCluster, managedClusters } from '@outrigger/api';
import { type JsonObject, type Projected, asJson } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import { HUB } from './base.js';
import { base, isDeleting } from '@outrigger/rules/observed';

/**
 * The fields of a ManagedCluster by which Placements select clusters. Every part is interned, so that a change can be detected by identity.
 */
export interface SchedulingClusterProjection extends Projected {
  readonly name: string;
  readonly isDeleting: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly claims: Readonly<Record<string, string>>;
  readonly taints: readonly ClusterTaint[];
  readonly allocatable: Amounts;
  readonly capacity: Amounts;
  /** The cluster as expressions see it: everything except the metadata that changes with every write. */
  readonly facts: JsonObject;
}

export type Amounts = Readonly<Record<string, number | string>>;

export const schedulingClusters: Resource<SchedulingClusterProjection, 'set'> = {
  name: 'scheduling-clusters',
  api: HUB,
  kind: managedClusters,
  project(object, intern) {
    const cluster = object as ManagedCluster;
    const { metadata, spec, status = {} } = cluster;
    const { managedFields: _, resourceVersion: __, ...meta } = metadata;
    const claims = (status.clusterClaims ?? []).map(({ name = '', value = '' }) => [name, value] as const);
    return {
      name: intern(metadata.name ?? ''),
      isDeleting: isDeleting(cluster),
      labels: intern(metadata.labels ?? {}),
      claims: intern(Object.fromEntries(claims)),
      taints: intern(spec.taints ?? []),
      allocatable: intern(status.allocatable ?? {}),
      capacity: intern(status.capacity ?? {}),
      facts: intern(asJson({ apiVersion: cluster.apiVersion, kind: cluster.kind, metadata: meta, spec, status })),
      ...base(cluster, intern),
    };
  },
  indexes: { set: ({ labels }) => [labels[CLUSTER_SET_LABEL] ?? ''] },
};
