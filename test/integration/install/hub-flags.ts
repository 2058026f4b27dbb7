import {
  ALL_CLUSTER_AGENTS_GROUP,
  CLUSTER_NAME_LABEL,
  HUB_NAMESPACE,
  type ManagedCluster,
  type RbacSubject,
  UNREADABLE_KINDS_ANNOTATION,
  certificateSigningRequests,
  clusterAgentGroup,
  clusterAgentUser,
  clusterRoleBindings,
  clusterRoleName,
  clusterRoles,
  leases,
  managedClusters,
  manifestWorkReplicaSets,
  namespaces,
  roleBindings,
  roles,
  serviceAccountUser,
  serviceAccounts,
  subjectAccessReviews,
} from '@outrigger/api';
import { type KubeObject, isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { expect } from 'vitest';
import type { Ran } from '../../cli/world.js';
import { certificateRequest } from '../../harness/certificates.js';
import { freePorts } from '../../harness/process.js';
import { crds } from '../work/world.js';

export interface FlagWorld {
  readonly admin: Client;
  /** The administrator's kubeconfig file. */
  readonly kubeconfigPath: string;
  as(user: string, groups: readonly string[]): Client;
  outrigger(...args: readonly string[]): Promise<Ran>;
  /** Starts a command. Returns a function that stops the command and resolves with the exit code. */
  start(...args: readonly string[]): () => Promise<number>;
  eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T>;
}

const BOOTSTRAP = 'system:serviceaccount:open-cluster-management:agent-registration-bootstrap';
const BOOTSTRAP_GROUPS = ['system:serviceaccounts', 'system:serviceaccounts:open-cluster-management', 'system:authenticated'];
const RBAC = { apiVersion: 'rbac.authorization.k8s.io/v1' };

/**
 * A manager on a hub without one of its kinds becomes the leader, reports the kind to operators, and uses the kind as soon as the hub
 * serves it.
 */
export async function namesUnreadableKinds({ admin, outrigger, start, eventually }: FlagWorld): Promise<void> {
  expect(await outrigger('install', 'hub', '--image', 'example.com/outrigger:1', '--apply')).toMatchObject({ code: 0 });
  const name = 'manifestworkreplicasets.work.open-cluster-management.io';
  const definition = await admin.get(crds, { name });
  await admin.delete(crds, { name });
  await eventually('the kind is not served', () =>
    admin.list(manifestWorkReplicaSets).then(
      () => undefined,
      (error: unknown) => isApiError(error, 'NotFound') || undefined,
    ),
  );
  const [port = 0] = await freePorts(1);
  const stop = start('hub', '--metrics-port', String(port), '--log-level', 'error');
  const annotation = async (): Promise<string | undefined> =>
    (await admin.get(leases, { namespace: HUB_NAMESPACE, name: 'outrigger-hub' })).metadata.annotations?.[UNREADABLE_KINDS_ANNOTATION];
  expect(await eventually('the Lease names the kind', annotation)).toContain(`${name} cannot be read`);
  const ready = await fetch(`http://127.0.0.1:${port}/readyz?verbose`);
  expect([ready.status, await ready.text()]).toEqual([200, expect.stringContaining(`[+]caches ok: ${name} cannot be read`)]);
  expect(await outrigger('doctor')).toMatchObject({
    code: 5,
    out: expect.stringContaining(`controllers wait for kinds: ${name} cannot be read`) as string,
  });
  await admin.create(crds, { ...definition, metadata: { name } });
  await eventually('the Lease names no kind', async () => ((await annotation()) === undefined ? true : undefined));
  expect(await (await fetch(`http://127.0.0.1:${port}/readyz?verbose`)).text()).toContain('[+]caches ok\n');
  expect(await stop()).toBe(0);
}

/** With upstream's flags, a cluster joins with the account that clusteradm uses, and is accepted without a fleet admin. */
export async function joinsAsUpstreamDoes(world: FlagWorld): Promise<void> {
  const { admin, outrigger, eventually } = world;
  expect(await outrigger('install', 'hub', '--image', 'example.com/outrigger:1', '--clusteradm', '--apply')).toMatchObject({ code: 0 });
  const key = { namespace: 'open-cluster-management', name: 'agent-registration-bootstrap' };
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: { expirationSeconds: 600 } };
  const answer = await admin.createSubresource(serviceAccounts, key, 'token', request);
  expect((answer as unknown as { status: { token: string } }).status.token, 'what `clusteradm get token` prints').not.toBe('');

  const flags = ['--no-leader-election', '--auto-accept', '--bootstrap-user', BOOTSTRAP, '--label', 'team=edge'];
  const stop = world.start('hub', '--namespace', 'manager-of-its-own', '--metrics-port', '0', '--log-level', 'error', ...flags);
  await eventually('the namespace of the manager exists', () => found(() => admin.get(namespaces, { name: 'manager-of-its-own' })));

  const agent = world.as(BOOTSTRAP, BOOTSTRAP_GROUPS);
  const cluster = 'flags1';
  await agent.create(managedClusters, {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name: cluster },
    spec: {},
  });
  const subject = `/O=${clusterAgentGroup(cluster)}/O=${ALL_CLUSTER_AGENTS_GROUP}/CN=${clusterAgentUser(cluster, 'agent1')}`;
  await agent.create(certificateSigningRequests, {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'flags1-csr', labels: { [CLUSTER_NAME_LABEL]: cluster } },
    spec: {
      request: await certificateRequest(subject),
      signerName: 'kubernetes.io/kube-apiserver-client',
      usages: ['digital signature', 'key encipherment', 'client auth'],
    },
  });
  await eventually('the cluster is accepted', async () =>
    (await admin.get(managedClusters, { name: cluster })).spec.hubAcceptsClient ? true : undefined,
  );
  await eventually('the request of the bootstrap user is approved', async () => {
    const { status } = await admin.get(certificateSigningRequests, { name: 'flags1-csr' });
    return status?.conditions?.some(({ type }) => type === 'Approved') ? true : undefined;
  });
  const made = await eventually('rights of the agent exist', () =>
    found(() => Promise.all([admin.get(namespaces, { name: cluster }), admin.get(clusterRoles, { name: clusterRoleName(cluster) })])),
  );
  for (const { metadata } of made) expect(metadata.labels).toMatchObject({ team: 'edge', [CLUSTER_NAME_LABEL]: cluster });
  for (const { metadata } of (await admin.list(roleBindings, { namespace: cluster })).items)
    expect(metadata.labels).toMatchObject({ team: 'edge' });
  expect(await stop()).toBe(0);

  // The token's account has no other permissions.
  await expect(agent.list(managedClusters)).rejects.toMatchObject({ reason: 'Forbidden' });
  await expect(
    agent.patch(managedClusters, { name: cluster }, { type: 'merge', patch: { spec: { hubAcceptsClient: true } } }),
  ).rejects.toMatchObject({
    reason: 'Forbidden',
  });
}

