import type { HubPermission, RoleRef } from '@outrigger/api';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

/**
 * Returns the role that a permission binds. A template can specify it in either of two forms; the schema allows only one form per
 * permission.
 */
export function roleRefOf({ type, roleRef, currentCluster, singleNamespace }: HubPermission): RoleRef | undefined {
  const role = roleRef ?? (type === 'SingleNamespace' ? singleNamespace?.roleRef : undefined);
  if (role) return { apiGroup: RBAC_GROUP, kind: role.kind, name: role.name };
  return type === 'CurrentCluster' && currentCluster
    ? { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: currentCluster.clusterRoleName }
    : undefined;
}
