import type { PolicyRule } from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';

const RBAC = 'rbac.authorization.k8s.io';

/** The namespace of the add-on's agent on the managed cluster. */
export const AGENT_NAMESPACE = 'rights-agent';
/** A namespace in which the add-on's agent has no role by default. */
export const OTHER_NAMESPACE = 'rights-other';
/** A namespace whose service accounts, as a group, are the subject of bindings. */
export const GROUP_NAMESPACE = 'rights-group';

/** The RBAC objects for one subject in both versions of an add-on. */
export interface RightsCase {
  readonly name: string;
  /** The subject, as plans name it. */
  readonly subject: string;
  readonly before: readonly JsonObject[];
  readonly after: readonly JsonObject[];
  /** Whether both versions give the subject the same permissions. */
  readonly isUnchanged?: boolean;
}

export const rule = (
  verbs: readonly string[],
  resources: readonly string[],
  apiGroups: readonly string[] = [''],
  resourceNames?: readonly string[],
): PolicyRule => ({ apiGroups, resources, verbs, ...(resourceNames ? { resourceNames } : {}) });

const urls = (verbs: readonly string[], nonResourceURLs: readonly string[]): PolicyRule => ({ verbs, nonResourceURLs });

export function role(name: string, rules: readonly PolicyRule[], namespace = AGENT_NAMESPACE): JsonObject {
  return { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: { name, namespace }, rules: rules as unknown as JsonObject[] };
}

export function clusterRole(name: string, rules: readonly PolicyRule[], labels: Readonly<Record<string, string>> = {}): JsonObject {
  return { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name, labels }, rules: rules as unknown as JsonObject[] };
}

function aggregated(name: string, matchLabels: Readonly<Record<string, string>>): JsonObject {
  const { rules: _, ...object } = clusterRole(name, []) as JsonObject & { readonly rules: unknown };
  return { ...object, aggregationRule: { clusterRoleSelectors: [{ matchLabels }] } };
}

interface Bound {
  readonly name: string;
  readonly role: readonly [kind: 'Role' | 'ClusterRole', name: string];
  readonly subject: JsonObject;
  /** The namespace of the binding; undefined for a ClusterRoleBinding. */
  readonly namespace?: string | undefined;
}

function binding({ name, role: [kind, roleName], subject, namespace }: Bound): JsonObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    roleRef: { apiGroup: RBAC, kind, name: roleName },
    subjects: [subject],
  };
}

const account = (name: string, namespace = AGENT_NAMESPACE): JsonObject => ({ kind: 'ServiceAccount', namespace, name });
const user = (name: string): JsonObject => ({ kind: 'User', apiGroup: RBAC, name });
const group = (name: string): JsonObject => ({ kind: 'Group', apiGroup: RBAC, name });

/** Returns a case in which the add-on's agent has the rules of one Role, or of one ClusterRole in all namespaces. */
function rules(
  name: string,
  before: readonly PolicyRule[],
  after: readonly PolicyRule[],
  scope: 'Role' | 'ClusterRole' = 'Role',
): RightsCase {
  const id = `rights-${name.replaceAll(/[^a-z0-9]+/g, '-')}`.slice(0, 60).replace(/-$/, '');
  const side = (own: readonly PolicyRule[]): readonly JsonObject[] => [
    scope === 'Role' ? role(id, own) : clusterRole(id, own),
    binding({ name: id, role: [scope, id], subject: account(id), namespace: scope === 'Role' ? AGENT_NAMESPACE : undefined }),
  ];
  return { name, subject: `ServiceAccount ${AGENT_NAMESPACE}/${id}`, before: side(before), after: side(after) };
}

const of = (
  name: string,
  id: string,
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  rest: Partial<RightsCase> = {},
): RightsCase => ({
  name,
  subject: `ServiceAccount ${AGENT_NAMESPACE}/${id}`,
  before,
  after,
  ...rest,
});

const bound = (
  id: string,
  target: Bound['role'],
  namespace: string | undefined,
  subject: JsonObject = account(id),
  name: string = id,
): JsonObject => binding({ name, role: target, subject, namespace });

