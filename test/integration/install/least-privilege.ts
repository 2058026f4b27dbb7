import {
  ADDON_NAME_LABEL,
  CLUSTER_NAME_LABEL,
  HUB_NAMESPACE,
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  leases,
  managedClusterSets,
  managedClusters,
  namespaces,
  roleBindings,
  secrets,
  serviceAccounts,
  subjectAccessReviews,
} from '@outrigger/api';
import { type JsonObject, type Kind, type KubeObject, apiVersionOf, isApiError } from '@outrigger/core';
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '@outrigger/hub';
import type { Client } from '@outrigger/kube';
import { expect } from 'vitest';
import type { Ran } from '../../cli/world.js';
import { certificateRequest } from '../../harness/certificates.js';

export interface RightsWorld {
  readonly admin: Client;
  /** A client with the identity of the manager's ServiceAccount. */
  readonly manager: Client;
  sleep(ms: number): Promise<void>;
  outrigger(...args: readonly string[]): Promise<Ran>;
}

const MANAGER = `system:serviceaccount:${HUB_NAMESPACE}:outrigger-hub`;
const GROUPS = ['system:serviceaccounts', `system:serviceaccounts:${HUB_NAMESPACE}`, 'system:authenticated'];
const RBAC = 'rbac.authorization.k8s.io';

export interface Right {
  readonly group?: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly verbs: readonly string[];
  readonly names?: readonly string[];
  readonly namespaces?: readonly string[];
}

const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const ANYWHERE = ['', 'kube-system', 'default', 'cluster1'];

/**
 * Permissions that each allow escalation, in one or a few steps, to the permissions of an administrator. The test checks each of them with
 * the API server.
 */
