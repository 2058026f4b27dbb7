import {
  type AddOnDeploymentConfig,
  type ClusterManagementAddOn,
  addOnDeploymentConfigs,
  addOnTemplates,
  clusterManagementAddOns,
  managedClusterAddOns,
  secrets,
} from '@outrigger/api';
import { afterEach, describe, expect, it } from 'vitest';
import { addCluster, addOnOn, conditionsOf, eventuallyIs, templateOf } from './objects.js';
import { createLogger, createPrometheusMetrics } from '@outrigger/kube/node';
import { CANARY, canaryIn, everythingBut } from './leaked-secrets.js';
import { type AddOnWorld, startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

const GROUP = 'addon.open-cluster-management.io';

function declared(name: string): ClusterManagementAddOn {
  const spec = { supportedConfigs: [{ group: GROUP, resource: 'addontemplates', defaultConfig: { name } }] };
  return { apiVersion: `${GROUP}/v1alpha1`, kind: 'ClusterManagementAddOn', metadata: { name }, spec };
}

/** Installs 200 add-ons, each with its own declaration, on one cluster and waits until they are settled. */
async function manyAddOns(world: AddOnWorld): Promise<readonly string[]> {
  await addCluster(world, 'c1');
  const names = Array.from({ length: 200 }, (_, i) => `addon-${i}`);
  await Promise.all(names.map((name) => world.hub.create(addOnTemplates, templateOf(name))));
  await Promise.all(names.map((name) => world.hub.create(clusterManagementAddOns, declared(name))));
  await Promise.all(names.map((name) => world.hub.create(managedClusterAddOns, addOnOn('c1', name))));
  await world.eventually('all are available', async () => {
    await world.quiet();
    const { items } = await world.hub.list(managedClusterAddOns, { namespace: 'c1' });
    return items.every((clusterAddOn) => conditionsOf(clusterAddOn)['Available'] === 'True ProbeAvailable') ? true : undefined;
  });
  await world.idle();
  world.writes.length = 0;
  world.passes.length = 0;
  return names;
}

describe('one bad object among many', () => {
  it('AT-43 a poisoned template, configuration or add-on costs the other 199 no write and no pass', async () => {
    const world = await startWorld();
    await manyAddOns(world);
    const { hub } = world;

    // A template that cannot be parsed; admission would reject it.
    const spec = {
      agentSpec: { workload: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: '{{' } }] } },
    };
    await hub.patch(addOnTemplates, { name: 'addon-0' }, { type: 'merge', patch: { spec } });
    await eventuallyIs(world, 'c1', 'addon-0', 'Progressing', 'False Failed');

    // An add-on whose status contains invalid values.
    const bad = {
      configReferences: [{ group: GROUP, resource: 'addontemplates', name: 'addon-1' }],
      currentVersion: '\u0000',
      conditions: [],
    };
    await hub.patch(
      managedClusterAddOns,
      { namespace: 'c1', name: 'addon-1' },
      { type: 'merge', patch: { status: bad } },
      { subresource: 'status' },
    );
    await eventuallyIs(world, 'c1', 'addon-1', 'Available', 'True ProbeAvailable');

    // One add-on references a config that changes the add-on's install namespace; another references a config that does not exist.
    const config: AddOnDeploymentConfig = {
      apiVersion: `${GROUP}/v1alpha1`,
      kind: 'AddOnDeploymentConfig',
      metadata: { name: 'bad', namespace: 'c1' },
      spec: { agentInstallNamespace: 'elsewhere' },
    };
    await hub.create(addOnDeploymentConfigs, config);
    const refer = (name: string, to: string): Promise<unknown> => {
      const configs = [{ group: GROUP, resource: 'addondeploymentconfigs', namespace: 'c1', name: to }];
      return hub.patch(managedClusterAddOns, { namespace: 'c1', name }, { type: 'merge', patch: { spec: { configs } } });
    };
    await refer('addon-2', 'bad');
    await refer('addon-3', 'not-there');
    await eventuallyIs(world, 'c1', 'addon-3', 'Configured', 'False ConfigurationNotFound');
    await world.quiet();
    const others = world.writes.filter((write) => !/ c1\/(addon-addon-|addon-)[0-3](-deploy-\d+)?$/.test(write) && write.includes(' c1/'));
    expect(others).toEqual([]);
    expect(world.passes.filter((pass) => !/ (c1\/)?addon-[0-3]$/.test(pass))).toEqual([]);
    for (const i of [0, 1, 2, 3]) expect(world.passes).toContain(`addon c1/addon-${i}`);
  });
});

