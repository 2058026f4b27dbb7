import {
  type PolicyRule,
  type RbacSubject,
  type Role,
  type RoleBinding,
  type ServiceAccount,
  TOKEN_ADDON_NAME_LABEL,
  TOKEN_INFRASTRUCTURE_LABEL,
  clusterAgentBindingGroups,
  roleBindings,
  roles,
  serviceAccounts,
  templateAgentName,
  tokenRoleName,
} from '@outrigger/api';
import { type Kind, type KubeObject, type OwnerReference, apiVersionOf, deepEqual } from '@outrigger/core';
import type { TokenObjectProjection } from '../resources/token-objects.js';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

export interface WantedTokenObject {
  readonly kind: Kind;
  readonly object: KubeObject;
  isCurrent(existing: TokenObjectProjection): boolean;
  /** Whether an object that is not current must be deleted and created again, because a patch cannot correct it. */
  mustReplace(existing: TokenObjectProjection): boolean;
}

/**
 * Builds the objects that let a cluster's agent request tokens for one add-on: the ServiceAccount, and the permission to request tokens of
 * this account only.
 */
export function tokenInfrastructure(cluster: string, addOn: string, owner: OwnerReference): readonly WantedTokenObject[] {
  const account = templateAgentName(addOn);
  const metadata = (name: string): KubeObject['metadata'] => ({
    name,
    namespace: cluster,
    labels: { [TOKEN_INFRASTRUCTURE_LABEL]: 'true', [TOKEN_ADDON_NAME_LABEL]: addOn },
    ownerReferences: [owner],
  });
  const rules = tokenRules(account);
  const subjects = clusterAgentBindingGroups(cluster).map((name): RbacSubject => ({ kind: 'Group', apiGroup: RBAC_GROUP, name }));
  const serviceAccount: ServiceAccount = { apiVersion: apiVersionOf(serviceAccounts), kind: 'ServiceAccount', metadata: metadata(account) };
  const role: Role = { apiVersion: apiVersionOf(roles), kind: 'Role', metadata: metadata(tokenRoleName(addOn)), rules };
  const binding: RoleBinding = {
    apiVersion: apiVersionOf(roleBindings),
    kind: 'RoleBinding',
    metadata: metadata(tokenRoleName(addOn)),
    roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name: tokenRoleName(addOn) },
    subjects,
  };
  // Upstream's manager creates token objects without an owner. Such objects stay unchanged, and `leftovers` deletes them with the add-on.
  const isOwned = ({ ownerReferences }: TokenObjectProjection): boolean =>
    ownerReferences.length === 0 || ownerReferences.some(({ uid }) => uid === owner.uid);
  const bindsRole = ({ roleRef }: TokenObjectProjection): boolean => deepEqual(roleRef, binding.roleRef);
  return [
    {
      kind: serviceAccounts,
      object: serviceAccount,
      isCurrent: isOwned,
      // An account that was created for an earlier add-on of this name must be deleted, because this invalidates its tokens.
      mustReplace: () => true,
    },
    {
      kind: roles,
      object: role,
      isCurrent: (existing) => isOwned(existing) && deepEqual(existing.rules, rules),
      mustReplace: () => false,
    },
    {
      kind: roleBindings,
      object: binding,
      isCurrent: (existing) => isOwned(existing) && bindsRole(existing) && deepEqual(existing.subjects, subjects),
      // The API server does not accept a change of the role of a binding.
      mustReplace: (existing) => !bindsRole(existing),
    },
  ];
}

function tokenRules(account: string): readonly PolicyRule[] {
  const resources = ['serviceaccounts/token'];
  return [
    { verbs: ['create'], apiGroups: [''], resources, resourceNames: [account] },
    // Agents that reach the hub through a broker need this permission to receive notifications about new tokens.
    { verbs: ['subscribe'], apiGroups: [''], resources },
  ];
}
