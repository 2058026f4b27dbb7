import type { ClusterRole, PolicyRule, RoleBinding, RoleRef } from '@outrigger/api';
import {
  compileLabelSelector,
  isJsonObject,
  type JsonObject,
  type KubeObject,
  type LabelSelector,
  selectorToString,
  validateLabelSelector,
} from '@outrigger/core';
import { type Grant, grantsOf, subjectText } from './grants.js';

/** The permissions before or after a change, and the bindings whose rules are not known. */
export interface Granted {
  readonly grants: readonly Grant[];
  /** For each binding whose rules are not known, the role and the subjects that have it. */
  readonly unknown: ReadonlyMap<string, string>;
}

/** The rules of the ClusterRole `cluster-admin`. The API server restores them whenever it starts. */
const CLUSTER_ADMIN: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Returns the permissions that RBAC objects among the manifests grant on the managed cluster. */
export function clusterGrants(manifests: readonly JsonObject[]): Granted {
  const rbac = (manifests as readonly unknown[] as readonly KubeObject[]).filter(({ apiVersion }) =>
    String(apiVersion).startsWith('rbac.authorization.k8s.io/'),
  );
  const clusterRoles = rbac.filter(({ kind }) => kind === 'ClusterRole') as readonly ClusterRole[];
  const roles = rbac.filter(({ kind }) => kind === 'Role') as readonly ClusterRole[];
  const rules = new Map<string, readonly PolicyRule[]>([
    [roleKey({ kind: 'ClusterRole', name: 'cluster-admin' }, ''), CLUSTER_ADMIN],
    ...roles.map((role) => [roleKey({ kind: 'Role', name: role.metadata.name ?? '' }, namespaceOf(role)), listOf(role.rules)] as const),
    ...clusterRoles.map(
      (role) => [roleKey({ kind: 'ClusterRole', name: role.metadata.name ?? '' }, ''), rulesOf(role, clusterRoles)] as const,
    ),
  ]);
  const grants: Grant[] = [...aggregatedGrants(clusterRoles)];
  const unknown = new Map(elsewhereAggregated(clusterRoles));
  for (const object of rbac) {
    if (object.kind !== 'RoleBinding' && object.kind !== 'ClusterRoleBinding') continue;
    const { roleRef, subjects } = object as RoleBinding;
    if (!isJsonObject(roleRef)) continue;
    const namespace = object.kind === 'RoleBinding' ? namespaceOf(object) : '';
    const holders = listOf(subjects).map(subjectText);
    const key = roleKey(roleRef, namespace);
    const found = rules.get(key);
    grants.push(...grantsOf('cluster', found ?? [], holders, namespace));
    const selectors = clusterRoles.find(({ metadata }) => roleRef.kind === 'ClusterRole' && metadata.name === roleRef.name);
    const others = selectors ? othersText(selectors) : '';
    if (found && others === '') continue;
    for (const holder of holders)
      unknown.set(`${key}${others} ${namespace} ${holder}`, `${key} on the clusters${others}, bound to ${holder}`);
  }
  return { grants, unknown };
}

export function roleKey({ kind, name }: Pick<RoleRef, 'kind' | 'name'>, namespace: string): string {
  return kind === 'ClusterRole' ? `ClusterRole ${name}` : `Role ${namespace}/${name}`;
}

/** The agent creates a namespaced object without a namespace in `default`. */
function namespaceOf({ metadata }: KubeObject): string {
  return metadata.namespace || 'default';
}

/** Returns the valid selectors of an aggregated ClusterRole. The API server rejects a ClusterRole with an invalid selector. */
function selectorsOf({ aggregationRule }: ClusterRole): readonly LabelSelector[] {
  return listOf(aggregationRule?.clusterRoleSelectors).filter((selector) => validateLabelSelector(selector, '').length === 0);
}

/** Manifests are not validated before the API server of the cluster sees them, so the value of a list field may have any type. */
function listOf<T>(value: readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? (value as readonly T[]) : [];
}

/** Returns the rules of a ClusterRole. The rules of an aggregated ClusterRole are those of the ClusterRoles that it selects. */
function rulesOf(role: ClusterRole, all: readonly ClusterRole[], seen: ReadonlySet<ClusterRole> = new Set()): readonly PolicyRule[] {
  const selectors = selectorsOf(role).map((selector) => compileLabelSelector(selector));
  if (selectors.length === 0) return listOf(role.rules);
  const selected = all.filter(
    (one) => one !== role && !seen.has(one) && selectors.some((selector) => selector.matches(one.metadata.labels)),
  );
  return selected.flatMap((one) => rulesOf(one, all, new Set([...seen, role])));
}

function othersText(role: ClusterRole): string {
  const selectors = selectorsOf(role);
  if (selectors.length === 0) return '';
  return `, with the rules of other ClusterRoles there that have the labels ${selectors.map((one) => selectorToString(one)).join(' or ')}`;
}

const AGGREGATE_TO = 'rbac.authorization.k8s.io/aggregate-to-';
/** Kubernetes aggregates `view` into `edit`, and `edit` into `admin`. */
const AGGREGATED_INTO: Readonly<Record<string, readonly string[]>> = {
  view: ['view', 'edit', 'admin'],
  edit: ['edit', 'admin'],
  admin: ['admin'],
};

/** Returns the permissions that the ClusterRoles add to Kubernetes' own roles by aggregation labels, for every subject bound to these roles. */
function aggregatedGrants(clusterRoles: readonly ClusterRole[]): readonly Grant[] {
  return clusterRoles.flatMap((role) => {
    const names = Object.entries(role.metadata.labels ?? {}).flatMap(([label, value]) =>
      value === 'true' && label.startsWith(AGGREGATE_TO) ? (AGGREGATED_INTO[label.slice(AGGREGATE_TO.length)] ?? []) : [],
    );
    const holders = [...new Set(names)].map((name) => `ClusterRole ${name}`);
    return holders.length === 0 ? [] : grantsOf('cluster', rulesOf(role, clusterRoles), holders, '');
  });
}

const OTHER_AGGREGATION = /\/aggregate-to-/;

/** Returns the ClusterRoles whose labels may add their rules to ClusterRoles that are not among the manifests. */
function elsewhereAggregated(clusterRoles: readonly ClusterRole[]): readonly (readonly [string, string])[] {
  const isKnown = (label: string): boolean =>
    label.startsWith(AGGREGATE_TO) && AGGREGATED_INTO[label.slice(AGGREGATE_TO.length)] !== undefined;
  return clusterRoles.flatMap(({ metadata: { name = '', labels = {} } }) =>
    Object.keys(labels)
      .filter((label) => OTHER_AGGREGATION.test(label) && !isKnown(label))
      .map((label) => {
        const text = `ClusterRoles on the clusters that aggregate the label ${label}, which ClusterRole ${name} has`;
        return [text, text] as const;
      }),
  );
}
