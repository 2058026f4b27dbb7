import {
  TOKEN_ADDON_NAME_LABEL,
  TOKEN_INFRASTRUCTURE_LABEL,
  type PolicyRule,
  type RbacSubject,
  type Role,
  type RoleBinding,
  type RoleRef,
  roleBindings,
  roles,
  serviceAccounts,
  templateAgentName,
  tokenRoleName,
} from '@outrigger/api';
import type { Kind, KubeObject, OwnerReference, Projected } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import { HUB } from './base.js';
import { base } from '@outrigger/rules/observed';

/** One of the three objects that an add-on with the token driver has in its cluster's namespace. */
export interface TokenObjectProjection extends Projected {
  readonly kind: Kind;
  readonly addOnName: string;
  readonly rules: readonly PolicyRule[];
  readonly subjects: readonly RbacSubject[];
  /** The role that a binding grants; undefined for an account or a role. */
  readonly roleRef: RoleRef | undefined;
  readonly ownerReferences: readonly OwnerReference[];
}

export const tokenAccounts: Resource<TokenObjectProjection, 'addOn'> = tokenObjects('token-accounts', serviceAccounts, templateAgentName);
export const tokenRoles: Resource<TokenObjectProjection, 'addOn'> = tokenObjects('token-roles', roles, tokenRoleName);
export const tokenBindings: Resource<TokenObjectProjection, 'addOn'> = tokenObjects('token-bindings', roleBindings, tokenRoleName);

function tokenObjects(name: string, kind: Kind, nameFor: (addOn: string) => string): Resource<TokenObjectProjection, 'addOn'> {
  return {
    name,
    api: HUB,
    kind,
    labelSelector: `${TOKEN_INFRASTRUCTURE_LABEL}=true`,
    project: (object: KubeObject, intern) => ({
      kind,
      addOnName: intern(object.metadata.labels?.[TOKEN_ADDON_NAME_LABEL] ?? ''),
      rules: intern((object as Role).rules ?? []),
      subjects: intern((object as RoleBinding).subjects ?? []),
      roleRef: intern((object as Partial<RoleBinding>).roleRef),
      ownerReferences: intern(object.metadata.ownerReferences ?? []),
      ...base(object, intern),
    }),
    indexes: {
      /**
       * `cluster/add-on`, if the name of the object matches its label. The label alone is not sufficient, because any client can set labels
       * on any object, and the manager changes or deletes the objects in this index.
       */
      addOn: ({ key, addOnName }) => (key.name === nameFor(addOnName) ? [`${key.namespace ?? ''}/${addOnName}`] : []),
    },
  };
}
