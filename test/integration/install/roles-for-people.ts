import { JOIN_NAMESPACE, clusterRoleBindings, roleBindings, subjectAccessReviews } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { expect } from 'vitest';
import { NAMESPACED_ROLES, ROLES_FOR_PEOPLE, rulesOf } from '../../../packages/cli/src/install/people.js';
import { ESCALATING, type Right } from './least-privilege.js';

export interface RolesWorld {
  readonly hub: Client;
  eventually(what: string, look: () => Promise<true | undefined>): Promise<unknown>;
}

const RBAC = 'rbac.authorization.k8s.io';
const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection'];
/**
 * The namespaces in which the test checks the permissions of a role that is bound in one namespace. A role for all namespaces grants the
 * same permissions in each.
 */
const PLACES = ['', 'kube-system', 'cluster1', JOIN_NAMESPACE];

/**
 * Permissions from which a user can gain others. They are checked only for the roles for people, in addition to the permissions that are
 * checked for the manager.
 */
const FURTHER: readonly Right[] = [
  { group: RBAC, resource: 'clusterroles', verbs: WRITE },
  { group: RBAC, resource: 'clusterrolebindings', verbs: WRITE },
  { group: RBAC, resource: 'roles', verbs: WRITE },
  { group: RBAC, resource: 'rolebindings', verbs: WRITE },
  { resource: 'namespaces', verbs: WRITE },
  { resource: 'configmaps', verbs: WRITE },
  { group: 'certificates.k8s.io', resource: 'certificatesigningrequests', verbs: ['create', 'delete'] },
  { group: 'certificates.k8s.io', resource: 'certificatesigningrequests', subresource: 'status', verbs: ['update', 'patch'] },
  { group: 'certificates.k8s.io', resource: 'signers', verbs: ['approve'], names: ['kubernetes.io/kube-apiserver-client'] },
  { group: 'work.open-cluster-management.io', resource: 'manifestworks', verbs: [...WRITE, 'execute-as'] },
  { group: 'work.open-cluster-management.io', resource: 'manifestworkreplicasets', verbs: WRITE },
  { group: 'work.open-cluster-management.io', resource: 'manifestworks', subresource: 'status', verbs: ['update', 'patch'] },
  { group: 'cluster.open-cluster-management.io', resource: 'managedclusters', subresource: 'status', verbs: ['update', 'patch'] },
  { group: 'addon.open-cluster-management.io', resource: 'managedclusteraddons', subresource: 'status', verbs: ['update', 'patch'] },
  { group: 'register.open-cluster-management.io', resource: 'managedclusters', subresource: 'accept', verbs: ['update'] },
];

/**
 * The permissions in `ESCALATING` and `FURTHER` that a role includes on purpose, as `verb resource[/subresource] [namespace]`. The guide on
 * security lists them.
 */
const ON_PURPOSE: Readonly<Record<string, readonly RegExp[]>> = {
  // A fleet admin may write configs, which choose the images of add-ons.
  'outrigger:fleet-admin': [/^(create|update|patch|delete) addondeploymentconfigs /],
  'outrigger:addon-author': [/^(create|update|patch|delete) (addontemplates|addondeploymentconfigs|manifestworkreplicasets) /],
  'outrigger:approver': [/^approve signers /, /^update managedclusters\/accept /],
  'outrigger:cluster-owner': [/^(create|update|patch|delete) addondeploymentconfigs cluster1$/],
  'outrigger:joiner': [
    new RegExp(`^(create|delete) serviceaccounts ${JOIN_NAMESPACE}$`),
    new RegExp(`^create serviceaccounts/token ${JOIN_NAMESPACE}$`),
  ],
};

