/**
 * Runs the agents of all clusters in a fleet benchmark, in a separate process. They share a few HTTP/2 connections with a client
 * certificate and one watch, and report on every work after a set delay. The parent sends `{ vanish: share }` or `{ fail: share }` for a
 * share of the clusters; 0 ends it. Vanished agents report when they return; failing ones report that the manifests could not be applied.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type ManifestWork, manifestWorks } from '@outrigger/api';
import { isApiError, toTime } from '@outrigger/core';
import { type Client, createClient, reflect } from '@outrigger/kube';
import { createHttpTransport, createLogger, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { reportOf } from './reports.js';

const [kubeconfig = '', delayText = '0', connectionsText = '16'] = process.argv.slice(2);
const delayMs = Number(delayText);
const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
const { connection } = await loadConnection({ kubeconfig });
const open = (): Client =>
  createClient({ transport: createHttpTransport(connection, runtime, { protocol: 'h2', env: {} }), runtime, limits: { inFlight: 64 } });
const clients = Array.from({ length: Number(connectionsText) }, open);
const loop = monitorEventLoopDelay({ resolution: 10 });
loop.enable();

let vanishedShare = 0;
let failingShare = 0;
let reports = 0;
/** The works of vanished clusters, by namespace and name. */
const waiting = new Map<string, ManifestWork>();

process.on('message', (message: { readonly vanish?: number; readonly fail?: number; readonly stats?: true }) => {
  if (message.fail !== undefined) failingShare = message.fail;
  if (message.vanish !== undefined) {
    vanishedShare = message.vanish;
    const returning = [...waiting.values()].filter((work) => !isVanished(work));
    for (const work of returning) {
      waiting.delete(keyText(work));
      void report(work);
    }
  }
  if (message.stats) process.send?.({ reports, loopP99Ms: loop.percentile(99) / 1e6, loopMaxMs: loop.max / 1e6 });
});

for await (const event of reflect({ client: open(), runtime, kind: manifestWorks }, runtime.scope.signal)) {
  if (event.type === 'InitDone') process.send?.({ ready: true });
  if (event.type !== 'Apply' && event.type !== 'InitApply') continue;
  const work = event.object;
  const isReported = work.status?.conditions?.some(({ observedGeneration }) => observedGeneration === work.metadata.generation);
  if (work.metadata.deletionTimestamp !== undefined || isReported) continue;
  if (isVanished(work)) waiting.set(keyText(work), work);
  else void report(work);
}

async function report(work: ManifestWork): Promise<void> {
  if (delayMs > 0) await runtime.timers.sleep(delayMs);
  const { name = '', namespace = '' } = work.metadata;
  const client = clients[numberOf(namespace) % clients.length];
  const isFailing = isAmong(namespace, failingShare);
  try {
    const patch = reportOf(work, toTime(runtime.clock.now()), !isFailing);
    await client?.patch(manifestWorks, { name, namespace }, { type: 'merge', patch }, { subresource: 'status' });
    reports++;
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}

function isVanished(work: ManifestWork): boolean {
  return isAmong(work.metadata.namespace ?? '', vanishedShare);
}

/** Whether a cluster belongs to the given share of all clusters. A share of 0.1 selects every tenth cluster. */
function isAmong(namespace: string, share: number): boolean {
  return share > 0 && numberOf(namespace) % Math.round(1 / share) === 0;
}

function numberOf(namespace: string): number {
  return Number(namespace.slice(1));
}

function keyText(work: ManifestWork): string {
  return `${work.metadata.namespace}/${work.metadata.name}`;
}