/**
 * A user that --bootstrap-user names has the permissions that an agent needs to join, not those of a fleet admin. The user cannot set
 * labels or taints of a cluster, and cannot create a cluster while no webhook responds.
 */
export async function boundsBootstrapUsers({ admin, as, outrigger, start, eventually }: FlagWorld): Promise<void> {
  expect(await outrigger('install', 'hub', '--image', 'example.com/outrigger:1', '--apply')).toMatchObject({ code: 0 });
  const name = 'edge-joiner';
  const rules = [{ apiGroups: ['cluster.open-cluster-management.io'], resources: ['managedclusters'], verbs: ['create', 'get'] }];
  await admin.create(clusterRoles, { ...RBAC, kind: 'ClusterRole', metadata: { name }, rules });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name } as const;
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }] as const;
  await admin.create(clusterRoleBindings, { ...RBAC, kind: 'ClusterRoleBinding', metadata: { name }, roleRef, subjects });
  const joiner = as(name, ['system:authenticated']);
  const announce = (spec: object): Promise<ManagedCluster> => {
    const metadata = { name: 'joined-by-flag', labels: { 'example.com/tier': 'high' } };
    const object = { apiVersion: 'cluster.open-cluster-management.io/v1', kind: 'ManagedCluster', metadata, spec } as ManagedCluster;
    return joiner.create(managedClusters, object, { dryRun: true });
  };

  const [port = 0] = await freePorts(1);
  const webhooks = ['--webhook-port', String(port), '--webhook-url', `https://127.0.0.1:${port}`];
  const stop = start('hub', '--metrics-port', '0', '--log-level', 'error', '--bootstrap-user', name, ...webhooks);
  await eventually('the cluster is announced without the label', () =>
    announce({}).then(
      ({ metadata }) => (metadata.labels?.['example.com/tier'] === undefined ? true : undefined),
      // The test ignores a rejection here, because the validating webhooks are published a moment before the mutating ones.
      () => undefined,
    ),
  );
  await expect(announce({ taints: [{ key: 'k', effect: 'NoSelect' }] })).rejects.toMatchObject({ reason: 'Forbidden' });
  expect(await stop()).toBe(0);
  await expect(announce({})).rejects.toMatchObject({ reason: 'InternalError' });
}

