import {
  addOnTemplates,
  clusterManagementAddOns,
  clusterRoleBindings,
  clusterRoles,
  managedClusterAddOns,
  namespaces,
  roleBindings,
  roles,
  serviceAccounts,
} from '@outrigger/api';
import { isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { addCluster, conditionsOf, eventuallyIs, install, templateOf } from './objects.js';
import { type AddOnWorld, startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

const SHARED = { type: 'SingleNamespace', roleRef: { kind: 'Role', name: 'reader' }, singleNamespace: { namespace: 'shared' } } as const;
const OWN = { type: 'CurrentCluster', currentCluster: { clusterRoleName: 'editor' } } as const;
const registration = [{ type: 'KubeClient', kubeClient: { hubPermissions: [SHARED, OWN] } }] as const;

async function declare(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  await hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shared' } });
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'deletecollection'] }];
  await hub.create(roles, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'reader', namespace: 'shared' },
    rules,
  });
  for (const name of ['editor', 'viewer']) {
    await hub.create(clusterRoles, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules });
  }
  for (const cluster of ['c1', 'c2']) await addCluster(world, cluster);
  await hub.create(addOnTemplates, templateOf('hello', { registration }));
  await hub.create(clusterManagementAddOns, {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ClusterManagementAddOn',
    metadata: { name: 'hello' },
    spec: {
      supportedConfigs: [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', defaultConfig: { name: 'hello' } }],
    },
  });
}

/**
 * Grants the manager the permissions that `install` grants: the manager may write all kinds, but bind only the roles that the aggregated
 * role lists.
 */
async function allowAllButBinding(hub: Client): Promise<void> {
  const kind = 'ClusterRole';
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const everything = { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] };
  await hub.create(clusterRoles, { apiVersion, kind, metadata: { name: 'manager' }, rules: [everything] });
  await hub.create(clusterRoles, {
    apiVersion,
    kind,
    metadata: { name: 'outrigger:bindable-roles' },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'outrigger.dev/aggregate-to-bindable-roles': 'true' } }] },
  });
  for (const name of ['manager', 'outrigger:bindable-roles']) {
    await hub.create(clusterRoleBindings, {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name: `${name}-binding` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'manager' }],
    });
  }
}

const bindingsIn = async ({ hub }: AddOnWorld, namespace: string): Promise<string[]> =>
  (await hub.list(roleBindings, { namespace, labelSelector: 'open-cluster-management.io/addon-name' })).items.map(
    ({ metadata, roleRef, subjects = [] }) =>
      `${metadata.labels?.['open-cluster-management.io/cluster-name'] ?? ''}: ${roleRef.kind} ${roleRef.name} to ${subjects.map(({ kind, name }) => `${kind} ${name}`).join(', ')}`,
  );
const GROUP = (cluster: string): string => `Group system:open-cluster-management:cluster:${cluster}:addon:hello`;

