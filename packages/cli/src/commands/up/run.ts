import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createAgent } from '@outrigger/agent';
import {
  KIND_DEFINITIONS,
  MANAGED_CLUSTER_KINDS,
  addOnTemplates,
  clusterManagementAddOns,
  customResourceDefinition,
  managedClusterAddOns,
  managedClusters,
  namespaces,
} from '@outrigger/api';
import { createControlPlane } from '@outrigger/control-plane';
import { type Kind, type KubeObject, findCondition, isApiError } from '@outrigger/core';
import { createHub } from '@outrigger/hub';
import { type Client, createClient } from '@outrigger/kube';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import pc from 'picocolors';
import { sampleAddOn, sampleCluster, sampleTemplate } from './samples.js';

export interface UpOptions {
  readonly dataDir: string;
  readonly clusters: number;
  readonly port: number;
}

/** Starts everything, waits for the sample add-on, and stays until it is told to stop. */
export async function up(options: UpOptions): Promise<void> {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  const dataDir = resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true });
  const stops: (() => Promise<void>)[] = [];

  say(`${pc.bold('Outrigger')} starts a hub and ${options.clusters} simulated clusters ...`);
  const hubServer = await createControlPlane({
    runtime,
    storage: 'memory',
    crds: KIND_DEFINITIONS.map((kind) => customResourceDefinition(kind)),
  });
  await hubServer.start();
  stops.push(() => hubServer.stop());
  const served = await hubServer.serve({ port: options.port, name: 'hub' });
  const kubeconfig = join(dataDir, 'kubeconfig');
  await writeFile(kubeconfig, served.adminKubeconfig, { mode: 0o600 });

  const hub = createClient({ transport: hubServer.transport(), runtime });
  const manager = createHub({ runtime, client: hub, namespace: 'default' });
  await manager.start();
  stops.push(() => manager.stop());

  const names = Array.from({ length: options.clusters }, (_, index) => `cluster${index + 1}`);
  const clusterKinds = KIND_DEFINITIONS.filter(({ kind }) => MANAGED_CLUSTER_KINDS.includes(kind));
  for (const name of names) {
    const crds = clusterKinds.map((kind) => customResourceDefinition(kind));
    const clusterServer = await createControlPlane({ runtime, storage: 'memory', crds, simulateWorkloads: {} });
    await clusterServer.start();
    stops.push(() => clusterServer.stop());
    await ensure(hub, namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await ensure(hub, managedClusters, sampleCluster(name));
    const cluster = createClient({ transport: clusterServer.transport(), runtime });
    const agent = createAgent({ runtime, hub, cluster, clusterName: name, hubServer: served.url, agentId: name });
    await agent.start();
    stops.push(() => agent.stop());
  }
  await ensure(hub, addOnTemplates, sampleTemplate);
  await ensure(hub, clusterManagementAddOns, sampleAddOn);
  await showProgress(hub, names, say, (ms) => runtime.timers.sleep(ms));

  say('');
  say(`${pc.green('ready')}  hub at ${served.url}`);
  say('       try:');
  say(`         kubectl --kubeconfig ${kubeconfig} get managedclusteraddons -A`);
  say(`         kubectl --kubeconfig ${kubeconfig} describe clustermanagementaddon hello`);
  say(`         kubectl --kubeconfig ${kubeconfig} edit addontemplate hello-v1`);
  say('       Ctrl-C stops it.');
  await stopSignal();
  say('stopping ...');
  for (const stop of stops.reverse()) await stop();
}

/** One line per cluster and change, until the add-on is available everywhere. */
async function showProgress(
  hub: Client,
  names: readonly string[],
  say: (text: string) => void,
  sleep: (ms: number) => Promise<void>,
): Promise<void> {
  const shown = new Map<string, string>();
  const available = new Set<string>();
  while (available.size < names.length) {
    for (const name of names) {
      const addOn = await found(hub.get(managedClusterAddOns, { namespace: name, name: 'hello' }));
      const progressing = findCondition(addOn?.status?.conditions, 'Progressing');
      const isAvailable = findCondition(addOn?.status?.conditions, 'Available')?.status === 'True';
      const line = `${progressing?.reason ?? 'Waiting'}${isAvailable ? ', Available' : ''}`;
      if (shown.get(name) !== line) say(`  ${name.padEnd(10)} hello  ${isAvailable ? pc.green(line) : line}`);
      shown.set(name, line);
      if (isAvailable && progressing?.reason === 'Succeed') available.add(name);
    }
    await sleep(100);
  }
}

async function ensure<T extends KubeObject>(client: Client, kind: Kind<T>, object: T): Promise<void> {
  try {
    await client.create(kind, object);
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
}

async function found<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

function stopSignal(): Promise<void> {
  return new Promise((done) => {
    process.once('SIGINT', () => done());
    process.once('SIGTERM', () => done());
  });
}
