/**
 * Measures what it costs a manager to install one add-on on many clusters, to roll out an edit of its template, to start on a settled hub,
 * and to be idle: the processor time and memory of its process, and the writes to add-ons and works that the API server receives. The hub
 * is a real kube-apiserver. A stand-in agent reports on every work immediately, so that only the manager is measured.
 *
 * OUTRIGGER_BENCH_CLUSTERS sets the maximum number of clusters.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import {
  addOnTemplates,
  clusterManagementAddOns,
  managedClusterAddOns,
  manifestWorks,
  namespaces,
  placementDecisions,
  placements,
} from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { type Client, createClient, reflect } from '@outrigger/kube';
import { createHttpTransport, createLogger, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { type RealKube, installKinds, startKube } from '../test/harness/index.js';
import { obedientAgent } from '../test/integration/addon/obedient-agent.js';
import { addCluster, templateOf } from '../test/integration/addon/objects.js';
import { eventually } from '../test/world/eventually.js';
import { type Measured, startCommand } from './servers/processes.js';

const CLUSTERS = Number(process.env['OUTRIGGER_BENCH_CLUSTERS'] ?? 1000);
const ADDON_GROUP = 'addon.open-cluster-management.io';
const IDLE_SECONDS = 10;
/** The manager runs without placement and without accepting clusters, so that only the work for add-ons is measured. */
const MANAGER = ['--no-placement', '--no-registration', '--no-leader-election', '--metrics-port', '0', '--log-level', 'error'];
/** The time that a manager takes to start and list, which is not part of an installation. */
const START_SECONDS = 5;
const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });

interface Cost {
  readonly seconds: number;
  readonly cpuMs: number;
  readonly writes: number;
}

interface Results {
  readonly install: Cost;
  readonly edit: Cost;
  readonly restart: Cost;
  readonly idle: Cost;
  readonly residentMb: number;
}

