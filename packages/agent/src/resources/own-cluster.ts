import { type ManagedCluster, type ManagedClusterStatus, managedClusters } from '@outrigger/api';
import { keyOf, type Projected } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import { HUB } from './apis.js';

/** The ManagedCluster of this agent. */
export interface OwnClusterProjection extends Projected {
  readonly generation: number;
  readonly isDeleting: boolean;
  readonly leaseDurationSeconds: number;
  readonly status: ManagedClusterStatus;
}

const DEFAULT_LEASE_SECONDS = 60;

export function ownCluster(clusterName: string): Resource<OwnClusterProjection> {
  return {
    name: 'own-cluster',
    api: HUB,
    kind: managedClusters,
    fieldSelector: `metadata.name=${clusterName}`,
    project(object) {
      const { metadata, spec, status } = object as ManagedCluster;
      return {
        key: keyOf(object),
        uid: metadata.uid ?? '',
        resourceVersion: metadata.resourceVersion ?? '',
        generation: metadata.generation ?? 0,
        isDeleting: metadata.deletionTimestamp !== undefined,
        leaseDurationSeconds: spec.leaseDurationSeconds || DEFAULT_LEASE_SECONDS,
        status: status ?? {},
      };
    },
    indexes: {},
  };
}
