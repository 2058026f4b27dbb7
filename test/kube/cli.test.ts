import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  HUB_NAMESPACE,
  addOnTemplates,
  appliedManifestWorks,
  clusterManagementAddOns,
  configMaps,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
} from '@outrigger/api';
import { kubeconfig } from '@outrigger/control-plane';
import { type KubeObject, findCondition, isApiError, keyOf, parseApiVersion } from '@outrigger/core';
import { parseYaml } from '@outrigger/core/yaml';
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '@outrigger/hub';
import type { Client } from '@outrigger/kube';
import { createRealRuntime } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealKube, recordedLogger, startKube } from '../harness/index.js';
import { freePorts } from '../harness/process.js';
import { type FleetWorld } from '../integration/fleet/world.js';
import { type Ran, type Running, bundleCommand, outrigger, start } from './cli-process.js';
import { clientOf } from './fleet-kube.js';
import { templateYaml, upstreamHub } from './upstream-hub.js';
import { eventually } from '../world/eventually.js';

const runtime = createRealRuntime({ log: recordedLogger() });

/** One server is both the hub and the managed cluster, as for a hub that manages itself. */
describe('the commands for a real hub, from install to uninstall', () => {
  let kube: RealKube;
  let folder: string;
  let world: FleetWorld;
  let hub: Client;
  const running: Running[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outrigger-real-'));
    [kube] = await Promise.all([startKube({ controllerManager: 'after kinds' }), bundleCommand()]);
    hub = await clientOf(kube.kubeconfigPath, runtime);
    world = { hub, clock: runtime.clock, timers: runtime.timers };
  });
  afterAll(async () => {
    for (const one of running) one.kill('SIGKILL');
    await kube.stop();
    runtime.scope.close();
    await rm(folder, { recursive: true });
  });

  const admin = (...args: readonly string[]): Promise<Ran> => outrigger(kube.kubeconfigPath, ...args);
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const run = (kubeconfigPath: string, ...args: readonly string[]): Running => {
    const started = start(kubeconfigPath, args);
    running.push(started);
    return started;
  };
  const end = async (one: Running): Promise<void> => {
    one.kill('SIGTERM');
    expect(await one.ended).toBe(0);
  };

  /** Returns a kubeconfig that has only the permissions of the ServiceAccount. */
  async function managerKubeconfig(): Promise<string> {
    const account = `system:serviceaccount:${HUB_NAMESPACE}:outrigger-hub`;
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${HUB_NAMESPACE}`, 'system:authenticated'];
    const user = { name: 'manager', token: kube.token(account, groups) };
    return file('manager', kubeconfig({ server: kube.url, authority: kube.caPem, user, name: 'hub' }));
  }

  async function startManager(...more: readonly string[]): Promise<Running> {
    const manager = run(await managerKubeconfig(), 'hub', '--namespace', HUB_NAMESPACE, '--metrics-port', '0', ...more);
    await manager.said('"message":"leading"');
    return manager;
  }

  async function apply(text: string): Promise<void> {
    for (const object of parseYaml(text) as KubeObject[]) {
      const kind = object.kind === 'AddOnTemplate' ? addOnTemplates : clusterManagementAddOns;
      await hub.apply(kind as typeof clusterManagementAddOns, object as never, { fieldManager: 'kubectl', force: true });
    }
  }

  const workStates = async (): Promise<readonly string[]> =>
    (await hub.list(manifestWorks)).items.map(
      ({ metadata }) => `${metadata.namespace}/${metadata.name} ${metadata.uid} ${metadata.generation}`,
    );

  let manager: Running;
  let agent: Running;

  it('install hub --apply returns when the kinds are served, and a second time changes nothing', async () => {
    const first = await admin('install', 'hub', '--image', 'example.com/outrigger:1', '--apply');
    expect(first).toMatchObject({ code: 0, note: '' });
    expect(first.out).toContain('PodDisruptionBudget outrigger-hub applied');
    expect(await hub.list(clusterManagementAddOns)).toMatchObject({ items: [] });
    // Managed fields are excluded, because the server maintains them.
    const states = async (): Promise<readonly unknown[]> =>
      Promise.all(
        (parseYaml((await admin('install', 'hub', '--image', 'example.com/outrigger:1')).out) as KubeObject[]).map(async (object) => {
          const { group, version } = parseApiVersion(object.apiVersion);
          const kind = await hub.discovery.kindOf({ group, version, kind: object.kind });
          if (!kind) throw new Error(`${object.kind} is not served`);
          const { metadata, ...rest } = await hub.get(kind, keyOf(object));
          return { ...rest, metadata: { ...metadata, managedFields: undefined, resourceVersion: undefined } };
        }),
      );
    const before = await states();
    expect(await admin('install', 'hub', '--image', 'example.com/outrigger:1', '--apply')).toMatchObject({ code: 0 });
    expect(await states()).toEqual(before);
    // The scenarios below wait until the garbage collector has deleted an add-on with its works.
    await kube.followKinds();
  });

  it('hub serves webhooks with the rights of its installation', async () => {
    const [port = 0] = await freePorts(1);
    manager = await startManager('--webhook-port', String(port), '--webhook-url', `https://127.0.0.1:${port}`);
    await manager.said('serving webhooks');
    const declared = (name: string, dependency: string): string => `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ClusterManagementAddOn
metadata: { name: ${name} }
spec: { dependencies: [{ name: ${dependency} }] }
`;
    await apply(declared('a', 'b'));
    await eventually(world, 'a cycle is refused', async () => {
      const refused = await apply(declared('b', 'a')).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (refused === undefined) return void (await hub.delete(clusterManagementAddOns, { name: 'b' }));
      expect(isApiError(refused) && refused.message).toContain('b -> a -> b');
      return true;
    });
    await hub.delete(clusterManagementAddOns, { name: 'a' });
  });

  it('install hub --apply over a running manager leaves it its webhooks, and both versions served', async () => {
    expect(await admin('install', 'hub', '--image', 'example.com/outrigger:1', '--apply')).toMatchObject({ code: 0, note: '' });
    expect((await hub.list({ ...clusterManagementAddOns, version: 'v1beta1' })).items).toEqual([]);
  });

  it('join --apply and agent: the cluster is joined and answers', async () => {
    const joined = await admin(
      'join',
      'cluster1',
      '--cluster-kubeconfig',
      kube.kubeconfigPath,
      '--image',
      'example.com/outrigger:1',
      '--apply',
    );
    expect(joined).toMatchObject({ code: 0, out: expect.stringContaining('cluster1 joins') as string });
    agent = run(kube.kubeconfigPath, 'agent', '--cluster-name', 'cluster1', '--metrics-port', '0');
    await eventually(
      world,
      'cluster1 is available',
      async () => {
        const { items } = await hub.list(managedClusters);
        const conditions = items[0]?.status?.conditions;
        return findCondition(conditions, 'ManagedClusterConditionAvailable')?.status === 'True' ? true : undefined;
      },
      async () => `${agent.written.out}${agent.written.note}`,
    );
    expect((await admin('get', 'clusters')).out).toMatch(/cluster1\s+true\s+True\s+True/);
  });

  it('an add-on is installed on the cluster, and diff shows the effect of a change', async () => {
    const addOn = `${templateYaml('v1')}---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ClusterManagementAddOn
metadata: { name: hello }
spec:
  supportedConfigs: [{ group: addon.open-cluster-management.io, resource: addontemplates, defaultConfig: { name: hello-v1 } }]
  installStrategy: { type: ClusterLabelSelector, labelSelector: {} }
`;
    await apply(addOn);
    await eventually(
      world,
      'hello is available',
      async () =>
        (await admin('why', 'hello', '--cluster', 'cluster1')).out.startsWith('hello on cluster1: available') ? true : undefined,
      async () => (await admin('why', 'hello', '--cluster', 'cluster1')).out,
    );
    expect(await hub.get(configMaps, { namespace: 'default', name: 'hello' })).toMatchObject({
      data: { cluster: 'cluster1', version: 'v1' },
    });

    expect(await admin('diff', 'hello', '--cluster', 'cluster1')).toMatchObject({ code: 0, out: '', note: '' });
    const changed = await file('changed.yaml', addOn.replace('", version: v1', '", version: other'));
    const differs = await admin('diff', 'hello', '--cluster', 'cluster1', '-f', changed);
    expect(differs.code).toBe(5);
    expect(differs.out).toContain('ConfigMap default/hello\n');
    expect(differs.out).toMatch(/^- +version: v1$/m);
    expect(differs.out).toMatch(/^\+ +version: other$/m);
    expect(differs.note).toContain('1 object differs');
  });

  it('uninstall --apply keeps the add-on running, and a new installation finds everything unchanged', async () => {
    const works = await workStates();
    const before = await hub.get(configMaps, { namespace: 'default', name: 'hello' });
    await end(agent);
    expect((await admin('uninstall', 'agent')).note).toBe('would be removed; --apply removes them\n');
    expect(await admin('uninstall', 'agent', '--apply')).toMatchObject({ code: 0 });
    await end(manager);
    for (const flags of [['--delete-kinds'], ['--delete-kinds', '--apply']]) {
      const held = await admin('uninstall', 'hub', ...flags);
      expect(held.code).toBe(flags.length - 1);
      expect(held.note).toContain('detach the clusters first: `outrigger detach cluster1 --yes`');
    }
    // Uninstalling must remove conversion and admission webhooks, because requests to a webhook that is not served fail.
    const uninstalled = await admin('uninstall', 'hub', '--apply');
    expect(uninstalled).toMatchObject({ code: 0, out: expect.stringContaining('managedclusteraddons') as string });
    expect(uninstalled.out).toContain('v1beta1 no longer served');
    for (const kind of [validatingWebhookConfigurations, mutatingWebhookConfigurations])
      expect((await hub.list(kind)).items.filter(({ metadata }) => metadata.name === 'outrigger')).toEqual([]);
    await apply(templateYaml('v2'));
    expect(await hub.get(managedClusterAddOns, { namespace: 'cluster1', name: 'hello' })).toBeDefined();
    expect((await hub.list(appliedManifestWorks)).items).toHaveLength(1);
    expect((await hub.get(configMaps, { namespace: 'default', name: 'hello' })).metadata.uid).toBe(before.metadata.uid);

    expect(await admin('install', 'hub', '--image', 'example.com/outrigger:1', '--apply')).toMatchObject({ code: 0 });
    manager = await startManager();
    expect(await admin('rollout', 'status', 'hello', '--watch', '--timeout', '60')).toMatchObject({ code: 0 });
    expect(await workStates()).toEqual(works);
    await end(manager);
    await hub.delete(clusterManagementAddOns, { name: 'hello' });
    // The test removes the works' finalizers, because no agent is running.
    await eventually(world, 'the add-on is gone', async () => {
      const { items } = await hub.list(manifestWorks);
      for (const work of items.filter(({ metadata }) => metadata.finalizers !== undefined))
        await hub.patch(manifestWorks, keyOf(work), { type: 'merge', patch: { metadata: { finalizers: null } } });
      return items.length === 0 ? true : undefined;
    });
  });

  it('takes a hub of upstream over without rewriting one work, and hands it back', async () => {
    const upstream = await upstreamHub(world, ['c1', 'c2', 'c3']);
    const refused = await outrigger(await managerKubeconfig(), 'hub', '--metrics-port', '0');
    expect(refused).toMatchObject({ code: 1, note: expect.stringContaining('cluster-manager-addon-manager-controller') as string });
    expect(refused.note).toContain('kubectl scale deployment');
    expect(refused.note).toContain('--takeover');

    const before = await upstream.works();
    expect(before).toHaveLength(3);
    manager = await startManager('--takeover', '--no-registration', '--no-placement');
    await eventually(
      world,
      'the manager has looked at every cluster',
      async () => ((await upstream.isManaged()) ? true : undefined),
      () => upstream.addOns(),
    );
    expect(await upstream.works()).toEqual(before);

    await end(manager);
    expect(await admin('uninstall', 'hub', '--apply')).toMatchObject({ code: 0 });
    expect(await upstream.works()).toEqual(before);
    expect(await upstream.obstacles()).toEqual([]);
  });
});
