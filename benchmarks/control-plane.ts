/**
 * Compares the embedded control plane with etcd and kube-apiserver under the same load, one after the other in one run. Both write durably.
 * The load is bounded and on loopback. OUTRIGGER_BENCH_OBJECTS sets how many objects the memory measurement stores.
 */
import { type ManagedClusterAddOn, configMaps, managedClusterAddOns, namespaces } from '@outrigger/api';
import { type ControlPlane, createControlPlane } from '@outrigger/control-plane';
import { type Client, createClient } from '@outrigger/kube';
import { createHttpTransport, createLogger, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { KIND_DEFINITIONS, customResourceDefinition } from '@outrigger/api';
import { type Contestant, startEmbeddedProcess, startRealKube } from './servers/contestants.js';

const PLANES = 50;
const WRITERS = 64;
const WRITE_SECONDS = 6;
/** The wait is long enough for garbage collection after the start, on both servers. */
const IDLE_MS = 30_000;
const WATCHERS = 1000;
const WATCH_EVENTS = 100;
const NAMESPACE_WATCHERS = Number(process.env['OUTRIGGER_BENCH_WATCHERS'] ?? 10_000);
const OBJECTS = Number(process.env['OUTRIGGER_BENCH_OBJECTS'] ?? 100_000);
const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });

interface Results {
  readonly startMs: number;
  readonly idleMb: number;
  readonly writesPerSecond: number;
  readonly cpuPerWriteMs: number;
  readonly watchEventsPerSecond: number;
  readonly watchP99Ms: number;
  readonly cpuPerEventFewMs: number;
  readonly cpuPerEventManyMs: number;
  readonly loadedMb: number;
}

await many();
const embedded = await measure(await startEmbeddedProcess());
const real = await measure(await startRealKube());
compare('start until serving', embedded.startMs, real.startMs, 'ms', { budget: 1000 });
compare('resident memory, idle', embedded.idleMb, real.idleMb, 'MB', { budget: 120 });
compare(`durable writes with ${WRITERS} clients`, embedded.writesPerSecond, real.writesPerSecond, 'per s');
compare('CPU per durable write', embedded.cpuPerWriteMs, real.cpuPerWriteMs, 'ms');
compare(`events to ${WATCHERS} watchers`, embedded.watchEventsPerSecond, real.watchEventsPerSecond, 'per s');
compare(`event to ${WATCHERS} watchers, p99`, embedded.watchP99Ms, real.watchP99Ms, 'ms');
compare('CPU per event, 10 watchers of other namespaces', embedded.cpuPerEventFewMs, real.cpuPerEventFewMs, 'ms');
compare(`CPU per event, ${NAMESPACE_WATCHERS} watchers of other namespaces`, embedded.cpuPerEventManyMs, real.cpuPerEventManyMs, 'ms');
compare(`resident memory with ${OBJECTS} ManagedClusterAddOns`, embedded.loadedMb, real.loadedMb, 'MB');
process.exit(0);

/** Measures the cost of one more control plane in a process that already runs some, because simulated fleets start hundreds. */
async function many(): Promise<void> {
  const crds = KIND_DEFINITIONS.map((definition) => customResourceDefinition(definition));
  const planes: ControlPlane[] = [];
  const start = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) {
      const plane = await createControlPlane({ runtime, storage: 'memory', crds });
      await plane.start();
      planes.push(plane);
    }
  };
  // These control planes warm up compiled code and shared caches first.
  await start(PLANES);
  globalThis.gc?.();
  const [heap, cpu] = [process.memoryUsage().heapUsed, process.cpuUsage()];
  await start(PLANES);
  const { user, system } = process.cpuUsage(cpu);
  globalThis.gc?.();
  report('heap of one more control plane in a process', (process.memoryUsage().heapUsed - heap) / PLANES / 1000, 'kB', 300);
  report('CPU to start one more control plane in a process', (user + system) / PLANES / 1000, 'ms');
  await Promise.all(planes.map((plane) => plane.stop()));
}

async function measure(server: Contestant): Promise<Results> {
  try {
    const client = await clientOf(server, 'http/1.1', WRITERS);
    await prepare(client);
    await pause(IDLE_MS);
    const idleMb = server.residentMb();
    const written = await durableWrites(server, client);
    const watched = await watchFanOut(server, client);
    const few = await costPerEvent(server, client, 'few', 10);
    const many = await costPerEvent(server, client, 'many', NAMESPACE_WATCHERS);
    await fill(client);
    await pause(5000);
    const loadedMb = server.residentMb();
    if (server.restart) report(`start until serving ${OBJECTS} objects: ${server.name}`, await server.restart(), 'ms');
    return {
      startMs: server.startMs,
      idleMb,
      ...written,
      ...watched,
      cpuPerEventFewMs: few,
      cpuPerEventManyMs: many,
      loadedMb,
    };
  } finally {
    await server.stop();
  }
}

async function clientOf(server: Contestant, protocol: 'http/1.1' | 'h2', connections = 16): Promise<Client> {
  const { connection } = await loadConnection({ kubeconfig: server.kubeconfig });
  return createClient({
    transport: createHttpTransport(connection, runtime, { protocol, connections }),
    runtime,
    limits: { inFlight: 256 },
  });
}

