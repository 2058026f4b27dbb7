import {
  CLUSTER_LEASE_NAME,
  type Lease,
  type ManagedCluster,
  type ManagedClusterAddOn,
  type ManifestWork,
  type Namespace,
  leases,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
  namespaces,
} from '@outrigger/api';
import { type Condition, type ConditionStatus, type Kind, type KubeObject, apiVersionOf, toMicroTime, toTime } from '@outrigger/core';

export const NOW: number = Date.parse('2026-01-01T00:00:00Z');
export const CLUSTER = 'c1';

function object<T extends KubeObject>(kind: Kind<T>, metadata: KubeObject['metadata'], rest: object = {}): T {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, ...rest } as unknown as T;
}

export interface ClusterParts {
  readonly accepts?: boolean;
  readonly metadata?: KubeObject['metadata'];
  readonly spec?: Partial<ManagedCluster['spec']>;
  readonly conditions?: readonly Condition[];
}

export function cluster({ accepts = true, metadata = {}, spec = {}, conditions = [] }: ClusterParts = {}): ManagedCluster {
  return object(
    managedClusters,
    { name: CLUSTER, uid: 'uid-c1', generation: 1, ...metadata },
    { spec: { hubAcceptsClient: accepts, leaseDurationSeconds: 60, ...spec }, status: { conditions } },
  );
}

export function condition(type: string, status: ConditionStatus, reason = 'Because'): Condition {
  return { type, status, reason, message: '', lastTransitionTime: toTime(NOW), observedGeneration: 1 };
}

export const ACCEPTED: Condition = condition('HubAcceptedManagedCluster', 'True', 'HubClusterAdminAccepted');
export const AVAILABLE: Condition = condition('ManagedClusterConditionAvailable', 'True', 'ManagedClusterAvailable');

export function namespace(metadata: KubeObject['metadata'] = {}): Namespace {
  return object(namespaces, { name: CLUSTER, ...metadata });
}

/** A lease with its renewal time on the agent's clock, and its write time on the server's clock. */
export function lease(renewedAt: number | undefined, writtenAt: number | undefined = renewedAt): Lease {
  const managedFields = writtenAt === undefined ? [] : [{ manager: 'agent', time: toTime(writtenAt) }];
  return object(
    leases,
    { name: CLUSTER_LEASE_NAME, namespace: CLUSTER, managedFields },
    { spec: { holderIdentity: CLUSTER_LEASE_NAME, ...(renewedAt === undefined ? {} : { renewTime: toMicroTime(renewedAt) }) } },
  );
}

export function addOn(name: string, available?: ConditionStatus, metadata: KubeObject['metadata'] = {}): ManagedClusterAddOn {
  const conditions = available === undefined ? [] : [condition('Available', available)];
  return object(managedClusterAddOns, { name, namespace: CLUSTER, ...metadata }, { spec: {}, status: { conditions } });
}

export function work(name: string, metadata: KubeObject['metadata'] = {}): ManifestWork {
  return object(manifestWorks, { name, namespace: CLUSTER, ...metadata }, { spec: { workload: { manifests: [] } } });
}