const GET_PODS = rule(['get'], ['pods']);
const READ = rule(['get', 'list'], ['configmaps']);

/** Cases that add rules to the built-in ClusterRoles of Kubernetes. */
const AGGREGATION_CASES: readonly RightsCase[] = ['view', 'edit', 'admin'].map((name) => ({
  name: `rules added to ClusterRole ${name}`,
  subject: `ClusterRole ${name}`,
  before: [],
  after: [
    clusterRole(`rights-${name}`, [rule(['get', 'list'], [`${name}things`], ['rights.test'])], {
      [`${RBAC}/aggregate-to-${name}`]: 'true',
    }),
  ],
}));

export const RIGHTS_CASES: readonly RightsCase[] = [
  rules(
    'verbs gained and lost',
    [rule(['get', 'update'], ['pods'])],
    [rule(['get', 'create'], ['pods']), rule(['get'], ['deployments'], ['apps'])],
  ),
  rules('rights of a cluster role', [rule(['get', 'list'], ['nodes'])], [rule(['get'], ['nodes', 'pods'])], 'ClusterRole'),
  rules('a subresource is not its resource', [rule(['get'], ['pods'])], [rule(['get'], ['pods/log', 'pods'])]),
  rules('a resource is not its subresource', [rule(['get'], ['pods/status'])], [rule(['get'], ['pods'])]),
  rules('a subresource of every resource', [rule(['update'], ['pods/status'])], [rule(['update'], ['*/status'])]),
  rules('every resource includes subresources', [rule(['get'], ['*'])], [rule(['get'], ['pods', 'pods/log'])]),
  rules('wildcard verb', [rule(['get', 'list'], ['secrets'])], [rule(['*'], ['secrets'])]),
  rules('wildcard verb lost', [rule(['*'], ['leases'], ['coordination.k8s.io'])], [rule(['get'], ['leases'], ['coordination.k8s.io'])]),
  rules('wildcard group', [rule(['get'], ['deployments'], ['apps'])], [rule(['get'], ['deployments'], ['*'])]),
  rules('everything', [GET_PODS], [rule(['*'], ['*'], ['*'])], 'ClusterRole'),
  rules('one object only', [rule(['get'], ['secrets'])], [rule(['get'], ['secrets'], [''], ['own'])]),
  rules(
    'another object',
    [rule(['get', 'update'], ['configmaps'], [''], ['own'])],
    [rule(['get', 'update'], ['configmaps'], [''], ['other'])],
  ),
  rules('any object', [rule(['get'], ['configmaps'], [''], ['own'])], [rule(['get'], ['configmaps'])]),
  rules('urls', [urls(['get'], ['/metrics', '/logs'])], [urls(['get'], ['/logs/*', '/debug/flags'])], 'ClusterRole'),
  rules('url prefix', [urls(['get'], ['/logs/etcd'])], [urls(['get'], ['/logs*'])], 'ClusterRole'),
  rules('every url is no resource', [GET_PODS], [urls(['get'], ['*'])], 'ClusterRole'),
  of(
    'a RoleBinding grants no urls',
    'rights-bound-urls',
    [clusterRole('rights-bound-urls', [GET_PODS]), bound('rights-bound-urls', ['ClusterRole', 'rights-bound-urls'], AGENT_NAMESPACE)],
    [
      clusterRole('rights-bound-urls', [GET_PODS, urls(['get'], ['*'])]),
      bound('rights-bound-urls', ['ClusterRole', 'rights-bound-urls'], AGENT_NAMESPACE),
    ],
    { isUnchanged: true },
  ),
  of(
    'from one namespace to all',
    'rights-wider',
    [clusterRole('rights-wider', [READ]), bound('rights-wider', ['ClusterRole', 'rights-wider'], AGENT_NAMESPACE)],
    [clusterRole('rights-wider', [READ]), bound('rights-wider', ['ClusterRole', 'rights-wider'], undefined)],
  ),
  of(
    'from all namespaces to one',
    'rights-narrower',
    [clusterRole('rights-narrower', [READ]), bound('rights-narrower', ['ClusterRole', 'rights-narrower'], undefined)],
    [clusterRole('rights-narrower', [READ]), bound('rights-narrower', ['ClusterRole', 'rights-narrower'], OTHER_NAMESPACE)],
  ),
  of(
    'a binding without a namespace is in the namespace default',
    'rights-unplaced',
    [],
    [
      clusterRole('rights-unplaced', [READ]),
      { ...bound('rights-unplaced', ['ClusterRole', 'rights-unplaced'], ''), metadata: { name: 'rights-unplaced' } },
    ],
  ),
  of(
    'moved between roles',
    'rights-moved',
    [
      role('rights-moved-a', [READ, GET_PODS]),
      bound('rights-moved', ['Role', 'rights-moved-a'], AGENT_NAMESPACE, undefined, 'rights-moved-a'),
    ],
    [
      role('rights-moved-b', [rule(['list'], ['configmaps']), GET_PODS]),
      bound('rights-moved', ['Role', 'rights-moved-b'], AGENT_NAMESPACE, undefined, 'rights-moved-b'),
      clusterRole('rights-moved-c', [rule(['get'], ['configmaps'])]),
      bound('rights-moved', ['ClusterRole', 'rights-moved-c'], AGENT_NAMESPACE, undefined, 'rights-moved-c'),
    ],
    { isUnchanged: true },
  ),
  of(
    'the service account named as a user',
    'rights-user',
    [role('rights-user', [READ]), bound('rights-user', ['Role', 'rights-user'], AGENT_NAMESPACE)],
    [
      role('rights-user', [READ]),
      bound('rights-user', ['Role', 'rights-user'], AGENT_NAMESPACE, user(`system:serviceaccount:${AGENT_NAMESPACE}:rights-user`)),
    ],
    { isUnchanged: true },
  ),
  {
    name: 'the service account in the group of its namespace',
    subject: `ServiceAccount ${GROUP_NAMESPACE}/one`,
    before: [
      role('rights-group', [READ], GROUP_NAMESPACE),
      bound('one', ['Role', 'rights-group'], GROUP_NAMESPACE, account('one', GROUP_NAMESPACE)),
    ],
    after: [
      role('rights-group', [READ], GROUP_NAMESPACE),
      bound('one', ['Role', 'rights-group'], GROUP_NAMESPACE, group(`system:serviceaccounts:${GROUP_NAMESPACE}`), 'all'),
    ],
    isUnchanged: true,
  },
  of('all rights lost', 'rights-gone', [role('rights-gone', [READ]), bound('rights-gone', ['Role', 'rights-gone'], AGENT_NAMESPACE)], []),
  of(
    'the binding alone removed',
    'rights-unbound',
    [role('rights-unbound', [READ]), bound('rights-unbound', ['Role', 'rights-unbound'], AGENT_NAMESPACE)],
    [role('rights-unbound', [READ])],
  ),
  of(
    'rules of an aggregated ClusterRole',
    'rights-sum',
    [
      aggregated('rights-sum', { 'rights.test/sum': 'yes' }),
      clusterRole('rights-part-a', [READ], { 'rights.test/sum': 'yes' }),
      clusterRole('rights-part-b', [GET_PODS], { 'rights.test/sum': 'no' }),
      bound('rights-sum', ['ClusterRole', 'rights-sum'], undefined),
    ],
    [
      aggregated('rights-sum', { 'rights.test/sum': 'yes' }),
      clusterRole('rights-part-a', [rule(['get'], ['configmaps'])], { 'rights.test/sum': 'yes' }),
      clusterRole('rights-part-b', [GET_PODS], { 'rights.test/sum': 'yes' }),
      bound('rights-sum', ['ClusterRole', 'rights-sum'], undefined),
    ],
  ),
  {
    name: 'cluster-admin',
    subject: 'User rights-root',
    before: [],
    after: [bound('rights-root', ['ClusterRole', 'cluster-admin'], undefined, user('rights-root'))],
  },
  ...AGGREGATION_CASES,
];
