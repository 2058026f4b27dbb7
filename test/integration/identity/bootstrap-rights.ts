import { type PolicyRule, clusterRoleBindings, clusterRoles, managedClusters } from '@outrigger/api';
import { type Kind, type KubeObject, isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';

const RBAC = 'rbac.authorization.k8s.io';
const NAME = 'identity-test:bootstrap';
export const BOOTSTRAP_GROUP = 'system:bootstrappers:outrigger';

const RULES: readonly PolicyRule[] = [
  { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], verbs: ['create', 'get', 'list', 'watch'] },
  { apiGroups: ['cluster.open-cluster-management.io'], resources: ['managedclusters'], verbs: ['create', 'get'] },
];

/**
 * Grants holders of a shared bootstrap credential the same permissions as upstream does: to create a ManagedCluster and to request a
 * certificate.
 */
export async function allowBootstrap(hub: Client): Promise<void> {
  await ensure(hub, clusterRoles, { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name: NAME }, rules: RULES });
  await ensure(hub, clusterRoleBindings, {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: NAME },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: NAME },
    subjects: [{ kind: 'Group', apiGroup: RBAC, name: BOOTSTRAP_GROUP }],
  });
}

/** Accepts the cluster, as a fleet admin does. */
export async function acceptCluster(hub: Client, name: string): Promise<void> {
  await hub.patch(managedClusters, { name }, { type: 'merge', patch: { spec: { hubAcceptsClient: true } } });
}

export async function ensure<T extends KubeObject>(client: Client, kind: Kind<T>, object: T): Promise<void> {
  try {
    await client.create(kind, object);
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
}
