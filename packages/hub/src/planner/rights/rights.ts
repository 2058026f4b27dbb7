import { type PolicyRule, type Role, type RoleBinding, type RoleRef, clusterRoles, roles } from '@outrigger/api';
import { type KubeObject, isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { permissionBindingsOf } from '../../registration/permissions.js';
import type { RenderedDifference } from '../differences.js';
import type { Rendered } from '../rendered.js';
import { clusterGrants, type Granted, roleKey } from './cluster-grants.js';
import { type Grant, grantsOf, subjectText, uncovered } from './grants.js';

/** A permission that a change adds or removes. In names, `<cluster>` stands for the name of each cluster. */
export interface Right extends Grant {
  readonly clusters: readonly string[];
}

export interface RightsChange {
  readonly gained: readonly Right[];
  readonly lost: readonly Right[];
  /** Roles that the change binds or unbinds and whose rules the planner cannot read. */
  readonly unknown: readonly string[];
  /** Roles that templates name and that do not exist on the hub. */
  readonly missing: readonly string[];
}

/** Returns the rules of a role on the hub: undefined if the user may not read the role, `missing` if it does not exist. */
type HubRules = (role: RoleRef, namespace: string) => readonly PolicyRule[] | undefined | 'missing';

/**
 * Compares the permissions before and after the change. Those on the hub come from the template's registrations, those on the clusters from
 * the RBAC objects among the manifests. `changed` are the objects that the change writes on the hub, which may include roles.
 */
export async function rightsChange(
  client: Client,
  addOn: string,
  differences: readonly RenderedDifference[],
  changed: readonly KubeObject[] = [],
): Promise<RightsChange> {
  const stored = await hubRules(client, addOn, differences);
  const written = writtenRules(changed);
  const gained = new Map<string, Right>();
  const lost = new Map<string, Right>();
  const unknown = new Set<string>();
  const missing = new Set<string>();
  for (const { example, clusters, rendered, isKnown } of differences) {
    if (!isKnown) continue;
    const before = sideOf(rendered.before, { cluster: example, addOn, rules: stored });
    const after = sideOf(rendered.after, {
      cluster: example,
      addOn,
      rules: (role, namespace) => written(role, namespace) ?? stored(role, namespace),
    });
    note(gained, uncovered(after.grants, before.grants), example, clusters);
    note(lost, uncovered(before.grants, after.grants), example, clusters);
    for (const [key, text] of after.unknown) if (!before.unknown.has(key)) unknown.add(text);
    for (const [key, text] of before.unknown) if (!after.unknown.has(key)) unknown.add(`${text} until now`);
    for (const role of [...before.missing, ...after.missing]) missing.add(role);
  }
  return { gained: [...gained.values()], lost: [...lost.values()], unknown: [...unknown].sort(), missing: [...missing].sort() };
}

function note(found: Map<string, Right>, grants: readonly Grant[], example: string, clusters: readonly string[]): void {
  const named = (name: string): string => (name === example ? '<cluster>' : name);
  for (const grant of grants) {
    const right = {
      ...grant,
      subject: general(grant.subject, example),
      namespace: named(grant.namespace),
      ...(grant.resourceName === undefined ? {} : { resourceName: named(grant.resourceName) }),
    };
    const key = JSON.stringify(right);
    found.set(key, { ...right, clusters: [...(found.get(key)?.clusters ?? []), ...clusters] });
  }
}

function general(subject: string, cluster: string): string {
  return subject.replace(`:cluster:${cluster}:`, ':cluster:<cluster>:').replace(`ServiceAccount ${cluster}/`, 'ServiceAccount <cluster>/');
}

function bindingsOf({ registration }: Rendered, cluster: string, addOn: string): readonly RoleBinding[] {
  const owner = { apiVersion: '', kind: '', name: addOn, uid: '' };
  return permissionBindingsOf(registration, { cluster, addOn, driver: undefined, owner });
}

async function hubRules(client: Client, addOn: string, differences: readonly RenderedDifference[]): Promise<HubRules> {
  const known = new Map<string, readonly PolicyRule[] | undefined | 'missing'>();
  const bindings = differences.flatMap(({ rendered, example }) =>
    [rendered.before, rendered.after].flatMap((side) => bindingsOf(side, example, addOn)),
  );
  for (const { roleRef, metadata } of bindings) {
    const key = roleKey(roleRef, metadata.namespace ?? '');
    if (!known.has(key)) known.set(key, await readRole(client, roleRef, metadata.namespace ?? ''));
  }
  return (role, namespace) => known.get(roleKey(role, namespace));
}

/** Returns the rules of the roles that the change writes, without aggregated roles, whose rules the API server sets. */
function writtenRules(changed: readonly KubeObject[]): (role: RoleRef, namespace: string) => readonly PolicyRule[] | undefined {
  const written = changed.filter(({ kind, apiVersion }) => (kind === 'Role' || kind === 'ClusterRole') && apiVersion.startsWith('rbac.'));
  const rules = new Map(
    written.flatMap((one) => {
      const { kind, metadata, rules: own, aggregationRule } = one as Role & { readonly aggregationRule?: unknown };
      const key = roleKey({ kind: kind as RoleRef['kind'], name: metadata.name ?? '' }, metadata.namespace ?? '');
      return aggregationRule === undefined ? [[key, own ?? []] as const] : [];
    }),
  );
  return (role, namespace) => rules.get(roleKey(role, namespace));
}

async function readRole(
  client: Client,
  { kind, name }: RoleRef,
  namespace: string,
): Promise<readonly PolicyRule[] | undefined | 'missing'> {
  try {
    const role = kind === 'ClusterRole' ? await client.get(clusterRoles, { name }) : await client.get(roles, { namespace, name });
    return role.rules ?? [];
  } catch (error) {
    if (isApiError(error, 'Forbidden')) return undefined;
    if (isApiError(error, 'NotFound')) return 'missing';
    throw error;
  }
}

interface Side extends Granted {
  readonly missing: readonly string[];
}

/** Returns the permissions on the hub and on the cluster that the content of an add-on gives. */
function sideOf(
  rendered: Rendered,
  { cluster, addOn, rules }: { readonly cluster: string; readonly addOn: string; readonly rules: HubRules },
): Side {
  const there = clusterGrants(rendered.manifests);
  const grants: Grant[] = [];
  const unknown = new Map(there.unknown);
  const missing: string[] = [];
  for (const { roleRef, subjects = [], metadata } of bindingsOf(rendered, cluster, addOn)) {
    const { namespace = '' } = metadata;
    const found = rules(roleRef, namespace);
    const key = roleKey(roleRef, namespace);
    if (found === undefined) unknown.set(`hub ${key} ${namespace}`, `${key} on the hub`);
    else if (found === 'missing') missing.push(key);
    else grants.push(...grantsOf('hub', found, subjects.map(subjectText), namespace));
  }
  return { grants: [...grants, ...there.grants], unknown, missing };
}
