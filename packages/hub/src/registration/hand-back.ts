import {
  ADDON_NAME_LABEL,
  ADDON_TEMPLATE_NAME_LABEL,
  CLUSTER_NAME_LABEL,
  type RbacSubject,
  type RoleBinding,
  defaultSubject,
  managedClusterAddOns,
  roleBindings,
  serviceAccountUser,
  templateAgentName,
  upstreamPermissionBindingName,
} from '@outrigger/api';
import { isApiError, keyOf } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { makerOf } from '../resources/bindings.js';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

export interface HandBack {
  /** The bindings that upstream's manager would have created for the same permissions, if they are missing. */
  readonly create: readonly RoleBinding[];
  /** The bindings that our manager created. */
  readonly remove: readonly RoleBinding[];
}

/**
 * Replaces our bindings of hub permissions by those of upstream's manager, so that add-ons' agents keep their permissions until upstream's
 * manager runs again. Upstream has one binding per add-on, namespace and kind of role. If several of our bindings correspond to one of
 * upstream's, the last of them determines its role and subjects.
 */
export function planHandBack(bindings: readonly RoleBinding[]): HandBack {
  const remove = bindings.filter((binding) => makerOf(binding) === 'manager').sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  const taken = new Set(bindings.filter((binding) => makerOf(binding) !== 'manager').map(idOf));
  const create = new Map(remove.map((binding) => upstreamBinding(binding)).map((binding) => [idOf(binding), binding]));
  return { create: [...create.values()].filter((binding) => !taken.has(idOf(binding))), remove };
}

function upstreamBinding({ apiVersion, kind, metadata, roleRef, subjects = [] }: RoleBinding): RoleBinding {
  const { namespace = '', labels = {}, ownerReferences = [] } = metadata;
  const addOn = labels[ADDON_NAME_LABEL] ?? '';
  const cluster = labels[CLUSTER_NAME_LABEL] ?? '';
  const owners = ownerReferences
    .filter((owner) => owner.kind === managedClusterAddOns.kind)
    .map((owner) => ({ apiVersion: owner.apiVersion, kind: owner.kind, name: owner.name, uid: owner.uid }));
  return {
    apiVersion,
    kind,
    metadata: {
      name: upstreamPermissionBindingName(addOn, roleRef.kind),
      namespace,
      labels: { [ADDON_NAME_LABEL]: addOn, [ADDON_TEMPLATE_NAME_LABEL]: '' },
      ...(owners.length > 0 ? { ownerReferences: owners } : {}),
    },
    roleRef,
    subjects: upstreamSubjects(
      cluster,
      addOn,
      subjects.some((subject) => subject.kind === 'ServiceAccount'),
    ),
  };
}

/** Returns the subjects of upstream's bindings. With the token driver, upstream names the agent's ServiceAccount as a User. */
function upstreamSubjects(cluster: string, addOn: string, isToken: boolean): readonly RbacSubject[] {
  const { user, groups } = isToken
    ? { user: serviceAccountUser(cluster, templateAgentName(addOn)), groups: [] }
    : defaultSubject(cluster, addOn);
  return [
    { kind: 'User', apiGroup: RBAC_GROUP, name: user },
    ...groups.map((name): RbacSubject => ({ kind: 'Group', apiGroup: RBAC_GROUP, name })),
  ];
}

function idOf({ metadata: { namespace = '', name = '' } }: RoleBinding): string {
  return `${namespace}/${name}`;
}

/**
 * Removes our bindings of hub permissions. With `replace`, creates upstream's bindings first. Must not be called while our manager runs,
 * because the manager would create its bindings again. Returns a line for each change.
 */
export async function withdrawBindings(client: Client, { replace }: { readonly replace: boolean }): Promise<readonly string[]> {
  const found: RoleBinding[] = [];
  for await (const binding of client.listAll(roleBindings, { labelSelector: ADDON_NAME_LABEL })) found.push(binding);
  const { create, remove } = planHandBack(found);
  const changes: string[] = [];
  for (const binding of replace ? create : []) {
    await client.create(roleBindings, binding);
    changes.push(`RoleBinding ${idOf(binding)} created, as upstream names it`);
  }
  for (const binding of remove) {
    try {
      await client.delete(roleBindings, keyOf(binding));
      changes.push(`RoleBinding ${idOf(binding)} deleted`);
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }
  return changes;
}