export const ESCALATING: readonly Right[] = [
  { resource: 'serviceaccounts', subresource: 'token', verbs: ['create'], names: ['', 'default'], namespaces: ANYWHERE },
  { resource: 'serviceaccounts', verbs: ['impersonate', ...WRITE], names: ['', 'default'], namespaces: ANYWHERE },
  { resource: 'users', verbs: ['impersonate'] },
  { resource: 'groups', verbs: ['impersonate'], names: ['', 'system:masters'] },
  { resource: 'secrets', verbs: ['get', 'list', 'watch', ...WRITE], namespaces: ANYWHERE },
  { resource: 'secrets', verbs: ['list', 'watch', 'delete', 'deletecollection'], namespaces: [HUB_NAMESPACE] },
  { resource: 'secrets', verbs: ['update', 'patch'], names: ['', 'of-another-program'], namespaces: [HUB_NAMESPACE] },
  { resource: 'pods', verbs: WRITE, namespaces: [...ANYWHERE, HUB_NAMESPACE] },
  { resource: 'pods', subresource: 'exec', verbs: ['create', 'get'], namespaces: [...ANYWHERE, HUB_NAMESPACE] },
  { resource: 'pods', subresource: 'ephemeralcontainers', verbs: ['patch', 'update'], namespaces: [...ANYWHERE, HUB_NAMESPACE] },
  { resource: 'nodes', verbs: WRITE },
  { resource: 'nodes', subresource: 'proxy', verbs: ['get', 'create'] },
  { resource: 'namespaces', verbs: ['delete', 'deletecollection'], names: ['', 'kube-system'] },
  { resource: 'configmaps', verbs: ['get', 'list', 'watch', 'update', 'patch', 'delete'], namespaces: ANYWHERE },
  { group: 'apps', resource: 'deployments', verbs: ['list', 'watch', ...WRITE], namespaces: [...ANYWHERE, HUB_NAMESPACE] },
  { group: 'apps', resource: 'daemonsets', verbs: WRITE, namespaces: ANYWHERE },
  { group: 'batch', resource: 'jobs', verbs: WRITE, namespaces: ANYWHERE },
  {
    group: 'coordination.k8s.io',
    resource: 'leases',
    verbs: ['update', 'patch', 'delete'],
    names: ['kube-scheduler', ''],
    namespaces: ANYWHERE,
  },
  {
    group: 'coordination.k8s.io',
    resource: 'leases',
    verbs: ['update', 'patch', 'delete', 'deletecollection'],
    names: ['', 'of-another-program'],
    namespaces: [HUB_NAMESPACE],
  },
  { group: RBAC, resource: 'clusterroles', verbs: ['escalate', 'bind', 'deletecollection'], names: ['', 'cluster-admin', 'admin', 'edit'] },
  { group: RBAC, resource: 'roles', verbs: ['escalate', 'bind', 'deletecollection'], namespaces: ANYWHERE },
  { group: RBAC, resource: 'clusterrolebindings', verbs: ['deletecollection'] },
  { group: 'certificates.k8s.io', resource: 'signers', verbs: ['sign'], names: ['kubernetes.io/kube-apiserver-client', ''] },
  {
    group: 'certificates.k8s.io',
    resource: 'signers',
    verbs: ['approve', 'attest'],
    names: ['', 'kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet'],
  },
  {
    group: 'admissionregistration.k8s.io',
    resource: 'mutatingwebhookconfigurations',
    verbs: WRITE,
    names: ['', 'another'],
  },
  { group: 'admissionregistration.k8s.io', resource: 'validatingwebhookconfigurations', verbs: WRITE, names: ['', 'another'] },
  { group: 'admissionregistration.k8s.io', resource: 'validatingadmissionpolicies', verbs: WRITE, names: ['', 'outrigger-hub'] },
  { group: 'admissionregistration.k8s.io', resource: 'validatingadmissionpolicybindings', verbs: WRITE, names: ['', 'outrigger-hub'] },
  {
    group: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
    verbs: WRITE,
    names: ['', 'placements.cluster.open-cluster-management.io'],
  },
  { group: 'apiregistration.k8s.io', resource: 'apiservices', verbs: WRITE },
  { group: 'addon.open-cluster-management.io', resource: 'addontemplates', verbs: WRITE },
  { group: 'addon.open-cluster-management.io', resource: 'addondeploymentconfigs', verbs: WRITE, namespaces: ANYWHERE },
  { group: '*', resource: '*', verbs: ['*', 'get', 'create'] },
];

/** The shipped permissions allow no privilege escalation: access reviews deny every such permission, and every attempt is rejected. */
export async function findsNoEscalation(world: RightsWorld): Promise<void> {
  const { admin } = world;
  expect(await world.outrigger('install', 'hub', '--image', 'example.com/outrigger:1', '--apply')).toMatchObject({ code: 0 });
  await admin.create(namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'cluster1', labels: { [CLUSTER_NAME_LABEL]: 'cluster1' } },
  });
  for (const kind of [managedClusters, managedClusterSets] as readonly Kind[])
    await admin.create(kind, object(kind, { name: 'owned' }, { spec: {} }));
  const another = { name: 'of-another-program', namespace: HUB_NAMESPACE };
  await admin.create(serviceAccounts, object(serviceAccounts, another));
  await admin.create(secrets, object(secrets, another, { type: 'Opaque', data: {} }));
  await admin.create(leases, object(leases, another));
  const allowed: string[] = [];
  for (const right of ESCALATING)
    for (const verb of right.verbs)
      for (const name of right.names ?? [''])
        for (const namespace of right.namespaces ?? [''])
          if (await isAllowed(admin, right, { verb, name, namespace })) allowed.push(`${verb} ${right.resource} ${namespace}/${name}`);
  expect(allowed).toEqual([]);
  expect(
    await isAllowed(admin, { resource: 'namespaces', verbs: [] }, { verb: 'create', name: '', namespace: '' }),
    'it is asked rightly',
  ).toBe(true);
  await holdsNoWildcards(world);
  await refusesAttempts(world);
}

