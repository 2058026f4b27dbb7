import { ADDON_LABEL, grantOf, ownVersion } from './content.js';
import type { LogEntry, ObjectHistory, Stored, Violation } from './log.js';
import { specHash } from './json.js';
import { KIND, specOf } from './reading.js';

const CLUSTER_LABEL = 'open-cluster-management.io/cluster-name';
const [RULE, OWN_NAMESPACE] = ['rights', '<cluster>'];

interface Permission {
  readonly currentCluster?: { readonly clusterRoleName: string };
  readonly singleNamespace?: { readonly namespace: string; readonly roleRef: { readonly kind: string; readonly name: string } };
}
interface TemplateSpec {
  readonly registration?: readonly { readonly kubeClient?: { readonly hubPermissions?: readonly Permission[] } }[];
}
interface Binding extends Stored {
  readonly roleRef?: { readonly kind?: string; readonly name?: string };
  readonly subjects?: readonly { readonly name?: string }[];
}

/** The rights that a template gives to an add-on's agent, each as namespace, kind and name of a role. */
export function rightsOfTemplate(template: Stored | undefined): readonly string[] {
  const permissions = (specOf<TemplateSpec>(template)?.registration ?? []).flatMap(({ kubeClient }) => kubeClient?.hubPermissions ?? []);
  return permissions.flatMap(({ currentCluster, singleNamespace }) => [
    ...(currentCluster ? [`${OWN_NAMESPACE} ClusterRole ${currentCluster.clusterRoleName}`] : []),
    ...(singleNamespace ? [`${singleNamespace.namespace} ${singleNamespace.roleRef.kind} ${singleNamespace.roleRef.name}`] : []),
  ]);
}

/** Returns the right that the binding grants and the add-on whose agent gets it; undefined for other bindings. */
function rightOf(binding: Binding): { readonly cluster: string; readonly addOn: string; readonly right: string } | undefined {
  const { namespace = '', labels = {} } = binding.metadata;
  const [cluster, addOn] = [labels[CLUSTER_LABEL], labels[ADDON_LABEL]];
  if (cluster === undefined || addOn === undefined) return undefined;
  const { kind = '', name = '' } = binding.roleRef ?? {};
  return { cluster, addOn, right: `${namespace === cluster ? OWN_NAMESPACE : namespace} ${kind} ${name}` };
}

/** Checks the rights on the hub that the addon controller gives to the agents of add-ons. */
export class Rights {
  readonly #history: ObjectHistory;
  /** The rights of every template that ever existed, by its digest. */
  readonly #known = new Map<string, readonly string[]>();

  constructor(history: ObjectHistory) {
    this.#history = history;
    for (const template of history.list(KIND.templates)) this.#known.set(specHash(template), rightsOfTemplate(template));
  }

  /**
   * An agent gets only rights from the template of a revision that its cluster may have. If the cluster owner set the version, the rights
   * come from the template of that version.
   */
  judge({ kind, id, pass, before, after, index }: LogEntry): readonly Violation[] {
    if (kind === KIND.templates && after) this.#known.set(specHash(after), rightsOfTemplate(after));
    const given = kind === KIND.bindings && after && !before ? rightOf(after) : undefined;
    if (!given || !after || !pass) return [];
    const { cluster, addOn, right } = given;
    const { granted, installed, isWithoutStrategy } = grantOf(this.#history, pass, { cluster, addOn });
    const version = ownVersion(installed, isWithoutStrategy);
    const allowed = version
      ? this.#history.versions(KIND.templates, `${addOn}-${version}`).flatMap(({ object }) => rightsOfTemplate(object))
      : granted.flatMap(({ configs = [] }) => configs.flatMap(({ specHash: digest }) => this.#known.get(digest) ?? []));
    const found = [
      ...(installed ? [] : [`${id} gives a right to ${cluster}/${addOn}, which does not exist`]),
      ...(allowed.includes(right) ? [] : [`${id} gives ${cluster}/${addOn} the right ${right}, which no granted revision gives`]),
      ...(isOnlyFor(after, cluster, addOn) ? [] : [`${id} gives a right of ${cluster}/${addOn} to other subjects`]),
    ];
    return found.map((message) => ({ rule: RULE, message, index }));
  }
}

/** Whether only the group of this add-on on this cluster gets the right. */
function isOnlyFor({ subjects = [] }: Binding, cluster: string, addOn: string): boolean {
  return subjects.length > 0 && subjects.every(({ name }) => name === `system:open-cluster-management:cluster:${cluster}:addon:${addOn}`);
}

/** At the end an agent has exactly the rights that the template of its add-on gives, and no agent of a removed add-on has any. */
export function judgeRightsAtEnd(history: ObjectHistory, templateOf: (addOn: Stored) => Stored | undefined): readonly Violation[] {
  const given = new Map<string, string[]>();
  for (const binding of history.list(KIND.bindings)) {
    const { cluster, addOn, right } = rightOf(binding) ?? {};
    if (right !== undefined) given.set(`${cluster}/${addOn}`, [...(given.get(`${cluster}/${addOn}`) ?? []), right]);
  }
  const found: string[] = [];
  for (const [id, rights] of given) if (!history.get(KIND.addOns, id)) found.push(`${id} is gone and still has ${rights.join(', ')}`);
  for (const addOn of history.list(KIND.addOns)) {
    const { namespace = '', name = '' } = addOn.metadata;
    if (!history.get(KIND.declarations, name) || !history.get(KIND.clusters, namespace)) continue;
    const [has, wanted] = [given.get(`${namespace}/${name}`) ?? [], rightsOfTemplate(templateOf(addOn))].map((rights) =>
      [...rights].sort(),
    );
    if (has?.join() !== wanted?.join())
      found.push(`${namespace}/${name} has ${has?.join(', ') || 'no right'} instead of ${wanted?.join(', ') || 'none'}`);
  }
  return found.map((message) => ({ rule: RULE, message }));
}