execFileSync(process.execPath, [fileURLToPath(new URL('../tools/bundle.mjs', import.meta.url))], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
const few = await measure(CLUSTERS / 10);
const many = await measure(CLUSTERS);
reportAll(CLUSTERS / 10, few);
reportAll(CLUSTERS, many);
report(`install, CPU per add-on, ${CLUSTERS} clusters against ${CLUSTERS / 10}`, many.install.cpuMs / few.install.cpuMs / 10, 'ratio');
process.exit(0);

async function measure(clusters: number): Promise<Results> {
  const kube = await startKube();
  const { connection } = await loadConnection({ kubeconfig: kube.kubeconfigPath });
  const hub = createClient({ transport: createHttpTransport(connection, runtime, { connections: 32 }), runtime, limits: { inFlight: 64 } });
  const fleet = Array.from({ length: clusters }, (_, i) => `c${i}`);
  const start = (): Measured => startCommand(['--kubeconfig', kube.kubeconfigPath, 'hub', ...MANAGER]);
  try {
    await prepare(kube, hub, fleet);
    const stopAgent = obedientAgent(hub, runtime);
    const seen = watchFleet(hub);
    let manager = start();
    await runtime.timers.sleep(START_SECONDS * 1000);
    const phase = async (act: () => Promise<void>, isDone: () => boolean): Promise<Cost> => {
      const before = { at: performance.now(), cpuMs: manager.cpuMs(), writes: seen.writes };
      await act();
      const doneAt = await settled(seen, 1500, isDone);
      return { seconds: (doneAt - before.at) / 1000, cpuMs: manager.cpuMs() - before.cpuMs, writes: seen.writes - before.writes };
    };
    const install = await phase(
      () => declare(hub),
      () => seen.available.size === clusters,
    );
    const image = 'example.com/agent:2';
    const edit = await phase(
      async () => {
        const { spec } = templateOf('hello', { image });
        await hub.patch(addOnTemplates, { name: 'hello' }, { type: 'merge', patch: { spec: spec as never } });
      },
      () => seen.withImage(image) === clusters,
    );
    const idle = await phase(
      () => runtime.timers.sleep(IDLE_SECONDS * 1000),
      () => true,
    );
    const residentMb = manager.residentMb();
    await manager.stop();
    manager = start();
    const restart = await phase(
      () => runtime.timers.sleep(START_SECONDS * 1000),
      () => true,
    );
    const fromStart = { ...restart, cpuMs: manager.cpuMs() };
    await manager.stop();
    await stopAgent();
    seen.stop();
    return { install, edit, idle, restart: fromStart, residentMb };
  } finally {
    await kube.stop();
  }
}

async function prepare(kube: RealKube, hub: Client, fleet: readonly string[]): Promise<void> {
  await installKinds(kube, hub, (what, condition) => eventually(runtime, what, condition));
  for (const name of ['open-cluster-management-hub', 'open-cluster-management-agent-addon', 'team']) {
    await hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  for (let at = 0; at < fleet.length; at += 50) await Promise.all(fleet.slice(at, at + 50).map((name) => addCluster({ hub }, name)));
  await hub.create(placements, {
    apiVersion: 'cluster.open-cluster-management.io/v1beta1',
    kind: 'Placement',
    metadata: { name: 'all', namespace: 'team' },
    spec: {},
  });
  for (let page = 0; page * 100 < fleet.length; page++) await decide(hub, page, fleet.slice(page * 100, page * 100 + 100));
}

/** Writes decisions instead of the scheduler, so that they exist before the add-on is declared. */
async function decide(hub: Client, page: number, names: readonly string[]): Promise<void> {
  const key = { name: `all-decision-${page + 1}`, namespace: 'team' };
  const labels = {
    'cluster.open-cluster-management.io/placement': 'all',
    'cluster.open-cluster-management.io/decision-group-index': '0',
    'cluster.open-cluster-management.io/decision-group-name': '',
  };
  const apiVersion = 'cluster.open-cluster-management.io/v1beta1';
  await hub.create(placementDecisions, { apiVersion, kind: 'PlacementDecision', metadata: { ...key, labels } });
  const decisions = names.map((clusterName) => ({ clusterName, reason: '' }));
  await hub.patch(placementDecisions, key, { type: 'merge', patch: { status: { decisions } } }, { subresource: 'status' });
}

async function declare(hub: Client): Promise<void> {
  await hub.create(addOnTemplates, templateOf('hello', { registration: [{ type: 'KubeClient', kubeClient: {} }] }));
  await hub.create(clusterManagementAddOns, {
    apiVersion: `${ADDON_GROUP}/v1alpha1`,
    kind: 'ClusterManagementAddOn',
    metadata: { name: 'hello' },
    spec: {
      supportedConfigs: [{ group: ADDON_GROUP, resource: 'addontemplates', defaultConfig: { name: 'hello' } }],
      installStrategy: { type: 'Placements', placements: [{ namespace: 'team', name: 'all' }] },
    },
  });
}

interface Fleet {
  /** The number of writes to add-ons and works, except those of the stand-in agent. */
  writes: number;
  lastWriteAt: number;
  readonly available: Set<string>;
  withImage(image: string): number;
  stop(): void;
}

function watchFleet(hub: Client): Fleet {
  const scope = runtime.scope.child('bench');
  const images = new Map<string, string>();
  const fleet: Fleet = {
    writes: 0,
    lastWriteAt: performance.now(),
    available: new Set(),
    withImage: (image) => [...images.values()].filter((one) => one.includes(image)).length,
    stop: () => scope.close(),
  };
  const count = (): void => {
    fleet.writes++;
    fleet.lastWriteAt = performance.now();
  };
  void (async () => {
    for await (const event of reflect({ client: hub, runtime, kind: managedClusterAddOns }, scope.signal)) {
      if (event.type !== 'Apply') continue;
      count();
      const { metadata, status } = event.object;
      if (findCondition(status?.conditions, 'Available')?.status === 'True') fleet.available.add(metadata.namespace ?? '');
    }
  })();
  void (async () => {
    for await (const event of reflect({ client: hub, runtime, kind: manifestWorks }, scope.signal)) {
      if (event.type !== 'Apply') continue;
      const { metadata, spec } = event.object;
      const manifests = JSON.stringify(spec.workload ?? {});
      if (images.get(metadata.namespace ?? '') === manifests) continue; // The event is only the agent's report.
      images.set(metadata.namespace ?? '', manifests);
      count();
    }
  })();
  return fleet;
}

/** Waits until `isDone` returns true and nothing has been written for `quietMs`. Returns the time of the last write. */
async function settled(fleet: Fleet, quietMs: number, isDone: () => boolean = () => true): Promise<number> {
  const giveUpAt = performance.now() + 600_000;
  while (!isDone() || performance.now() - fleet.lastWriteAt < quietMs) {
    if (performance.now() > giveUpAt)
      throw new Error(`not settled: ${fleet.available.size} add-ons are available after ${fleet.writes} writes`);
    await runtime.timers.sleep(50);
  }
  return fleet.lastWriteAt;
}

function reportAll(clusters: number, results: Results): void {
  for (const phase of ['install', 'edit'] as const) {
    const { seconds, cpuMs, writes } = results[phase];
    report(`${phase} on ${clusters} clusters: CPU per add-on`, cpuMs / clusters, 'ms');
    report(`${phase} on ${clusters} clusters: writes per add-on`, writes / clusters, 'writes');
    report(`${phase} on ${clusters} clusters: add-ons`, clusters / seconds, 'per s');
  }
  report(`restart over ${clusters} clusters: CPU`, results.restart.cpuMs, 'ms');
  report(`restart over ${clusters} clusters: writes`, results.restart.writes, 'writes');
  report(`idle over ${clusters} clusters: CPU per second`, results.idle.cpuMs / IDLE_SECONDS, 'ms');
  report(`${clusters} clusters: resident memory`, results.residentMb, 'MB');
}

function report(name: string, value: number, unit: string): void {
  process.stdout.write(`${JSON.stringify({ name, value: Math.round(value * 100) / 100, unit })}\n`);
}
