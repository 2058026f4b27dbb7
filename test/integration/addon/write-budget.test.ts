import {
  type ClusterManagementAddOn,
  addOnDeploymentConfigs,
  addOnTemplates,
  clusterManagementAddOns,
  managedClusterAddOns,
} from '@outrigger/api';
import { afterEach, describe, expect, it } from 'vitest';
import { addCluster, addOnOn, eventuallyIs, install, templateOf } from './objects.js';
import { type AddOnWorld, startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

const ADDON_GROUP = 'addon.open-cluster-management.io';
const registration = [{ type: 'KubeClient', kubeClient: {} }] as const;

function declaration(name: string, spec: ClusterManagementAddOn['spec'] = {}): ClusterManagementAddOn {
  const template = { group: ADDON_GROUP, resource: 'addontemplates', defaultConfig: { name } };
  return {
    apiVersion: `${ADDON_GROUP}/v1alpha1`,
    kind: 'ClusterManagementAddOn',
    metadata: { name },
    spec: { ...spec, supportedConfigs: [template, ...(spec.supportedConfigs ?? [])] },
  };
}

function deploymentConfig(name: string, value: string): Parameters<AddOnWorld['hub']['create']>[1] & { spec: object } {
  return {
    apiVersion: `${ADDON_GROUP}/v1alpha1`,
    kind: 'AddOnDeploymentConfig',
    metadata: { name, namespace: 'default' },
    spec: { customizedVariables: [{ name: 'LEVEL', value }] },
  };
}

/** What was written to the add-on itself and its works since the last call. */
function writesAbout({ writes }: AddOnWorld, name: string): string[] {
  return writes.splice(0).filter((write) => / (managedclusteraddons|manifestworks)/.test(write) && write.includes(name));
}

async function declare(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  await addCluster(world, 'c1', { env: 'test' });
  await hub.create(addOnDeploymentConfigs, deploymentConfig('shared', 'one'));
  await hub.create(addOnDeploymentConfigs, deploymentConfig('own', 'one'));
  await hub.create(addOnTemplates, templateOf('base'));
  await hub.create(clusterManagementAddOns, declaration('base'));
  await install(world, 'c1', 'base');
  await eventuallyIs(world, 'c1', 'base', 'Available', 'True ProbeAvailable');
  await hub.create(addOnTemplates, templateOf('hello', { version: 'v1', registration }));
  const supportedConfigs = [
    { group: ADDON_GROUP, resource: 'addondeploymentconfigs', defaultConfig: { namespace: 'default', name: 'shared' } },
  ];
  const installStrategy = { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { env: 'test' } } } as const;
  await world.quiet();
  world.writes.length = 0;
  await hub.create(clusterManagementAddOns, declaration('hello', { dependencies: [{ name: 'base' }], supportedConfigs, installStrategy }));
}

async function isDone(world: AddOnWorld): Promise<void> {
  await world.eventually('the add-on has arrived', async () => {
    const { status } = await world.hub.get(managedClusterAddOns, { namespace: 'c1', name: 'hello' });
    for (const { desiredConfig, lastAppliedConfig } of status?.configReferences ?? [{}]) {
      expect(lastAppliedConfig?.specHash).toBe(desiredConfig?.specHash ?? 'something');
    }
    expect(status?.conditions?.find(({ type }) => type === 'Available')?.status).toBe('True');
    return true;
  });
  await world.quiet();
}

describe('the write budget', () => {
  it('an installation is 5 writes, an edit of one’s own configuration 3, one through a rollout 4', async () => {
    const world = await startWorld();
    await declare(world);
    await isDone(world);
    const installed = writesAbout(world, 'hello');
    expect(installed.length, installed.join('\n')).toBeLessThanOrEqual(5);

    const patch = { spec: { customizedVariables: [{ name: 'LEVEL', value: 'two' }] } };
    await world.hub.patch(addOnDeploymentConfigs, { namespace: 'default', name: 'shared' }, { type: 'merge', patch });
    await world.quiet();
    await isDone(world);
    const rolledOut = writesAbout(world, 'hello');
    expect(rolledOut.length, rolledOut.join('\n')).toBeLessThanOrEqual(4);
    expect(rolledOut.length).toBeGreaterThan(0);

    const configs = [{ group: ADDON_GROUP, resource: 'addondeploymentconfigs', namespace: 'default', name: 'own' }];
    await world.hub.patch(managedClusterAddOns, { namespace: 'c1', name: 'hello' }, { type: 'merge', patch: { spec: { configs } } });
    await world.quiet();
    await isDone(world);
    world.writes.length = 0;
    await world.hub.patch(addOnDeploymentConfigs, { namespace: 'default', name: 'own' }, { type: 'merge', patch });
    await world.quiet();
    await isDone(world);
    const own = writesAbout(world, 'hello');
    expect(own.length, own.join('\n')).toBeLessThanOrEqual(3);
    expect(own.length).toBeGreaterThan(0);
  });

  it('a settled fleet of 1,000 add-ons, and a restart over it, are 0 writes', async () => {
    const world = await startWorld();
    const { hub } = world;
    const clusters = Array.from({ length: 100 }, (_, i) => `c${i}`);
    const names = Array.from({ length: 10 }, (_, i) => `addon-${i}`);
    await Promise.all(clusters.map((name) => addCluster(world, name)));
    for (const [i, name] of names.entries()) {
      await hub.create(addOnTemplates, templateOf(name, { version: 'v1', registration }));
      await hub.create(clusterManagementAddOns, declaration(name, i === 0 ? {} : { dependencies: [{ name: 'addon-0' }] }));
    }
    await Promise.all(names.flatMap((name) => clusters.map((cluster) => hub.create(managedClusterAddOns, addOnOn(cluster, name)))));
    await untilQuietFor(world, 1500);
    const { items } = await hub.list(managedClusterAddOns, { limit: 2000 });
    const settled = items.filter(({ status }) => {
      const is = (type: string, reason: string): boolean =>
        status?.conditions?.some((c) => c.type === type && c.reason === reason) ?? false;
      return is('Available', 'ProbeAvailable') && is('Progressing', 'Succeed');
    });
    expect(settled).toHaveLength(1000);
    world.writes.length = 0;
    await world.restartManager();
    await untilQuietFor(world, 1500);
    expect(world.writes).toEqual([]);
  });
});

/** Longer than anything the manager puts off. */
async function untilQuietFor({ runtime, writes }: AddOnWorld, ms: number): Promise<void> {
  for (let before = -1; before !== writes.length; ) {
    before = writes.length;
    await runtime.timers.sleep(ms);
  }
}
