import {
  CLUSTER_LEASE_NAME,
  CLUSTER_NAME_LABEL,
  type ClusterRole,
  type PolicyRule,
  REGISTER_GROUP,
  type RoleBinding,
  clusterAgentBindingGroups,
  clusterRoleBindings,
  clusterRoleName,
  clusterRoles,
  leases,
  managedClusters,
  namespaces,
  registrationBindingName,
  roleBindings,
  workBindingName,
} from '@outrigger/api';
import { type Kind, type KubeObject, isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';

const RBAC = 'rbac.authorization.k8s.io';
const BOOTSTRAP_ROLE = 'identity-test:bootstrap';
export const BOOTSTRAP_GROUP = 'system:bootstrappers:outrigger';

function rule(group: string, resources: readonly string[], verbs: readonly string[], resourceNames?: readonly string[]): PolicyRule {
  return { apiGroups: [group], resources, verbs, ...(resourceNames ? { resourceNames } : {}) };
}

/** What somebody may do who holds a bootstrap credential: announce a cluster and ask for a certificate. */
export async function allowBootstrap(hub: Client): Promise<void> {
  await ensure(
    hub,
    clusterRoles,
    role(BOOTSTRAP_ROLE, [
      rule('certificates.k8s.io', ['certificatesigningrequests'], ['create', 'get', 'list', 'watch']),
      rule('cluster.open-cluster-management.io', ['managedclusters'], ['create', 'get']),
    ]),
  );
  await ensure(hub, clusterRoleBindings, binding({ name: BOOTSTRAP_ROLE }, BOOTSTRAP_ROLE, [BOOTSTRAP_GROUP]));
}

/** Does by hand what the hub's cluster controller does for an accepted cluster: namespace, rights, lease, condition. */
export async function acceptCluster(hub: Client, cluster: string): Promise<void> {
  const groups = clusterAgentBindingGroups(cluster);
  const name = clusterRoleName(cluster);
  await ensure(hub, namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: cluster, labels: { [CLUSTER_NAME_LABEL]: cluster } },
  });
  await ensure(
    hub,
    clusterRoles,
    role(name, [
      rule('certificates.k8s.io', ['certificatesigningrequests'], ['create', 'get', 'list', 'watch']),
      rule(REGISTER_GROUP, ['managedclusters/clientcertificates'], ['renew']),
      rule('cluster.open-cluster-management.io', ['managedclusters'], ['get', 'list', 'update', 'watch'], [cluster]),
      rule('cluster.open-cluster-management.io', ['managedclusters/status'], ['patch', 'update'], [cluster]),
    ]),
  );
  await ensure(hub, clusterRoleBindings, binding({ name }, name, groups));
  const registration = `${name}:registration-test`;
  await ensure(
    hub,
    clusterRoles,
    role(registration, [
      rule('coordination.k8s.io', ['leases'], ['get', 'list', 'watch', 'update']),
      rule('addon.open-cluster-management.io', ['managedclusteraddons'], ['get', 'list', 'watch']),
      rule('addon.open-cluster-management.io', ['managedclusteraddons/status'], ['patch', 'update']),
      rule('work.open-cluster-management.io', ['manifestworks'], ['get', 'list', 'watch', 'update', 'patch']),
      rule('work.open-cluster-management.io', ['manifestworks/status'], ['patch', 'update']),
      rule('', ['serviceaccounts/token'], ['create']),
      { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch', 'update'] },
    ]),
  );
  for (const bindingName of [registrationBindingName(cluster), workBindingName(cluster)]) {
    await ensure(hub, roleBindings, binding({ name: bindingName, namespace: cluster }, registration, groups));
  }
  await ensure(hub, leases, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: CLUSTER_LEASE_NAME, namespace: cluster },
    spec: { holderIdentity: CLUSTER_LEASE_NAME, leaseDurationSeconds: 60 },
  } as KubeObject);
  await hub.patch(managedClusters, { name: cluster }, { type: 'merge', patch: { spec: { hubAcceptsClient: true } } });
  await setClusterCondition(hub, cluster, 'HubAcceptedManagedCluster', 'True', 'HubClusterAdminAccepted');
}

export async function setClusterCondition(
  hub: Client,
  cluster: string,
  type: string,
  status: 'True' | 'False' | 'Unknown',
  reason: string,
): Promise<void> {
  const found = await hub.get(managedClusters, { name: cluster });
  const others = (found.status?.conditions ?? []).filter((condition) => condition.type !== type);
  const condition = { type, status, reason, message: 'said by the test', lastTransitionTime: '2026-01-01T00:00:00Z' };
  const patch = { status: { conditions: [...others, condition] } };
  await hub.patch(managedClusters, { name: cluster }, { type: 'merge', patch: patch as never }, { subresource: 'status' });
}

function role(name: string, rules: readonly PolicyRule[]): ClusterRole {
  return { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name }, rules };
}

function binding(metadata: { name: string; namespace?: string }, roleName: string, groups: readonly string[]): RoleBinding {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: metadata.namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata,
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: roleName },
    subjects: groups.map((group) => ({ kind: 'Group', apiGroup: RBAC, name: group })),
  };
}

export async function ensure<T extends KubeObject>(client: Client, kind: Kind<T>, object: T): Promise<void> {
  try {
    await client.create(kind, object);
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
}
