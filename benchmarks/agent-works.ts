import { setTimeout as sleep } from 'node:timers/promises';
/**
 * Measures what it costs an agent to apply 50 works of 10 manifests to a real kube-apiserver, and to maintain them afterwards. The same
 * process sends the few requests that create the works, so they are included.
 */
import { manifestWorks } from '@outrigger/api';
import { startKube } from '../test/harness/index.js';
import { startServerWorld } from '../test/integration/work/server-world.js';
import { type Manifest, applied, configMap, createWork, deployment } from '../test/integration/work/world.js';

const WORKS = 50;
const MANIFESTS = 10;
const IDLE_SECONDS = 20;

const kube = await startKube();
const world = await startServerWorld(kube);
const namespace = await world.newNamespace();

const [startedAt, before] = [performance.now(), process.cpuUsage()];
const works = await Promise.all(Array.from({ length: WORKS }, (_, work) => createWork(world, manifestsOf(work))));
for (const work of works) await applied(world, work);
const seconds = (performance.now() - startedAt) / 1000;
report('apply 500 manifests: CPU per manifest', cpuMs(before) / WORKS / MANIFESTS, 'ms');
report('apply 500 manifests', (WORKS * MANIFESTS) / seconds, 'per s');

await world.settled();
const [versions, settled] = [await resourceVersions(), process.cpuUsage()];
await sleep(IDLE_SECONDS * 1000);
report('watch over 500 settled manifests: CPU per second', cpuMs(settled) / IDLE_SECONDS, 'ms');
report('watch over 500 settled manifests: works written', changes(versions, await resourceVersions()), 'works', 0);

await world.stop();
await kube.stop();
process.exit(0);

function manifestsOf(work: number): Manifest[] {
  return Array.from({ length: MANIFESTS }, (_, index) =>
    index === 0 ? deployment(namespace, `app-${work}`) : configMap(namespace, `settings-${work}-${index}`),
  );
}

async function resourceVersions(): Promise<readonly string[]> {
  const { items } = await world.hub.list(manifestWorks);
  return items.map(({ metadata }) => metadata.resourceVersion ?? '').sort();
}

function changes(before: readonly string[], after: readonly string[]): number {
  return after.filter((version) => !before.includes(version)).length;
}

function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

function report(name: string, value: number, unit: string, budget?: number): void {
  process.stdout.write(
    `${JSON.stringify({ name, value: Math.round(value * 100) / 100, unit, ...(budget === undefined ? {} : { budget }) })}\n`,
  );
}