/** In no namespace does a role for people include a permission that leads to more than the guide on security describes. */
export async function rolesLeadToNoMore({ hub, eventually }: RolesWorld): Promise<void> {
  for (const role of ROLES_FOR_PEOPLE) {
    const user = `only-${role.replace('outrigger:', '')}`;
    await bind(hub, role, user);
    const [{ apiGroups, resources, verbs } = { apiGroups: [], resources: [], verbs: [] }] = rulesOf(role);
    const first = { group: apiGroups?.[0] ?? '', resource: resources?.[0] ?? '' };
    const namespace = placeOf(role) ?? '';
    await eventually(`${role} is aggregated`, async () =>
      (await isAllowed(hub, { user }, { ...first, verbs: [] }, { verb: verbs[0] ?? '', name: '', namespace })) ? true : undefined,
    );
    const held = await heldRights(hub, { user, ...(namespace === '' ? {} : { places: PLACES }) });
    const surplus = held.filter((right) => !(ON_PURPOSE[role] ?? []).some((pattern) => pattern.test(right)));
    expect({ role, surplus }).toEqual({ role, surplus: [] });
    // Each exception must match a permission that the role has, so that the list above stays correct.
    for (const pattern of ON_PURPOSE[role] ?? [])
      expect({ role, pattern, isHeld: held.some((right) => pattern.test(right)) }).toMatchObject({ isHeld: true });
  }
}

interface Asked {
  readonly user: string;
  readonly groups?: readonly string[];
  /** The namespaces to check; by default, all of them at once. */
  readonly places?: readonly string[];
}

/** Returns the permissions in `ESCALATING` and `FURTHER` that a user has, as `verb resource[/subresource] namespace`. */
export async function heldRights(
  hub: Client,
  { user, groups = ['system:authenticated'], places = [''] }: Asked,
): Promise<readonly string[]> {
  const asked = [...ESCALATING, ...FURTHER].flatMap((right) =>
    right.verbs.flatMap((verb) => (right.names ?? ['']).flatMap((name) => places.map((namespace) => ({ right, verb, name, namespace })))),
  );
  const held = new Set<string>();
  for (let i = 0; i < asked.length; i += 50) {
    const answers = asked
      .slice(i, i + 50)
      .map(async (one) => ({ ...one, allowed: await isAllowed(hub, { user, groups }, one.right, one) }));
    for (const { right, verb, namespace, allowed } of await Promise.all(answers)) {
      const resource = right.subresource === undefined ? right.resource : `${right.resource}/${right.subresource}`;
      if (allowed) held.add(`${verb} ${resource} ${namespace}`);
    }
  }
  return [...held];
}

/** Returns the namespace in which a role is bound, or undefined for a role for all namespaces. */
function placeOf(role: string): string | undefined {
  if (NAMESPACED_ROLES[role] === undefined) return undefined;
  return role === 'outrigger:joiner' ? JOIN_NAMESPACE : 'cluster1';
}

async function bind(hub: Client, role: string, user: string): Promise<void> {
  const namespace = placeOf(role);
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: role } as const;
  const subjects = [{ apiGroup: RBAC, kind: 'User', name: user }] as const;
  const object = { apiVersion: `${RBAC}/v1`, roleRef, subjects };
  if (namespace === undefined) await hub.create(clusterRoleBindings, { ...object, kind: 'ClusterRoleBinding', metadata: { name: user } });
  else await hub.create(roleBindings, { ...object, kind: 'RoleBinding', metadata: { name: user, namespace } });
}

async function isAllowed(
  hub: Client,
  who: { readonly user: string; readonly groups?: readonly string[] },
  { group = '', resource, subresource = '' }: Right,
  { verb, name, namespace }: { readonly verb: string; readonly name: string; readonly namespace: string },
): Promise<boolean> {
  const review = await hub.create(subjectAccessReviews, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: { groups: ['system:authenticated'], ...who, resourceAttributes: { verb, group, resource, subresource, name, namespace } },
  });
  return (review as KubeObject & { readonly status?: { readonly allowed?: boolean } }).status?.allowed === true;
}
