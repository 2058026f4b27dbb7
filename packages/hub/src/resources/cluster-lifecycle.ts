import {
  AUTO_ACCEPTED_ANNOTATION,
  CLUSTER_SET_LABEL,
  type ClusterTaint,
  DETACH_ANNOTATION,
  type ManagedCluster,
  type ManagedNamespace,
  SKIP_CLOCK_SYNC_ANNOTATION,
  managedClusters,
} from '@outrigger/api';
import type { Condition, Projected } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import { HUB } from './base.js';
import { base, generationOf, isDeleting } from '@outrigger/rules/observed';

/** A ManagedCluster with the fields that the clusters controller uses. */
export interface LifecycleProjection extends Projected {
  readonly generation: number;
  readonly isDeleting: boolean;
  readonly isForced: boolean;
  readonly finalizers: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly accepts: boolean;
  readonly wasAutoAccepted: boolean;
  readonly leaseSeconds: number;
  readonly skipsClockCheck: boolean;
  readonly taints: readonly ClusterTaint[];
  readonly conditions: readonly Condition[];
  readonly managedNamespaces: readonly ManagedNamespace[];
}

const DEFAULT_LEASE_SECONDS = 60;

export const clusterLifecycles: Resource<LifecycleProjection, 'set' | 'namespacesOf'> = {
  name: 'cluster-lifecycles',
  api: HUB,
  kind: managedClusters,
  project(object, intern) {
    const cluster = object as ManagedCluster;
    const { annotations = {}, labels = {}, finalizers = [] } = cluster.metadata;
    return {
      generation: generationOf(cluster),
      isDeleting: isDeleting(cluster),
      isForced: annotations[DETACH_ANNOTATION] === 'forced',
      finalizers: intern(finalizers),
      labels: intern(labels),
      accepts: cluster.spec.hubAcceptsClient === true,
      wasAutoAccepted: annotations[AUTO_ACCEPTED_ANNOTATION] !== undefined,
      leaseSeconds: cluster.spec.leaseDurationSeconds || DEFAULT_LEASE_SECONDS,
      skipsClockCheck: annotations[SKIP_CLOCK_SYNC_ANNOTATION] === 'true',
      taints: intern(cluster.spec.taints ?? []),
      conditions: intern(cluster.status?.conditions ?? []),
      managedNamespaces: intern(cluster.status?.managedNamespaces ?? []),
      ...base(cluster, intern),
    };
  },
  indexes: {
    set: ({ labels }) => [labels[CLUSTER_SET_LABEL] ?? ''],
    /** The sets from which the cluster's managed namespaces come. */
    namespacesOf: ({ managedNamespaces }) => [...new Set(managedNamespaces.map(({ clusterSet }) => clusterSet))],
  },
};