/**
 * The API server's own list of the permissions of the account contains no wildcard and neither of the verbs `escalate` and `impersonate`.
 */
async function holdsNoWildcards({ manager }: RightsWorld): Promise<void> {
  for (const namespace of ['kube-system', 'cluster1', HUB_NAMESPACE]) {
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', metadata: {}, spec: { namespace } };
    const { status } = (await manager.create(RULES_REVIEWS, review)) as KubeObject & {
      readonly status: { readonly resourceRules: readonly HeldRule[] };
    };
    expect(status.resourceRules.length).toBeGreaterThan(10);
    const wide = status.resourceRules.filter(
      ({ verbs, apiGroups = [], resources = [] }) =>
        [...verbs, ...apiGroups, ...resources].includes('*') || verbs.some((verb) => ['escalate', 'impersonate'].includes(verb)),
    );
    expect(wide).toEqual([]);
  }
}

interface HeldRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
}

const CRDS: Kind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

const RULES_REVIEWS: Kind = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectRulesReview',
  plural: 'selfsubjectrulesreviews',
  namespaced: false,
};

async function isAllowed(
  admin: Client,
  { group = '', resource, subresource }: Right,
  { verb, name, namespace }: { readonly verb: string; readonly name: string; readonly namespace: string },
): Promise<boolean> {
  const resourceAttributes = { group, resource, verb, name, namespace, ...(subresource === undefined ? {} : { subresource }) };
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: { user: MANAGER, groups: GROUPS, resourceAttributes },
  };
  const { status } = await admin.create(subjectAccessReviews, review);
  return status?.allowed === true;
}

const labels = { [CLUSTER_NAME_LABEL]: 'cluster1' };
const object = (kind: Kind, metadata: KubeObject['metadata'], rest: object = {}): never =>
  ({ apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, ...rest }) as never;
const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: 'cluster-admin' };
const subjects = [{ kind: 'ServiceAccount', namespace: HUB_NAMESPACE, name: 'outrigger-hub' }];
const merge = (patch: JsonObject): { readonly type: 'merge'; readonly patch: JsonObject } => ({ type: 'merge', patch });

/** An owner that does not exist. */
const NOBODY = [{ apiVersion: 'v1', kind: 'Namespace', name: 'nobody', uid: 'nobody' }];

