import {
  ADDON_GROUP,
  type AddOnDependency,
  type AddOnRollout,
  type ClusterManagementAddOn,
  type InstallStrategy,
  type ManagedCluster,
  type ManagedClusterAddOn,
  type Placement,
  type PlacementDecision,
} from '@outrigger/api';
import type { Condition, ConditionStatus } from '@outrigger/core';

const API = `${ADDON_GROUP}/v1alpha1`;

/** `Available True ProbeAvailable it runs` */
export function conditions(...texts: readonly string[]): readonly Condition[] {
  return texts.map((text) => {
    const [type = '', status = 'True', reason = '', ...message] = text.split(' ');
    return { type, status: status as ConditionStatus, reason, message: message.join(' '), lastTransitionTime: '2026-01-01T00:00:00Z' };
  });
}

export function addOn(
  name: string,
  installStrategy: InstallStrategy = { type: 'ClusterLabelSelector', labelSelector: {} },
  dependencies: readonly AddOnDependency[] = [],
): ClusterManagementAddOn {
  return { apiVersion: API, kind: 'ClusterManagementAddOn', metadata: { name }, spec: { installStrategy, dependencies } };
}

export function installed(name: string, cluster: string, ...about: readonly string[]): ManagedClusterAddOn {
  return {
    apiVersion: API,
    kind: 'ManagedClusterAddOn',
    metadata: { name, namespace: cluster },
    spec: {},
    status: { conditions: conditions(...about) },
  };
}

export function cluster(name: string, labels: Readonly<Record<string, string>> = {}, about: readonly string[] = []): ManagedCluster {
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name, labels },
    spec: { hubAcceptsClient: true },
    status: { conditions: conditions(...about) },
  };
}

export function rollout(name: string, spec: AddOnRollout['spec'], status: AddOnRollout['status']): AddOnRollout {
  return {
    apiVersion: 'outrigger.dev/v1alpha1',
    kind: 'AddOnRollout',
    metadata: { name },
    ...(spec ? { spec } : {}),
    ...(status ? { status } : {}),
  };
}

export function placement(namespace: string, name: string): Placement {
  return { apiVersion: 'cluster.open-cluster-management.io/v1beta1', kind: 'Placement', metadata: { namespace, name }, spec: {} };
}

export function decision(namespace: string, name: string, clusters: readonly string[]): PlacementDecision {
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1beta1',
    kind: 'PlacementDecision',
    metadata: { namespace, name: `${name}-decision-1`, labels: { 'cluster.open-cluster-management.io/placement': name } },
    status: { decisions: clusters.map((clusterName) => ({ clusterName, reason: '' })) },
  };
}