describe('registration: the rights of an add-on on the hub', () => {
  it('AT-13 keeps one binding per permission and cluster, and removing one leaves the other', async () => {
    const world = await startWorld();
    await declare(world);
    await install(world, 'c1', 'hello');
    await install(world, 'c2', 'hello');
    const clusterAddOn = await eventuallyIs(world, 'c1', 'hello', 'RegistrationApplied', 'True SetPermissionApplied');
    await eventuallyIs(world, 'c2', 'hello', 'RegistrationApplied', 'True SetPermissionApplied');
    expect(clusterAddOn.status?.registrations).toEqual([
      {
        signerName: 'kubernetes.io/kube-apiserver-client',
        subject: {
          user: 'system:open-cluster-management:cluster:c1:addon:hello:agent:hello-agent',
          groups: ['system:open-cluster-management:cluster:c1:addon:hello', 'system:open-cluster-management:addon:hello'],
        },
      },
    ]);
    expect(await bindingsIn(world, 'c1')).toEqual([`c1: ClusterRole editor to ${GROUP('c1')}`]);
    expect((await bindingsIn(world, 'shared')).sort()).toEqual([`c1: Role reader to ${GROUP('c1')}`, `c2: Role reader to ${GROUP('c2')}`]);

    await world.hub.delete(managedClusterAddOns, { namespace: 'c1', name: 'hello' });
    await world.eventually('the binding of c1 is gone', async () => {
      expect(await bindingsIn(world, 'shared')).toEqual([`c2: Role reader to ${GROUP('c2')}`]);
      expect(await bindingsIn(world, 'c1')).toEqual([]);
      return true;
    });
  });

  it('the bindings of a permission are deleted when the template drops it', async () => {
    const world = await startWorld();
    await declare(world);
    await install(world, 'c1', 'hello');
    await eventuallyIs(world, 'c1', 'hello', 'RegistrationApplied', 'True SetPermissionApplied');
    const other = { type: 'CurrentCluster', roleRef: { kind: 'ClusterRole', name: 'viewer' } } as const;
    const { spec } = templateOf('hello', { registration: [{ type: 'KubeClient', kubeClient: { hubPermissions: [other] } }] });
    await world.hub.patch(addOnTemplates, { name: 'hello' }, { type: 'merge', patch: { spec: spec as never } });
    await world.eventually('only the new permission is bound', async () => {
      expect([...(await bindingsIn(world, 'c1')), ...(await bindingsIn(world, 'shared'))]).toEqual([
        `c1: ClusterRole viewer to ${GROUP('c1')}`,
      ]);
      return true;
    });
  });

  it('AT-14 a role the manager may not bind is refused, with the command that grants it, and the grant heals it', async () => {
    const world = await startWorld({ manager: { user: 'manager', groups: ['system:authenticated'] }, prepare: allowAllButBinding });
    await declare(world);
    await install(world, 'c1', 'hello');
    const refused = await eventuallyIs(world, 'c1', 'hello', 'RegistrationApplied', 'False SetPermissionFailed');
    const message = refused.status?.conditions?.find(({ type }) => type === 'RegistrationApplied')?.message;
    expect(message).toMatch(/^Failed to set permission for hub agent: (Role reader in shared|ClusterRole editor in c1): /);
    // The message names every refused role at once, so that the administrator can grant all of them in one step.
    for (const role of ['Role reader in shared: ', 'ClusterRole editor in c1: ']) expect(message).toContain(role);
    expect(message).toMatch(
      /kubectl create clusterrole outrigger-bind-\S+ --verb=bind --resource=\S+ --resource-name=\S+ && kubectl label clusterrole \S+ outrigger.dev\/aggregate-to-bindable-roles=true$/,
    );
    // The other parts of the add-on are unaffected.
    await eventuallyIs(world, 'c1', 'hello', 'Available', 'True ProbeAvailable');
    expect(await bindingsIn(world, 'c1')).toEqual([]);

    // The interval between retries does not grow: ten minutes after the refusal, the manager still retries within seconds.
    const { clock, timers } = world.runtime;
    await timers.sleep(600_000);
    const grantedAt = clock.now();
    await world.hub.create(clusterRoles, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'outrigger-bind-editor', labels: { 'outrigger.dev/aggregate-to-bindable-roles': 'true' } },
      rules: [
        {
          apiGroups: ['rbac.authorization.k8s.io'],
          resources: ['clusterroles', 'roles'],
          verbs: ['bind'],
          resourceNames: ['editor', 'reader'],
        },
      ],
    });
    await eventuallyIs(world, 'c1', 'hello', 'RegistrationApplied', 'True SetPermissionApplied');
    expect(clock.now() - grantedAt).toBeLessThan(15_000);
  });

  it('the token driver gets a service account, whose UID the condition reports, and loses it with the driver', async () => {
    const world = await startWorld();
    await declare(world);
    await install(world, 'c1', 'hello');
    await eventuallyIs(world, 'c1', 'hello', 'RegistrationApplied', 'True SetPermissionApplied');
    const drive = (driver: string): Promise<unknown> =>
      world.hub.patch(
        managedClusterAddOns,
        { namespace: 'c1', name: 'hello' },
        { type: 'merge', patch: { status: { kubeClientDriver: driver } } },
        { subresource: 'status' },
      );
    await drive('token');
    const clusterAddOn = await eventuallyIs(world, 'c1', 'hello', 'TokenInfrastructureReady', 'True TokenInfrastructureReady');
    const account = await world.hub.get(serviceAccounts, { namespace: 'c1', name: 'hello-agent' });
    expect(clusterAddOn.status?.conditions?.find(({ type }) => type === 'TokenInfrastructureReady')?.message).toBe(
      `ServiceAccount c1/hello-agent (UID: ${account.metadata.uid ?? ''}) is ready`,
    );
    expect(clusterAddOn.status?.registrations?.[0]?.subject).toEqual({ user: 'system:serviceaccount:c1:hello-agent' });
    expect(await bindingsIn(world, 'c1')).toEqual([`c1: ClusterRole editor to ${GROUP('c1')}, ServiceAccount hello-agent`]);

    await drive('csr');
    await world.eventually('the account is gone', async () => {
      const gone = await world.hub
        .get(serviceAccounts, { namespace: 'c1', name: 'hello-agent' })
        .catch((error: unknown) => isApiError(error, 'NotFound'));
      expect(gone).toBe(true);
      expect(conditionsOf(await world.hub.get(managedClusterAddOns, { namespace: 'c1', name: 'hello' }))).not.toHaveProperty(
        'TokenInfrastructureReady',
      );
      return true;
    });
  });
});
