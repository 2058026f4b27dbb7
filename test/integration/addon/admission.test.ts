import {
  type ClusterManagementAddOn,
  addOnTemplates,
  clusterManagementAddOns,
  clusterRoleBindings,
  clusterRoles,
  events,
  managedClusterAddOns,
  secrets,
} from '@outrigger/api';
import { type ApiError, type JsonObject, isApiError } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { CANARY, canaryIn, everythingBut } from './leaked-secrets.js';
import { addCluster, addOnOn, eventuallyIs, install, templateOf } from './objects.js';
import { type AddOnWorld, startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

const TENANT = { user: 'tenant', groups: ['system:authenticated'] };

function declared(name: string, ...dependencies: string[]): ClusterManagementAddOn {
  const spec = { dependencies: dependencies.map((dependency) => ({ name: dependency })) };
  return { apiVersion: 'addon.open-cluster-management.io/v1alpha1', kind: 'ClusterManagementAddOn', metadata: { name }, spec };
}

/** Returns the error with which admission rejects a write. */
async function refusalOf(write: Promise<unknown>): Promise<ApiError> {
  const error = await write.then(
    () => new Error('was accepted'),
    (refused: unknown) => refused,
  );
  if (!isApiError(error)) throw error;
  return error;
}

/** Creates a user that may write only add-ons and templates. */
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

/** Waits until the manager's caches contain a declaration. */
async function untilKnown({ hub, eventually }: AddOnWorld, name: string): Promise<void> {
  await eventually(`${name} is known`, async () => {
    const { status } = await hub.get(clusterManagementAddOns, { name });
    return status?.conditions?.some(({ type }) => type === 'DependenciesValid') ? true : undefined;
  });
}

describe('admission on the embedded hub', () => {
  it('AT-31 refuses a cycle and prints it, and leaves other edits alone', async () => {
    const world = await startWorld({ hasAdmission: true });
    await world.hub.create(clusterManagementAddOns, declared('a', 'b'));
    await untilKnown(world, 'a');
    const refused = await refusalOf(world.hub.create(clusterManagementAddOns, declared('b', 'a')));
    expect([refused.reason, refused.message]).toEqual(['Invalid', expect.stringContaining('b -> a -> b')]);
    expect((await refusalOf(world.hub.create(clusterManagementAddOns, declared('c', 'c')))).message).toContain('c');
    await world.hub.create(clusterManagementAddOns, declared('b'));
    // Admission also rejects an update that closes a cycle.
    const close = refusalOf(
      world.hub.patch(clusterManagementAddOns, { name: 'b' }, { type: 'merge', patch: { spec: { dependencies: [{ name: 'a' }] } } }),
    );
    expect((await close).message).toContain('b -> a -> b');
  });

  it('AT-31 a cycle of fifty formed by concurrent edits is refused or contained, and others are unaffected', async () => {
    const world = await startWorld({ hasAdmission: true });
    await addCluster(world, 'c1');
    await world.hub.create(addOnTemplates, templateOf('aside', { version: 'v1' }));
    await world.hub.create(clusterManagementAddOns, declared('aside'));
    await install(world, 'c1', 'aside');
    const names = Array.from({ length: 50 }, (_, i) => `n${String(i).padStart(2, '0')}`);
    const made = await Promise.allSettled(
      names.map((name, i) => world.hub.create(clusterManagementAddOns, declared(name, names[(i + 1) % names.length] ?? ''))),
    );
    const refused = made.flatMap((one) => (one.status === 'rejected' ? [one.reason as ApiError] : []));
    for (const { message } of refused) expect(message).toMatch(/n\d\d -> n\d\d.* -> n\d\d/);
    if (refused.length === 0) {
      await world.eventually('every one of them says so', async () => {
        for (const name of names) {
          const { status } = await world.hub.get(clusterManagementAddOns, { name });
          expect(status?.conditions?.find(({ type }) => type === 'DependenciesValid')).toMatchObject({
            reason: 'CircularDependency',
            message: expect.stringContaining(`${name} -> `),
          });
        }
        return true;
      });
    }
    await eventuallyIs(world, 'c1', 'aside', 'Available', 'True ProbeAvailable');
  });

  it('AT-14 refuses a template that hands out a role its author may not bind, with the command that allows it', async () => {
    const world = await startWorld({ hasAdmission: true, prepare: admitTenant });
    const hubPermissions = [{ type: 'CurrentCluster', currentCluster: { clusterRoleName: 'cluster-admin' } }] as const;
    const template = templateOf('hello', { registration: [{ type: 'KubeClient', kubeClient: { hubPermissions } }] });
    const refused = await refusalOf(world.as(TENANT).create(addOnTemplates, template));
    expect(refused.reason).toBe('Forbidden');
    expect(refused.message).toContain('you may not bind the ClusterRole cluster-admin');
    expect(refused.message).toContain('kubectl create clusterrole bind-cluster-admin --verb=bind');
    // An administrator may create the same template.
    await world.hub.create(addOnTemplates, template);
  });

  it('AT-15 refuses a reference to an object that its author may not get, and reveals nothing about the object', async () => {
    const world = await startWorld({ hasAdmission: true, prepare: admitTenant });
    await addCluster(world, 'c1');
    const supportedConfigs = [{ group: '', resource: 'secrets' }];
    const managementAddOn = declared('hello');
    await world.hub.create(clusterManagementAddOns, { ...managementAddOn, spec: { ...managementAddOn.spec, supportedConfigs } });
    await untilKnown(world, 'hello');
    await world.hub.create(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'there', namespace: 'default' },
      stringData: { password: CANARY },
    });
    const refer = (name: string): Promise<ApiError> => {
      const configs = [{ group: '', resource: 'secrets', namespace: 'default', name }];
      return refusalOf(world.as(TENANT).create(managedClusterAddOns, addOnOn('c1', 'hello', { configs })));
    };
    const refused = await refer('there');
    expect(refused).toMatchObject({
      reason: 'Forbidden',
      message: expect.stringContaining('spec.configs[0]: you may not get secrets default/there, so you may not reference it'),
    });
    // The error message reveals neither the content of the object nor whether it exists.
    const absent = await refer('nowhere');
    expect([absent.reason, absent.message]).toEqual([refused.reason, refused.message.replaceAll('there', 'nowhere')]);
    expect(canaryIn(await everythingBut(world.hub, 'secrets'))).toBeUndefined();
    expect((await world.hub.list(managedClusterAddOns)).items).toEqual([]);
    // The default config of a declaration is a reference too.
    const defaultConfig = { namespace: 'default', name: 'there' };
    const spec = { supportedConfigs: [{ group: '', resource: 'secrets', defaultConfig }] };
    expect(await refusalOf(world.as(TENANT).create(clusterManagementAddOns, { ...declared('mine'), spec }))).toMatchObject({
      reason: 'Forbidden',
    });
  });

  it('accepts the declaration of enhancement document 001 as printed, with warnings; its add-ons report why they are not configured', async () => {
    const world = await startWorld({ hasAdmission: true });
    await addCluster(world, 'cluster1');
    const entry = (name: string, installVersion: string, config: string): JsonObject => ({
      name,
      namespace: 'default',
      addonTemplate: {
        installVersion,
        configs: [{ group: 'addon.open-cluster-management.io', resource: 'addondeploymentconfigs', name: config }],
      },
    });
    const answer = await world.hub.raw({
      method: 'POST',
      path: '/apis/addon.open-cluster-management.io/v1alpha1/clustermanagementaddons',
      body: {
        apiVersion: 'addon.open-cluster-management.io/v1alpha1',
        kind: 'ClusterManagementAddOn',
        metadata: { name: 'helloworld' },
        spec: {
          installStrategy: {
            type: 'Placements',
            placements: [entry('global-placement', 'v1', 'global-config'), entry('canary-placement', 'v2', 'canary-config')],
          },
        },
      },
    });
    for (const [index, config] of ['global-config', 'canary-config'].entries()) {
      const path = `spec.installStrategy.placements[${index}].addonTemplate.configs[0]`;
      const kind = 'addondeploymentconfigs.addon.open-cluster-management.io';
      expect(answer.headers['warning']).toContain(`${path}: ${kind} is not among the supportedConfigs of the add-on helloworld`);
      expect(answer.headers['warning']).toContain(`${path}: ${kind} is namespaced, and the reference to ${config} names no namespace`);
    }
    const configs = [{ group: 'addon.open-cluster-management.io', resource: 'addondeploymentconfigs', name: 'global-config' }];
    await install(world, 'cluster1', 'helloworld', { configs });
    await eventuallyIs(world, 'cluster1', 'helloworld', 'Configured', 'False ConfigurationUnsupported');
  });

  it('AT-34 allows the deletion of a dependency, with a warning that names its dependents; they degrade and recover', async () => {
    const world = await startWorld({ hasAdmission: true });
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
    const degraded = await eventuallyIs(world, 'c1', 'needy', 'Available', 'False RequiredDependencyNotSatisfied');
    const message = "Required addon 'base' is not installed or not available";
    expect(degraded.status?.conditions?.find(({ type }) => type === 'Degraded')).toMatchObject({
      status: 'True',
      reason: 'RequiredDependencyNotSatisfied',
      message,
    });
    await world.eventually('an event tells it', async () => {
      const { items } = await world.hub.list(events, { namespace: 'c1' });
      const told = items.find(({ reason, regarding }) => reason === 'DependencyNotSatisfied' && regarding?.name === 'needy');
      expect(told?.note).toBe(message);
      return true;
    });
    await install(world, 'c1', 'base');
    await eventuallyIs(world, 'c1', 'needy', 'Available', 'True ProbeAvailable');
  });
});

describe('without admission', () => {
  it('AT-31 a stored cycle is contained: both add-ons report it, others are unaffected, and removing one dependency ends it', async () => {
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