describe('secrets', () => {
  it('AT-29 the content of a referenced Secret appears nowhere but in the Secret', async () => {
    const metrics = createPrometheusMetrics();
    const lines: string[] = [];
    const log = createLogger({ level: 'debug', destination: { write: (line) => void lines.push(line) } });
    const world = await startWorld({ metrics, log });
    const { hub } = world;
    await addCluster(world, 'c1');
    await hub.create(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace: 'c1' },
      stringData: { password: `${CANARY}-1` },
    });
    await hub.create(addOnTemplates, templateOf('hello'));
    const managementAddOn = declared('hello');
    const supportedConfigs = [...(managementAddOn.spec.supportedConfigs ?? []), { group: '', resource: 'secrets' }];
    await hub.create(clusterManagementAddOns, { ...managementAddOn, spec: { supportedConfigs } });
    const configs = [{ group: '', resource: 'secrets', namespace: 'c1', name: 's' }];
    await hub.create(managedClusterAddOns, addOnOn('c1', 'hello', { configs }));
    const clusterAddOn = await eventuallyIs(world, 'c1', 'hello', 'Available', 'True ProbeAvailable');
    expect(clusterAddOn.status?.configReferences?.find(({ resource }) => resource === 'secrets')?.desiredConfig?.specHash).toMatch(
      /^[0-9a-f]{64}$/,
    );

    await hub.patch(secrets, { namespace: 'c1', name: 's' }, { type: 'merge', patch: { stringData: { password: `${CANARY}-2` } } });
    await world.eventually('the new digest', async () => {
      const { status } = await hub.get(managedClusterAddOns, { namespace: 'c1', name: 'hello' });
      const found = status?.configReferences?.find(({ resource }) => resource === 'secrets');
      expect(found?.desiredConfig?.specHash).not.toBe(
        clusterAddOn.status?.configReferences?.find(({ resource }) => resource === 'secrets')?.desiredConfig?.specHash,
      );
      return true;
    });
    await world.quiet();
    const { body } = await metrics.scrape();
    expect([lines.some((line) => line.includes('"pass"')), body.includes('outrigger_reconcile_total')]).toEqual([true, true]);
    const outputs = [await everythingBut(hub, 'secrets'), body, ...lines];
    expect(outputs.map(canaryIn).filter((found) => found !== undefined)).toEqual([]);
    expect(canaryIn(await everythingBut(hub)), 'what is looked for can be found').toBeDefined();
  });

  it('a configuration that is deleted while in use is still rendered, and the add-on reports the deletion', async () => {
    const world = await startWorld();
    const { hub } = world;
    await addCluster(world, 'c1');
    await hub.create(addOnTemplates, templateOf('hello', { image: 'example.com/agent:{{TAG}}' }));
    await hub.create(clusterManagementAddOns, declared('hello'));
    await hub.create(addOnDeploymentConfigs, {
      apiVersion: `${GROUP}/v1alpha1`,
      kind: 'AddOnDeploymentConfig',
      metadata: { name: 'mine', namespace: 'c1' },
      spec: { agentInstallNamespace: '', customizedVariables: [{ name: 'TAG', value: 'seven' }] },
    });
    const configs = [{ group: GROUP, resource: 'addondeploymentconfigs', namespace: 'c1', name: 'mine' }];
    await hub.create(managedClusterAddOns, addOnOn('c1', 'hello', { configs }));
    await eventuallyIs(world, 'c1', 'hello', 'Progressing', 'False Succeed');
    await hub.delete(addOnDeploymentConfigs, { namespace: 'c1', name: 'mine' });
    await eventuallyIs(world, 'c1', 'hello', 'Configured', 'False ConfigurationNotFound');
    // Changing the install namespace makes the manager render again, from the stored content of the deleted config.
    await hub.patch(
      managedClusterAddOns,
      { namespace: 'c1', name: 'hello' },
      { type: 'merge', patch: { spec: { installNamespace: 'moved' } } },
    );
    await world.eventually('rendered anew with the old value', async () => {
      const text = await everythingBut(hub, 'secrets');
      expect(text).toContain('example.com/agent:seven');
      expect(text).toContain('"namespace":"moved"');
      return true;
    });
  });
});
