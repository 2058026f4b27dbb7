import {
  type ClusterManagementAddOn,
  addOnTemplates,
  clusterManagementAddOns,
  clusterRoleBindings,
  clusterRoles,
  managedClusterAddOns,
} from '@outrigger/api';
import { type ApiError, isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { addCluster, eventuallyIs, install, templateOf } from './objects.js';
import { type AddOnWorld, startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

const TENANT = { user: 'tenant', groups: ['system:authenticated'] };

function declared(name: string, ...dependencies: string[]): ClusterManagementAddOn {
  const spec = { dependencies: dependencies.map((dependency) => ({ name: dependency })) };
  return { apiVersion: 'addon.open-cluster-management.io/v1alpha1', kind: 'ClusterManagementAddOn', metadata: { name }, spec };
}

/** What the door says no with. */
async function refusalOf(write: Promise<unknown>): Promise<ApiError> {
  const error = await write.then(
    () => new Error('was accepted'),
    (refused: unknown) => refused,
  );
  if (!isApiError(error)) throw error;
  return error;
}

/** May write add-ons and templates, and nothing else. */
async function admitTenant(hub: Client): Promise<void> {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const rules = [{ apiGroups: ['addon.open-cluster-management.io'], resources: ['*'], verbs: ['*'] }];
  await hub.create(clusterRoles, { apiVersion, kind: 'ClusterRole', metadata: { name: 'tenant' }, rules });
  await hub.create(clusterRoleBindings, {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'tenant' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'tenant' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'tenant' }],
  });
}

/** The manager's caches know of a declaration. */
async function untilKnown({ hub, eventually }: AddOnWorld, name: string): Promise<void> {
  await eventually(`${name} is known`, async () => {
    const { status } = await hub.get(clusterManagementAddOns, { name });
    return status?.conditions?.some(({ type }) => type === 'DependenciesValid') ? true : undefined;
  });
}

describe('the door of the embedded hub', () => {
  it('AT-31 refuses a cycle and prints it, and leaves other edits alone', async () => {
    const world = await startWorld({ hasDoor: true });
    await world.hub.create(clusterManagementAddOns, declared('a', 'b'));
    await untilKnown(world, 'a');
    const refused = await refusalOf(world.hub.create(clusterManagementAddOns, declared('b', 'a')));
    expect([refused.reason, refused.message]).toEqual(['Invalid', expect.stringContaining('b -> a -> b')]);
    expect((await refusalOf(world.hub.create(clusterManagementAddOns, declared('c', 'c')))).message).toContain('c');
    await world.hub.create(clusterManagementAddOns, declared('b'));
  });

  it('AT-14 refuses a template that hands out a role its author may not bind, with the command that allows it', async () => {
    const world = await startWorld({ hasDoor: true, prepare: admitTenant });
    const hubPermissions = [{ type: 'CurrentCluster', currentCluster: { clusterRoleName: 'cluster-admin' } }] as const;
    const template = templateOf('hello', { registration: [{ type: 'KubeClient', kubeClient: { hubPermissions } }] });
    const refused = await refusalOf(world.as(TENANT).create(addOnTemplates, template));
    expect(refused.reason).toBe('Forbidden');
    expect(refused.message).toContain('you may not bind the ClusterRole cluster-admin');
    expect(refused.message).toContain('kubectl create clusterrole bind-cluster-admin --verb=bind');
    // An administrator may.
    await world.hub.create(addOnTemplates, template);
  });

  it('AT-15 refuses a reference to an object its author may not get, and says nothing of it', async () => {
    const world = await startWorld({ hasDoor: true, prepare: admitTenant });
    await addCluster(world, 'c1');
    const supportedConfigs = [{ group: '', resource: 'secrets' }];
    const declaration = declared('hello');
    await world.hub.create(clusterManagementAddOns, { ...declaration, spec: { ...declaration.spec, supportedConfigs } });
    await untilKnown(world, 'hello');
    const configs = [{ group: '', resource: 'secrets', namespace: 'default', name: 'somebody-elses' }];
    const refused = await refusalOf(
      world.as(TENANT).create(managedClusterAddOns, {
        apiVersion: 'addon.open-cluster-management.io/v1alpha1',
        kind: 'ManagedClusterAddOn',
        metadata: { name: 'hello', namespace: 'c1' },
        spec: { configs },
      }),
    );
    expect(refused.reason).toBe('Forbidden');
  });

  it('AT-34 lets a needed add-on be deleted, with a warning that names who needs it; they degrade and recover', async () => {
    const world = await startWorld({ hasDoor: true });
    await addCluster(world, 'c1');
    for (const name of ['base', 'needy']) {
      await world.hub.create(addOnTemplates, templateOf(name, { version: 'v1' }));
      await world.hub.create(clusterManagementAddOns, name === 'needy' ? declared('needy', 'base') : declared('base'));
      await install(world, 'c1', name);
    }
    await eventuallyIs(world, 'c1', 'needy', 'Available', 'True ProbeAvailable');
    const answer = await world.hub.raw({
      method: 'DELETE',
      path: '/apis/addon.open-cluster-management.io/v1alpha1/namespaces/c1/managedclusteraddons/base',
    });
    expect(answer.headers['warning']).toContain('needy');
    await eventuallyIs(world, 'c1', 'needy', 'Available', 'False RequiredDependencyNotSatisfied');
    await install(world, 'c1', 'base');
    await eventuallyIs(world, 'c1', 'needy', 'Available', 'True ProbeAvailable');
  });
});

describe('without the door', () => {
  it('AT-31 a cycle that got in is contained: both say so, others are unaffected, and opening it heals', async () => {
    const world = await startWorld();
    await addCluster(world, 'c1');
    for (const name of ['a', 'b', 'c']) await world.hub.create(addOnTemplates, templateOf(name, { version: 'v1' }));
    for (const object of [declared('a', 'b'), declared('b', 'a'), declared('c')]) await world.hub.create(clusterManagementAddOns, object);
    for (const name of ['a', 'b', 'c']) await install(world, 'c1', name);
    const degraded = await eventuallyIs(world, 'c1', 'a', 'Degraded', 'True RequiredDependencyNotSatisfied');
    expect(degraded.status?.conditions?.find(({ type }) => type === 'Degraded')?.message).toBe(
      "Required addon 'b' is part of a dependency cycle: a -> b -> a.",
    );
    await eventuallyIs(world, 'c1', 'c', 'Available', 'True ProbeAvailable');
    await world.eventually('the declaration says so', async () => {
      const { status } = await world.hub.get(clusterManagementAddOns, { name: 'b' });
      const found = status?.conditions?.find(({ type }) => type === 'DependenciesValid');
      expect(found).toMatchObject({ status: 'False', reason: 'CircularDependency', message: expect.stringContaining('b -> a -> b') });
      return true;
    });
    await world.hub.patch(clusterManagementAddOns, { name: 'b' }, { type: 'merge', patch: { spec: { dependencies: [] } } });
    await eventuallyIs(world, 'c1', 'a', 'Available', 'True ProbeAvailable');
  });
});