async function prepare(client: Client): Promise<void> {
  const crds = {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    namespaced: false,
  };
  const definition = KIND_DEFINITIONS.find(({ kind }) => kind === 'ManagedClusterAddOn');
  if (definition && !(await client.discovery.serves(managedClusterAddOns))) await client.create(crds, customResourceDefinition(definition));
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'bench' } });
}

async function durableWrites(server: Contestant, client: Client): Promise<Pick<Results, 'writesPerSecond' | 'cpuPerWriteMs'>> {
  const until = performance.now() + WRITE_SECONDS * 1000;
  let writes = 0;
  const before = server.cpuMs();
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      const key = { namespace: 'bench', name: `writer-${writer}` };
      await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: key, data: { n: '0' } });
      for (let n = 1; performance.now() < until; n++) {
        await client.patch(configMaps, key, { type: 'merge', patch: { data: { n: String(n), filler: 'x'.repeat(500) } } });
        writes += 1;
      }
    }),
  );
  return { writesPerSecond: writes / WRITE_SECONDS, cpuPerWriteMs: (server.cpuMs() - before) / writes };
}

/** Measures watches that all follow one namespace, so that each write is an event for all of them. */
async function watchFanOut(server: Contestant, client: Client): Promise<Pick<Results, 'watchEventsPerSecond' | 'watchP99Ms'>> {
  const latencies: number[] = [];
  const sentAt = new Map<string, number>();
  const ending = new AbortController();
  const key = { namespace: 'bench', name: 'fan-out' };
  await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: key, data: {} });
  const { metadata } = await client.list(configMaps, { namespace: 'bench' });
  const selection = { namespace: 'bench', fieldSelector: 'metadata.name=fan-out', resourceVersion: metadata.resourceVersion ?? '0' };
  await openWatches(
    server,
    WATCHERS,
    () => selection,
    ending.signal,
    (object) => {
      const at = sentAt.get((object as { data?: Record<string, string> }).data?.['n'] ?? '');
      if (at !== undefined) latencies.push(performance.now() - at);
    },
  );
  await pause(1000);
  const startedAt = performance.now();
  for (let n = 0; n < WATCH_EVENTS; n++) {
    sentAt.set(String(n), performance.now());
    await client.patch(configMaps, key, { type: 'merge', patch: { data: { n: String(n) } } });
  }
  while (latencies.length < WATCHERS * WATCH_EVENTS && performance.now() - startedAt < 60_000) await pause(20);
  const seconds = (performance.now() - startedAt) / 1000;
  ending.abort();
  const sorted = latencies.sort((a, b) => a - b);
  return { watchEventsPerSecond: latencies.length / seconds, watchP99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN };
}

/** Measures watches of different namespaces. Events happen in a namespace that only one of them watches. */
async function costPerEvent(server: Contestant, client: Client, name: string, watchers: number): Promise<number> {
  const ending = new AbortController();
  const key = { namespace: 'bench', name: `cost-${name}` };
  await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: key, data: {} });
  await openWatches(
    server,
    watchers,
    (n) => ({ namespace: n === 0 ? 'bench' : `tenant-${n}` }),
    ending.signal,
    () => undefined,
  );
  await pause(3000);
  const events = 500;
  const before = server.cpuMs();
  for (let n = 0; n < events; n++) await client.patch(configMaps, key, { type: 'merge', patch: { data: { n: String(n) } } });
  const cost = (server.cpuMs() - before) / events;
  ending.abort();
  await pause(3000);
  return cost;
}

/** Opens watches over HTTP/2 sessions with at most 100 streams, one session at a time. */
async function openWatches(
  server: Contestant,
  count: number,
  selectionOf: (n: number) => { namespace: string; fieldSelector?: string; resourceVersion?: string },
  signal: AbortSignal,
  seen: (object: object) => void,
): Promise<void> {
  for (let opened = 0; opened < count; opened += 100) {
    const client = await clientOf(server, 'h2');
    for (let n = opened; n < Math.min(count, opened + 100); n++) {
      void (async () => {
        try {
          for await (const event of client.watch(configMaps, { ...selectionOf(n), signal, timeoutSeconds: 600 })) seen(event.object);
        } catch (error) {
          if (!signal.aborted) process.stderr.write(`a watch ended: ${String(error)}\n`);
        }
      })();
    }
    await pause(10);
  }
}

async function fill(client: Client): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      for (let n = next++; n < OBJECTS; n = next++) await client.create(managedClusterAddOns, addOn(n));
    }),
  );
}

function addOn(n: number): ManagedClusterAddOn {
  return {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ManagedClusterAddOn',
    metadata: { name: `add-on-${n}`, namespace: 'bench', labels: { fleet: 'bench' } },
    spec: {
      configs: [{ group: 'addon.open-cluster-management.io', resource: 'addondeploymentconfigs', namespace: 'default', name: 'shared' }],
    },
  };
}

function pause(ms: number): Promise<void> {
  return runtime.timers.sleep(ms);
}

function compare(name: string, ours: number, theirs: number, unit: string, { budget }: { budget?: number } = {}): void {
  report(`${name}: embedded`, ours, unit, budget);
  report(`${name}: etcd + kube-apiserver`, theirs, unit);
  report(`${name}: embedded against the other`, ours / theirs, 'ratio');
}

function report(name: string, value: number, unit: string, budget?: number): void {
  const rounded = Math.round(value * 100) / 100;
  process.stdout.write(`${JSON.stringify({ name, value: rounded, unit, ...(budget === undefined ? {} : { budget }) })}\n`);
}
