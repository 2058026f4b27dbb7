import {
  type ClusterManagementAddOn,
  addOnTemplates,
  clusterManagementAddOns,
  clusterRoles,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
  namespaces,
  roleBindings,
} from '@outrigger/api';
import { isApiError } from '@outrigger/core';
import type { Identity } from '@outrigger/control-plane';
import { afterEach, describe, expect, it } from 'vitest';
import { addCluster, addOnOn, eventuallyIs, install, templateOf } from './objects.js';
import { type AddOnWorld, startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

const GROUP = 'addon.open-cluster-management.io';

function declared(name: string): ClusterManagementAddOn {
  const supportedConfigs = [{ group: GROUP, resource: 'addontemplates', defaultConfig: { name } }];
  return { apiVersion: `${GROUP}/v1alpha1`, kind: 'ClusterManagementAddOn', metadata: { name }, spec: { supportedConfigs } };
}

/** Returns the identity in the certificate of an accepted cluster's agent. */
const agentOf = (cluster: string): Identity => ({
  user: `system:open-cluster-management:${cluster}:agent1`,
  groups: [`system:open-cluster-management:${cluster}`, 'system:open-cluster-management:managed-clusters', 'system:authenticated'],
});

async function refusal(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(
    () => 'accepted',
    (error: unknown) => (isApiError(error) ? error.reason : String(error)),
  );
}

/** Installs hello on c1 and c2, with one hub permission in the namespace of each cluster and one in a shared namespace. */
async function twoClusters(): Promise<AddOnWorld> {
  const world = await startWorld({ hasClusters: true });
  const { hub } = world;
  await hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shared' } });
  await hub.create(clusterRoles, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'reader' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
  });
  const hubPermissions = [
    { type: 'CurrentCluster', currentCluster: { clusterRoleName: 'reader' } },
    { type: 'SingleNamespace', singleNamespace: { namespace: 'shared', roleRef: { kind: 'ClusterRole', name: 'reader' } } },
  ] as const;
  await hub.create(addOnTemplates, templateOf('hello', { registration: [{ type: 'KubeClient', kubeClient: { hubPermissions } }] }));
  await hub.create(clusterManagementAddOns, declared('hello'));
  for (const cluster of ['c1', 'c2']) {
    await addCluster(world, cluster);
    await install(world, cluster, 'hello');
    await eventuallyIs(world, cluster, 'hello', 'RegistrationApplied', 'True SetPermissionApplied');
    await world.eventually(`the agent of ${cluster} may report`, async () =>
      (await refusal(world.as(agentOf(cluster)).get(managedClusterAddOns, { namespace: cluster, name: 'hello' }))) === 'accepted'
        ? true
        : undefined,
    );
  }
  return world;
}

const bindingsOf = async ({ hub }: AddOnWorld): Promise<unknown[]> =>
  (await hub.list(roleBindings, { labelSelector: 'open-cluster-management.io/addon-name' })).items.map(
    ({ metadata, roleRef, subjects }) => [metadata.namespace, metadata.name, roleRef, subjects],
  );