/** Requests that must fail. RBAC alone may allow some of them, because a role cannot list the names of clusters and add-ons. */
const ATTEMPTS: readonly { readonly name: string; readonly attempt: (manager: Client) => Promise<unknown> }[] = [
  {
    name: 'binds itself to cluster-admin',
    attempt: (manager) => manager.create(clusterRoleBindings, object(clusterRoleBindings, { name: 'mine', labels }, { roleRef, subjects })),
  },
  {
    name: 'makes a role with all rights',
    attempt: (manager) =>
      manager.create(
        clusterRoles,
        object(clusterRoles, { name: 'all', labels }, { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] }),
      ),
  },
  {
    name: 'widens its own role',
    attempt: (manager) =>
      manager.patch(clusterRoles, { name: 'outrigger-hub' }, merge({ rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] })),
  },
  {
    name: 'widens an aggregated role by a labelled one',
    attempt: (manager) =>
      manager.create(
        clusterRoles,
        object(
          clusterRoles,
          { name: 'aggregated', labels: { ...labels, 'outrigger.dev/aggregate-to-signers': 'true' } },
          { rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }] },
        ),
      ),
  },
  { name: 'deletes the binding of administrators', attempt: (manager) => manager.delete(clusterRoleBindings, { name: 'cluster-admin' }) },
  { name: 'deletes a role of the system', attempt: (manager) => manager.delete(clusterRoles, { name: 'view' }) },
  {
    name: 'empties a role of the system',
    attempt: (manager) => manager.patch(clusterRoles, { name: 'edit' }, merge({ rules: [], metadata: { labels } })),
  },
  {
    name: 'labels a binding of the system as its own',
    attempt: (manager) => manager.patch(clusterRoleBindings, { name: 'system:discovery' }, merge({ metadata: { labels } })),
  },
  {
    name: 'makes a binding without a label',
    attempt: (manager) =>
      manager.create(
        roleBindings,
        object(
          roleBindings,
          { name: 'plain', namespace: 'kube-system' },
          { roleRef: { ...roleRef, name: 'outrigger:config-reader' }, subjects },
        ),
      ),
  },
  // RBAC allows this, because the manager has all permissions of the role.
  {
    name: 'binds a role for an add-on that no administrator has listed',
    attempt: (manager) =>
      manager.create(
        roleBindings,
        object(
          roleBindings,
          { name: 'unlisted', namespace: 'cluster1', labels: { ...labels, [ADDON_NAME_LABEL]: 'hello' } },
          { roleRef: { ...roleRef, name: 'outrigger:config-reader' }, subjects },
        ),
      ),
  },
  {
    name: 'relaxes pod security of a namespace',
    attempt: (manager) =>
      manager.patch(
        namespaces,
        { name: 'cluster1' },
        merge({ metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } } }),
      ),
  },
  { name: 'labels kube-system', attempt: (manager) => manager.patch(namespaces, { name: 'kube-system' }, merge({ metadata: { labels } })) },
  { name: 'deletes a namespace', attempt: (manager) => manager.delete(namespaces, { name: 'cluster1' }) },
  // The garbage collector deletes an object whose owners do not exist, so the manager must not be able to set such an owner.
  ...(
    [
      [namespaces, 'cluster1'],
      [managedClusters, 'owned'],
      [managedClusterSets, 'owned'],
      [CRDS, 'managedclusteraddons.addon.open-cluster-management.io'],
    ] as const
  ).map(([kind, name]) => ({
    name: `has a ${kind.kind} deleted, by an owner that does not exist`,
    attempt: (manager: Client) => manager.patch(kind, { name }, merge({ metadata: { ownerReferences: NOBODY } })),
  })),
  {
    name: 'makes a role that collects the rules of all roles',
    attempt: (manager) =>
      manager.create(
        clusterRoles,
        object(clusterRoles, { name: 'collecting', labels }, { rules: [], aggregationRule: { clusterRoleSelectors: [{}] } }),
      ),
  },
  { name: 'reads ConfigMaps of the system', attempt: (manager) => manager.list(configMaps, { namespace: 'kube-system' }) },
  {
    name: 'creates a ConfigMap of the system',
    attempt: (manager) => manager.create(configMaps, object(configMaps, { name: 'kubeadm-config', namespace: 'kube-system' })),
  },
  {
    name: 'creates a lease of the system',
    attempt: (manager) => manager.create(leases, object(leases, { name: 'kube-scheduler-2', namespace: 'kube-system' })),
  },
  {
    name: 'asks for a certificate for itself to approve',
    attempt: async (manager) =>
      manager.create(
        certificateSigningRequests,
        object(
          certificateSigningRequests,
          { name: 'mine' },
          {
            spec: {
              request: await certificateRequest('/CN=system:kube-controller-manager'),
              signerName: 'kubernetes.io/kube-apiserver-client',
              usages: ['client auth'],
            },
          },
        ),
      ),
  },
  {
    name: 'mints a token of another account',
    attempt: (manager) =>
      manager.createSubresource(serviceAccounts, { namespace: 'kube-system', name: 'default' }, 'token', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: {},
        spec: { expirationSeconds: 600 },
      } as never),
  },
  {
    name: 'makes an account in the system',
    attempt: (manager) => manager.create(serviceAccounts, object(serviceAccounts, { name: 'mine', namespace: 'kube-system', labels })),
  },
  // The API server's token controller fills such a Secret with a token of the account.
  ...['default', 'of-another-program'].map((account) => ({
    name: `stores a token of the account ${account} of its namespace`,
    attempt: (manager: Client) =>
      manager.create(
        secrets,
        object(
          secrets,
          { name: account, namespace: HUB_NAMESPACE, annotations: { 'kubernetes.io/service-account.name': account } },
          { type: 'kubernetes.io/service-account-token' },
        ),
      ),
  })),
  ...['Opaque', 'kubernetes.io/tls'].map((type) => ({
    name: `creates another Secret of type ${type} in its namespace`,
    attempt: (manager: Client) =>
      manager.create(
        secrets,
        object(
          secrets,
          { generateName: 'outrigger-webhook-authority', namespace: HUB_NAMESPACE },
          { type, data: { 'tls.crt': '', 'tls.key': '' } },
        ),
      ),
  })),
  {
    name: 'replaces a Secret of another program in its namespace',
    attempt: (manager) =>
      manager.replace(secrets, object(secrets, { name: 'of-another-program', namespace: HUB_NAMESPACE }, { type: 'Opaque', data: {} })),
  },
  {
    name: 'takes the Lease of another program in its namespace',
    attempt: (manager) =>
      manager.replace(
        leases,
        object(leases, { name: 'of-another-program', namespace: HUB_NAMESPACE }, { spec: { holderIdentity: 'mine' } }),
      ),
  },
  {
    name: 'creates another Lease in its namespace',
    attempt: (manager) => manager.create(leases, object(leases, { name: 'another', namespace: HUB_NAMESPACE })),
  },
  { name: 'reads a Secret', attempt: (manager) => manager.list(secrets, { namespace: 'kube-system' }) },
  {
    name: 'creates a webhook configuration',
    attempt: (manager) => manager.create(mutatingWebhookConfigurations, object(mutatingWebhookConfigurations, { name: 'another' })),
  },
  {
    name: 'removes its own webhook configuration',
    attempt: (manager) => manager.delete(validatingWebhookConfigurations, { name: 'outrigger' }),
  },
];

