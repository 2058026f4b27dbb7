import {
  BINDABLE_ROLES_ROLE,
  type PolicyRule,
  type RbacSubject,
  type RoleBinding,
  SIGNERS_ROLE,
  aggregationLabel,
  clusterRoleBindings,
  clusterRoles,
  roleBindings,
  roles,
  serviceAccountUser,
} from '@outrigger/api';
import { type KubeObject, nameOf } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { find, listOf } from '../fleet/objects.js';
import { clusterRole } from './cluster-role.js';
import { role, roleBinding } from './rights.js';

/**
 * The account of upstream's add-on manager. Charts of add-ons grant this account the permissions that upstream's manager needs for the
 * add-ons.
 */
const UPSTREAM_ACCOUNT = { namespace: 'open-cluster-management-hub', name: 'addon-manager-controller-sa' };

const RBAC = 'rbac.authorization.k8s.io';

/** The rules that an account has in one namespace, or in all namespaces if `namespace` is not set. */
export interface Granted {
  readonly namespace?: string;
  readonly rules: readonly PolicyRule[];
}

export interface TakenOver {
  readonly objects: readonly KubeObject[];
  /** Messages about permissions that were not copied, each with the reason. */
  readonly notes: readonly string[];
}

/** The names of the objects that contain copied permissions. `uninstall` deletes them. */
export const TAKEN_OVER = {
  binds: 'outrigger-taken-over-binds',
  signers: 'outrigger-taken-over-signers',
  namespaced: 'outrigger-taken-over',
};

/**
 * Copies only the permissions to bind named roles and to use named signers. A permission without names is not copied, because it covers all
 * objects. A permission in one namespace is copied to that namespace only.
 */
export function takenOver(granted: readonly Granted[], account: { readonly namespace: string; readonly name: string }): TakenOver {
  const everywhere = granted.filter(({ namespace }) => namespace === undefined).flatMap(({ rules }) => rules);
  const binds = everywhere.flatMap((rule) => copied(rule, RBAC, ['clusterroles', 'roles'], ['bind']));
  const signers = everywhere.flatMap((rule) => copied(rule, 'certificates.k8s.io', ['signers'], ['approve', 'sign']));
  const inNamespaces = new Map<string, PolicyRule[]>();
  for (const { namespace, rules } of granted) {
    if (namespace === undefined) continue;
    const copies = rules.flatMap((rule) => copied(rule, RBAC, ['clusterroles', 'roles'], ['bind']));
    if (copies.length > 0) inNamespaces.set(namespace, [...(inNamespaces.get(namespace) ?? []), ...copies]);
  }
  return {
    objects: [
      ...(binds.length > 0 ? [labelled(TAKEN_OVER.binds, binds, BINDABLE_ROLES_ROLE)] : []),
      ...(signers.length > 0 ? [labelled(TAKEN_OVER.signers, signers, SIGNERS_ROLE)] : []),
      ...[...inNamespaces].flatMap(([namespace, rules]) => [
        role(TAKEN_OVER.namespaced, namespace, rules),
        { ...roleBinding(TAKEN_OVER.namespaced, TAKEN_OVER.namespaced, account), metadata: { name: TAKEN_OVER.namespaced, namespace } },
      ]),
    ],
    notes: granted.flatMap(({ namespace, rules }) => rules.flatMap((rule) => leftOut(rule, namespace))),
  };
}

/** Returns the part of a rule that covers these resources and verbs, if the rule names its objects and these verbs. */
function copied(rule: PolicyRule, group: string, resources: readonly string[], verbs: readonly string[]): readonly PolicyRule[] {
  const names = (rule.resourceNames ?? []).filter((name) => !isWildcard(name));
  const about = (rule.resources ?? []).filter((resource) => resources.includes(resource));
  const may = rule.verbs.filter((verb) => verbs.includes(verb));
  if (!rule.apiGroups?.includes(group) || names.length === 0 || about.length === 0 || may.length === 0) return [];
  return [{ apiGroups: [group], resources: about, resourceNames: names, verbs: may }];
}

/** Whether a name covers many objects: `*`, or for signers all names of a domain, such as `example.com/*`. */
function isWildcard(name: string): boolean {
  return name.endsWith('*');
}