describe('an agent that wants more than it was given', () => {
  it('AT-12 writes neither specs, nor another cluster, nor rights; and a forged subject in its own status gains no binding', async () => {
    const world = await twoClusters();
    const agent = world.as(agentOf('c1'));
    const before = await bindingsOf(world);
    expect(before).toHaveLength(4);

    const own = { namespace: 'c1', name: 'hello' };
    const other = { namespace: 'c2', name: 'hello' };
    const spec = { spec: { configs: [{ group: '', resource: 'secrets', namespace: 'kube-system', name: 'x' }] } };
    const forged = { signerName: 'kubernetes.io/kube-apiserver-client', subject: { user: 'system:admin', groups: ['system:masters'] } };
    const status = { status: { registrations: [forged], kubeClientDriver: 'token' } };
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { namespace: 'c1', name: 'mine' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [],
    } as const;
    const attempts: readonly [string, Promise<unknown>][] = [
      ['its own spec', agent.patch(managedClusterAddOns, own, { type: 'merge', patch: spec })],
      ['another cluster’s spec', agent.patch(managedClusterAddOns, other, { type: 'merge', patch: spec })],
      ['another cluster’s status', agent.patch(managedClusterAddOns, other, { type: 'merge', patch: status }, { subresource: 'status' })],
      ['another cluster’s works', agent.list(manifestWorks, { namespace: 'c2' })],
      ['an add-on', agent.create(managedClusterAddOns, addOnOn('c1', 'other'))],
      ['a binding', agent.create(roleBindings, binding)],
      ['the template', agent.patch(addOnTemplates, { name: 'hello' }, { type: 'merge', patch: { spec: { addonName: 'other' } } })],
      ['its acceptance', agent.patch(managedClusters, { name: 'c2' }, { type: 'merge', patch: { spec: { hubAcceptsClient: false } } })],
    ];
    for (const [what, attempt] of attempts) expect([what, await refusal(attempt)]).toEqual([what, 'Forbidden']);

    await agent.patch(managedClusterAddOns, own, { type: 'merge', patch: status }, { subresource: 'status' });
    await world.eventually('the forged subject is replaced', async () => {
      const { status: now } = await world.hub.get(managedClusterAddOns, own);
      expect(now?.registrations?.[0]?.subject).toEqual({ user: 'system:serviceaccount:c1:hello-agent' });
      return true;
    });
    await world.quiet();
    const after = await bindingsOf(world);
    expect(JSON.stringify(after)).not.toMatch(/masters|system:admin/);
    // The driver is the only field of an agent's report that has an effect: it adds the add-on's account in the cluster's own namespace to
    // the bindings of that cluster.
    const account = { kind: 'ServiceAccount', namespace: 'c1', name: 'hello-agent' };
    const withAccount = (before as [string, string, unknown, { name: string }[]][]).map(([namespace, name, role, subjects]) =>
      subjects.some((subject) => subject.name.includes(':c1:'))
        ? [namespace, name, role, [...subjects, account]]
        : [namespace, name, role, subjects],
    );
    expect(after).toEqual(withAccount);
  });

  it('AT-17 annotations and labels a tenant sets name no other cluster and give no right', async () => {
    const world = await twoClusters();
    const { hub } = world;
    const before = await bindingsOf(world);
    const works = async (): Promise<unknown> =>
      (await hub.list(manifestWorks)).items.map(({ metadata, spec }) => [metadata.namespace, metadata.name, spec]);
    const standing = await works();
    world.writes.length = 0;
    const claims = {
      annotations: {
        'addon.open-cluster-management.io/hosting-cluster-name': 'c2',
        'addon.open-cluster-management.io/hosted-manifest-location': 'hosting',
        'addon.open-cluster-management.io/on-multicluster-hub': 'true',
        'addon.open-cluster-management.io/values': '{"admin":true}',
        'outrigger.dev/written': '0/1@9',
      },
      labels: {
        'open-cluster-management.io/addon-namespace': 'c2',
        'open-cluster-management.io/cluster-name': 'c2',
        'outrigger.dev/aggregate-to-bindable-roles': 'true',
      },
    };
    await hub.patch(managedClusterAddOns, { namespace: 'c1', name: 'hello' }, { type: 'merge', patch: { metadata: claims } });
    // The manager does not change a tenant's binding, even if its labels claim that it belongs to an add-on.
    const theirs = await hub.create(roleBindings, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: {
        namespace: 'c1',
        name: 'theirs',
        labels: { 'open-cluster-management.io/addon-name': 'hello', 'open-cluster-management.io/cluster-name': 'c1' },
      },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' },
      subjects: [],
    });
    await world.quiet();
    expect(world.writes.filter((write) => / (manifestworks|rolebindings|clusterroles|managedclusteraddons) /.test(write))).toEqual([]);
    expect(await works()).toEqual(standing);
    expect((await hub.get(roleBindings, { namespace: 'c1', name: 'theirs' })).metadata.resourceVersion).toBe(
      theirs.metadata.resourceVersion,
    );
    await hub.delete(roleBindings, { namespace: 'c1', name: 'theirs' });
    expect(await bindingsOf(world)).toEqual(before);
  });
});