async function refusesAttempts({ admin, manager, sleep }: RightsWorld): Promise<void> {
  // A policy takes effect shortly after it is created.
  const probe = ATTEMPTS.find(({ name }) => name.startsWith('makes a binding without'));
  for (let look = 0; look < 100 && (await outcome(manager, probe as (typeof ATTEMPTS)[number])) === 'allowed'; look++) {
    await admin.delete(roleBindings, { namespace: 'kube-system', name: 'plain' });
    await sleep(100);
  }
  const outcomes: Record<string, string> = {};
  for (const attempt of ATTEMPTS) outcomes[attempt.name] = await outcome(manager, attempt);
  expect(outcomes).toEqual(Object.fromEntries(ATTEMPTS.map(({ name }) => [name, 'refused'])));
  // The requests that the manager needs are still allowed.
  await manager.create(namespaces, object(namespaces, { name: 'cluster2', labels: { [CLUSTER_NAME_LABEL]: 'cluster2' } }));
  await manager.create(leases, object(leases, { name: 'managed-cluster-lease', namespace: 'cluster2' }));
  await manager.create(leases, object(leases, { name: 'outrigger-hub', namespace: HUB_NAMESPACE }));
  const authority = { type: 'kubernetes.io/tls', data: { 'tls.crt': '', 'tls.key': '' } };
  const own = await manager.create(secrets, object(secrets, { name: 'outrigger-webhook-authority', namespace: HUB_NAMESPACE }, authority));
  await manager.replace(secrets, own);
  await manager.list(managedClusters);
}

async function outcome(manager: Client, { attempt }: (typeof ATTEMPTS)[number]): Promise<string> {
  try {
    await attempt(manager);
    return 'allowed';
  } catch (error) {
    return isApiError(error, 'Forbidden') || (isApiError(error, 'Invalid') && /denied request/.test(error.message))
      ? 'refused'
      : `failed: ${String(error)}`;
  }
}