function signerRule(name: string): object {
  return { apiGroups: ['certificates.k8s.io'], resources: ['signers'], resourceNames: [name] };
}

/** The manager takes over the permissions that charts grant to upstream's manager to bind and to sign by name, and no other permissions. */
export async function takesOverRights({ admin, outrigger, eventually }: FlagWorld): Promise<void> {
  const account = { kind: 'ServiceAccount', namespace: 'open-cluster-management-hub', name: 'addon-manager-controller-sa' } as const;
  const clusterRole = (name: string, content: object, labels = {}): Promise<unknown> =>
    admin.create(clusterRoles, { ...RBAC, kind: 'ClusterRole', metadata: { name, labels }, ...content });
  const bound = (name: string, subject: RbacSubject = account): Promise<unknown> => {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name } as const;
    const subjects = [subject];
    return admin.create(clusterRoleBindings, { ...RBAC, kind: 'ClusterRoleBinding', metadata: { name }, roleRef, subjects });
  };
  const chart = async (name: string, rules: readonly object[], subject?: RbacSubject): Promise<void> => {
    await clusterRole(name, { rules });
    await bound(name, subject);
  };
  const binds = (name: string): object => ({
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['clusterroles'],
    resourceNames: [name],
    verbs: ['bind'],
  });
  await chart('chart-a', [
    { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], resourceNames: ['view'], verbs: ['bind'] },
    { apiGroups: ['certificates.k8s.io'], resources: ['signers'], resourceNames: ['example.com/own'], verbs: ['approve', 'sign'] },
    { apiGroups: [''], resources: ['secrets'], resourceNames: ['own-ca'], verbs: ['get'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['create'] },
  ]);
  // Other ways to grant a right to the account: by its user name, by the group of its namespace, and by an aggregated role.
  const apiGroup = 'rbac.authorization.k8s.io';
  await chart('chart-c', [binds('by-user')], { kind: 'User', apiGroup, name: serviceAccountUser(account.namespace, account.name) });
  await chart('chart-d', [binds('by-group')], { kind: 'Group', apiGroup, name: `system:serviceaccounts:${account.namespace}` });
  const matchLabels = { 'example.com/aggregate': 'true' };
  await clusterRole('chart-e', { aggregationRule: { clusterRoleSelectors: [{ matchLabels }] }, rules: [] });
  await clusterRole('chart-e-part', { rules: [binds('by-aggregation')] }, matchLabels);
  await bound('chart-e');
  // Rules that grant all permissions, or that contain wildcards, are not copied.
  await chart('chart-f', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]);
  await chart('chart-g', [{ ...signerRule('example.com/*'), verbs: ['sign'] }]);
  await eventually('the aggregated role has its rules', async () =>
    ((await admin.get(clusterRoles, { name: 'chart-e' })).rules ?? []).length > 0 ? true : undefined,
  );
  await admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'chart-b' } });
  await clusterRole('chart-h', { rules: [binds('in-namespace')] });
  await admin.create(roleBindings, {
    ...RBAC,
    kind: 'RoleBinding',
    metadata: { name: 'chart-h', namespace: 'chart-b' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'chart-h' },
    subjects: [account],
  });
  const inNamespace = { name: 'chart-b', namespace: 'chart-b' };
  await admin.create(roles, {
    ...RBAC,
    kind: 'Role',
    metadata: inNamespace,
    rules: [{ apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], resourceNames: ['reader'], verbs: ['bind'] }],
  });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'chart-b' } as const;
  await admin.create(roleBindings, { ...RBAC, kind: 'RoleBinding', metadata: inNamespace, roleRef, subjects: [account] });

  const installed = await outrigger('install', 'hub', '--image', 'example.com/outrigger:1', '--take-over', '--apply');
  expect(installed).toMatchObject({ code: 0, note: expect.stringContaining('reading Secret own-ca') as string });
  const bind = { group: 'rbac.authorization.k8s.io', verb: 'bind' };
  await eventually('the rights have reached our manager', async () =>
    (await mayManager(admin, { ...bind, resource: 'clusterroles', name: 'view' })) ? true : undefined,
  );
  const signer = { group: 'certificates.k8s.io', resource: 'signers', name: 'example.com/own' };
  const asked = {
    approve: await mayManager(admin, { ...signer, verb: 'approve' }),
    sign: await mayManager(admin, { ...signer, verb: 'sign' }),
    bindInNamespace: await mayManager(admin, { ...bind, resource: 'roles', name: 'reader', namespace: 'chart-b' }),
    byUser: await mayManager(admin, { ...bind, resource: 'clusterroles', name: 'by-user' }),
    byGroup: await mayManager(admin, { ...bind, resource: 'clusterroles', name: 'by-group' }),
    byAggregation: await mayManager(admin, { ...bind, resource: 'clusterroles', name: 'by-aggregation' }),
    clusterRoleInNamespace: await mayManager(admin, { ...bind, resource: 'clusterroles', name: 'in-namespace', namespace: 'chart-b' }),
    clusterRoleElsewhere: await mayManager(admin, { ...bind, resource: 'clusterroles', name: 'in-namespace' }),
    bindElsewhere: await mayManager(admin, { ...bind, resource: 'roles', name: 'reader', namespace: 'default' }),
    bindOther: await mayManager(admin, { ...bind, resource: 'clusterroles', name: 'edit' }),
    otherSigner: await mayManager(admin, { ...signer, name: 'example.com/other', verb: 'sign' }),
    secret: await mayManager(admin, { group: '', resource: 'secrets', name: 'own-ca', namespace: 'default', verb: 'get' }),
    pods: await mayManager(admin, { group: '', resource: 'pods', name: '', namespace: 'default', verb: 'create' }),
  };
  expect(asked).toEqual({
    approve: true,
    sign: true,
    bindInNamespace: true,
    byUser: true,
    byGroup: true,
    byAggregation: true,
    clusterRoleInNamespace: true,
    clusterRoleElsewhere: false,
    bindElsewhere: false,
    bindOther: false,
    otherSigner: false,
    secret: false,
    pods: false,
  });
  expect(await outrigger('uninstall', 'hub', '--apply')).toMatchObject({ code: 0 });
  const left = [...(await admin.list(clusterRoles)).items, ...(await admin.list(roles)).items, ...(await admin.list(roleBindings)).items];
  expect(left.filter(({ metadata }: KubeObject) => metadata.name?.startsWith('outrigger-taken-over'))).toEqual([]);
}

async function mayManager(
  admin: Client,
  resourceAttributes: {
    readonly group: string;
    readonly resource: string;
    readonly name: string;
    readonly verb: string;
    readonly namespace?: string;
  },
): Promise<boolean> {
  const user = `system:serviceaccount:${HUB_NAMESPACE}:outrigger-hub`;
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec: { user, resourceAttributes } };
  return (await admin.create(subjectAccessReviews, review)).status?.allowed === true;
}

async function found<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}
