import type { Cancel, KubeObject } from '@outrigger/core';
import type { Attributes, Authorizer, Identity } from '../handle/contract.js';
import { everyEntry } from '../every-entry.js';
import type { Store } from '../store/contract.js';
import { storagePrefix } from '../store/key.js';
import { type Binding, MASTERS_GROUP, RBAC_GROUP } from './policy.js';
import type { PolicyIndex, Requester } from './policy-index.js';
import type { Target } from './rules.js';

/** Returns an authorizer that applies the RBAC rules in a policy index. It never rejects members of `system:masters`. */
export function createAuthorizer(policy: PolicyIndex): Authorizer {
  return (attributes) => {
    if (isMaster(attributes.identity)) return { allowed: true };
    return policy.authorize(requesterOf(attributes.identity), attributes.namespace, targetOf(attributes));
  };
}

/**
 * Keeps a policy index in sync with the roles and bindings in the store. The store reports a change before it acknowledges the write, so a
 * granted permission applies to the next request.
 */
export function followPolicy(store: Store, policy: PolicyIndex): Cancel {
  const apply = FOLLOWED.map(({ plural, set, unset }) => {
    const prefix = storagePrefix({ group: RBAC_GROUP, plural });
    for (const { object } of everyEntry(store, prefix)) set(policy, object);
    return { prefix, set, unset };
  });
  return store.subscribe(({ type, key, object }) => {
    const followed = apply.find(({ prefix }) => key.startsWith(prefix));
    if (type === 'put') followed?.set(policy, object);
    else followed?.unset(policy, object);
  });
}

export function isMaster(identity: Identity): boolean {
  return identity.groups.includes(MASTERS_GROUP);
}

export function requesterOf(identity: Identity): Requester {
  return { name: identity.user, groups: identity.groups };
}

function targetOf(attributes: Attributes): Target {
  const { verb, nonResourcePath, group, resource, subresource, name } = attributes;
  return nonResourcePath === undefined ? { verb, apiGroup: group, resource, subresource, name } : { verb, path: nonResourcePath };
}

interface Followed {
  readonly plural: string;
  readonly set: (policy: PolicyIndex, object: KubeObject) => void;
  readonly unset: (policy: PolicyIndex, object: KubeObject) => void;
}

const roles = {
  set: (policy: PolicyIndex, object: KubeObject): void => policy.setRole(object),
  unset: (policy: PolicyIndex, object: KubeObject): void => policy.deleteRole(object),
};
const bindings = {
  set: (policy: PolicyIndex, object: KubeObject): void => policy.setBinding(object as Binding),
  unset: (policy: PolicyIndex, object: KubeObject): void => policy.deleteBinding(object as Binding),
};
const FOLLOWED: readonly Followed[] = [
  { plural: 'roles', ...roles },
  { plural: 'clusterroles', ...roles },
  { plural: 'rolebindings', ...bindings },
  { plural: 'clusterrolebindings', ...bindings },
];