function leftOut(rule: PolicyRule, namespace: string | undefined): readonly string[] {
  const where = namespace === undefined ? '' : ` in ${namespace}`;
  const names = rule.resourceNames ?? [];
  const has = (group: string, resource: string, verb: string): boolean =>
    (rule.apiGroups ?? []).some((one) => one === group || one === '*') &&
    (rule.resources ?? []).some((one) => one === resource || one === '*') &&
    rule.verbs.some((one) => one === verb || one === '*');
  const binds = has(RBAC, 'clusterroles', 'bind') || has(RBAC, 'roles', 'bind');
  const signs = ['approve', 'sign'].some((verb) => has('certificates.k8s.io', 'signers', verb));
  const right = binds ? 'bind roles' : 'use signers';
  const isWide = names.length === 0 || names.some(isWildcard);
  const hasWildcards = [rule.apiGroups, rule.resources, rule.verbs].some((all) => all?.includes('*'));
  return [
    ...((binds || signs) && isWide
      ? [
          `not copied${where}: a right to ${right} with ${names.length === 0 ? 'any name' : `the names ${names.filter(isWildcard).join(', ')}`}; list the ones you need`,
        ]
      : []),
    ...((binds || signs) && !isWide && hasWildcards
      ? [`not copied${where}: a right to ${right} ${names.join(', ')} by a rule with "*"; grant it by name if an add-on needs it`]
      : []),
    ...(has('', 'secrets', 'get') && names.length > 0
      ? [`not copied${where}: reading Secret ${names.join(', ')}; grant it if it holds the authority of a custom signer`]
      : []),
  ];
}

function labelled(name: string, rules: readonly PolicyRule[], aggregated: string): KubeObject {
  const object = clusterRole(name, rules);
  return { ...object, metadata: { ...object.metadata, labels: { [aggregationLabel(aggregated)]: 'true' } } };
}

/**
 * Whether a subject includes the account of upstream's manager: the account itself, its user, or the group of all accounts in its
 * namespace.
 */
function isUpstreamAccount({ kind, namespace, name }: RbacSubject): boolean {
  if (kind === 'ServiceAccount') return namespace === UPSTREAM_ACCOUNT.namespace && name === UPSTREAM_ACCOUNT.name;
  if (kind === 'User') return name === serviceAccountUser(UPSTREAM_ACCOUNT.namespace, UPSTREAM_ACCOUNT.name);
  return kind === 'Group' && name === `system:serviceaccounts:${UPSTREAM_ACCOUNT.namespace}`;
}

/** Returns all rules that are bound to the account of upstream's add-on manager. */
export async function readUpstreamGrants(hub: Client): Promise<readonly Granted[]> {
  const isTheirs = ({ subjects = [] }: RoleBinding): boolean => subjects.some(isUpstreamAccount);
  const granted: Granted[] = [];
  for (const { roleRef } of (await listOf(hub, clusterRoleBindings)).filter(isTheirs))
    granted.push({ rules: (await find(hub, clusterRoles, { name: roleRef.name }))?.rules ?? [] });
  for (const { metadata, roleRef } of (await listOf(hub, roleBindings)).filter(isTheirs)) {
    const namespace = metadata.namespace ?? '';
    const bound =
      roleRef.kind === 'Role'
        ? await find(hub, roles, { namespace, name: roleRef.name })
        : await find(hub, clusterRoles, { name: roleRef.name });
    granted.push({ namespace, rules: bound?.rules ?? [] });
  }
  return granted;
}

/** Returns the objects that an earlier `install hub --take-over` created. */
export async function findTakenOver(hub: Client): Promise<readonly KubeObject[]> {
  const cluster = (await listOf(hub, clusterRoles)).filter((one) => nameOf(one) === TAKEN_OVER.binds || nameOf(one) === TAKEN_OVER.signers);
  const isNamespaced = (one: KubeObject): boolean => nameOf(one) === TAKEN_OVER.namespaced;
  const found = [...cluster, ...(await listOf(hub, roles)).filter(isNamespaced)];
  const bindings = (await listOf(hub, roleBindings)).filter(isNamespaced);
  const brief =
    (kind: string) =>
    ({ metadata }: KubeObject): KubeObject => ({
      apiVersion: `${RBAC}/v1`,
      kind,
      metadata: { name: metadata.name ?? '', ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }) },
    });
  return [
    ...cluster.map(brief('ClusterRole')),
    ...found.filter((one) => one.metadata.namespace !== undefined).map(brief('Role')),
    ...bindings.map(brief('RoleBinding')),
  ];
}
