import { type PolicyRule, type RbacSubject, type RoleBinding, type RoleRef, clusterRoles, roles } from '@outrigger/api';
import { type JsonObject, isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { permissionBindingsOf } from '../registration/permissions.js';
import type { RenderedDifference } from './differences.js';
import type { Rendered } from './rendered.js';

/** One permission of one subject: a verb on a resource. In names, `<cluster>` stands for the name of each cluster. */
export interface Right {
  /** The API server on which the permission applies. */
  readonly where: 'hub' | 'cluster';
  /** `Group <name>`, `User <name>` or `ServiceAccount <namespace>/<name>`. */
  readonly subject: string;
  readonly verb: string;
  /** `<resource>` or `<resource>.<group>`, or the path of a non-resource URL. */
  readonly resource: string;
  /** Empty for all namespaces. */
  readonly namespace: string;
  /** The name of the object, if the permission is limited to one object. */
  readonly resourceName?: string;
  readonly clusters: readonly string[];
}

export interface RightsChange {
  readonly gained: readonly Right[];
  readonly lost: readonly Right[];
  /** Roles whose rules the planner cannot read. */
  readonly unknown: readonly string[];
  /** Roles that templates name and that do not exist on the hub. */
  readonly missing: readonly string[];
}

type Atom = Omit<Right, 'clusters'>;

/** Returns the rules of a role on the hub: undefined if the user may not read the role, `missing` if it does not exist. */
type HubRules = (role: RoleRef, namespace: string) => readonly PolicyRule[] | undefined | 'missing';

/**
 * Compares the permissions before and after the change. Those on the hub come from the template's registrations, those on the clusters from
 * the RBAC objects among the manifests.
 */
export async function rightsChange(client: Client, addOn: string, differences: readonly RenderedDifference[]): Promise<RightsChange> {
  const rules = await hubRules(client, addOn, differences);
  const gained = new Map<string, Right>();
  const lost = new Map<string, Right>();
  const unknown = new Set<string>();
  const missing = new Set<string>();
  for (const { example, clusters, contents, isKnown } of differences) {
    if (!isKnown) continue;
    const side = (rendered: Rendered): readonly Atom[] => [
      ...hubRights(rendered, { cluster: example, addOn, rules, unknown, missing }),
      ...clusterRights(rendered.manifests, unknown),
    ];
    const [before, after] = [side(contents.before), side(contents.after)];
    note(gained, uncovered(after, before), example, clusters);
    note(lost, uncovered(before, after), example, clusters);
  }
  return { gained: [...gained.values()], lost: [...lost.values()], unknown: [...unknown].sort(), missing: [...missing].sort() };
}

function note(found: Map<string, Right>, atoms: readonly Atom[], example: string, clusters: readonly string[]): void {
  for (const atom of atoms) {
    const right = {
      ...atom,
      subject: general(atom.subject, example),
      namespace: atom.namespace === example ? '<cluster>' : atom.namespace,
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
  const bindings = differences.flatMap(({ contents, example }) =>
    [contents.before, contents.after].flatMap((rendered) => bindingsOf(rendered, example, addOn)),
  );
  for (const { roleRef, metadata } of bindings) {
    const key = roleKey(roleRef, metadata.namespace ?? '');
    if (!known.has(key)) known.set(key, await readRole(client, roleRef, metadata.namespace ?? ''));
  }
  return (role, namespace) => known.get(roleKey(role, namespace));
}

function roleKey({ kind, name }: RoleRef, namespace: string): string {
  return kind === 'ClusterRole' ? `ClusterRole ${name}` : `Role ${namespace}/${name}`;
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

interface HubContext {
  readonly cluster: string;
  readonly addOn: string;
  readonly rules: HubRules;
  readonly unknown: Set<string>;
  readonly missing: Set<string>;
}

function hubRights(rendered: Rendered, { cluster, addOn, rules, unknown, missing }: HubContext): readonly Atom[] {
  return bindingsOf(rendered, cluster, addOn).flatMap(({ roleRef, subjects = [], metadata: { namespace = '' } }) => {
    const found = rules(roleRef, namespace);
    const key = roleKey(roleRef, namespace);
    if (found === undefined) unknown.add(`${key} on the hub`);
    if (found === 'missing') missing.add(key);
    return typeof found === 'object' ? atomsOf('hub', found, subjects, namespace) : [];
  });
}

/** The permissions that RBAC objects among the manifests grant on the managed cluster. */
function clusterRights(manifests: readonly JsonObject[], unknown: Set<string>): readonly Atom[] {
  const rbac = manifests.filter(({ apiVersion }) =>
    String(apiVersion).startsWith('rbac.authorization.k8s.io/'),
  ) as unknown as readonly (RoleBinding & {
    readonly rules?: readonly PolicyRule[];
  })[];
  const known = new Map(
    rbac
      .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole')
      .map(({ kind, metadata, rules = [] }) => [
        roleKey({ apiGroup: '', kind, name: metadata.name } as RoleRef, metadata.namespace ?? ''),
        rules,
      ]),
  );
  return rbac.flatMap(({ kind, metadata, roleRef, subjects = [] }) => {
    if (kind !== 'RoleBinding' && kind !== 'ClusterRoleBinding') return [];
    const namespace = kind === 'RoleBinding' ? (metadata.namespace ?? '') : '';
    const rules = known.get(roleKey(roleRef, namespace));
    if (!rules) unknown.add(`${roleKey(roleRef, namespace)} on the clusters, bound to ${subjects.map(subjectText).join(', ')}`);
    return atomsOf('cluster', rules ?? [], subjects, namespace);
  });
}

function atomsOf(
  where: Right['where'],
  rules: readonly PolicyRule[],
  subjects: readonly RbacSubject[],
  namespace: string,
): readonly Atom[] {
  return subjects.flatMap((subject) =>
    rules.flatMap((rule) =>
      resourcesOf(rule).flatMap((resource) =>
        rule.verbs.map((verb): Atom => ({ where, subject: subjectText(subject), verb, namespace, ...resource })),
      ),
    ),
  );
}

function resourcesOf(rule: PolicyRule): readonly { readonly resource: string; readonly resourceName?: string }[] {
  const { apiGroups = [''], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const named = apiGroups.flatMap((group) => resources.map((resource) => (group === '' ? resource : `${resource}.${group}`)));
  const limited = resourceNames.length === 0 ? [{}] : resourceNames.map((resourceName) => ({ resourceName }));
  return [
    ...named.flatMap((resource) => limited.map((limit) => ({ resource, ...limit }))),
    ...nonResourceURLs.map((resource) => ({ resource })),
  ];
}

function subjectText({ kind, namespace, name }: RbacSubject): string {
  return kind === 'ServiceAccount' ? `ServiceAccount ${namespace ?? ''}/${name}` : `${kind} ${name}`;
}

/** The permissions that no permission of the other side includes. */
function uncovered(atoms: readonly Atom[], others: readonly Atom[]): readonly Atom[] {
  const found = atoms.filter((atom) => !others.some((other) => covers(other, atom)));
  return [...new Map(found.map((atom) => [JSON.stringify(atom), atom])).values()];
}

function covers(a: Atom, b: Atom): boolean {
  return (
    a.where === b.where &&
    a.subject === b.subject &&
    (a.verb === '*' || a.verb === b.verb) &&
    (a.namespace === '' || a.namespace === b.namespace) &&
    (a.resourceName === undefined || a.resourceName === b.resourceName) &&
    coversResource(a.resource, b.resource)
  );
}

function coversResource(a: string, b: string): boolean {
  if (a === b) return true;
  if (a.startsWith('/') || b.startsWith('/')) return a.endsWith('*') && b.startsWith(a.slice(0, -1));
  const [[resource, group], [otherResource, otherGroup]] = [split(a), split(b)];
  return (resource === '*' || resource === otherResource) && (group === '*' || group === otherGroup);
}

function split(resource: string): readonly [resource: string, group: string] {
  const dot = resource.indexOf('.');
  return dot < 0 ? [resource, ''] : [resource.slice(0, dot), resource.slice(dot + 1)];
}
