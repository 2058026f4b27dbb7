/**
 * Runs the agents of all clusters in a fleet benchmark, in a separate process. They share a few HTTP/2 connections with a client
 * certificate and one watch, and report on every work after a set delay. The parent sends SwarmRequests.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type ManifestWork, manifestWorks } from '@outrigger/api';
import { isApiError, toTime } from '@outrigger/core';
import { createClient, reflect } from '@outrigger/kube';
import { createHttpTransport, createLogger, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { type Link, LeaseRenewals, openLinks } from './leases.js';
import { reportOf } from './reports.js';
import type { SwarmRequest } from './swarm.js';

const [kubeconfig = '', delayText = '0', connectionsText = '16', clustersText = '0'] = process.argv.slice(2);
const delayMs = Number(delayText);
const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
const { connection } = await loadConnection({ kubeconfig });
const open = (): Link => {
  const transport = createHttpTransport(connection, runtime, { protocol: 'h2', env: {} });
  return { client: createClient({ transport, runtime, limits: { inFlight: 64 } }), close: () => transport.close() };
};
const shared = Array.from({ length: Number(connectionsText) }, open);
const loop = monitorEventLoopDelay({ resolution: 10 });
loop.enable();

const ADD_ON_LABEL = 'open-cluster-management.io/addon-name';
let vanishedShare = 0;
let stoppedAddOn = '';
let reports = 0;
/** The connections of single clusters, if the parent asked for some. */
let own: readonly Link[] = [];
/** The works of vanished clusters, by namespace and name. */
const waiting = new Map<string, ManifestWork>();
const renewals = new LeaseRenewals(runtime, Number(clustersText), linkOf);

process.on('message', ({ id, request }: { readonly id: number; readonly request: SwarmRequest }) => {
  void answer(request).then((value) => process.send?.({ done: id, answer: value }));
});

async function answer(request: SwarmRequest): Promise<unknown> {
  if ('stats' in request) return { reports, loopP99Ms: loop.percentile(99) / 1e6, loopMaxMs: loop.max / 1e6 };
  if ('renewEverySeconds' in request) return renewals.start(request.renewEverySeconds);
  if ('connect' in request) {
    await Promise.all(own.map((link) => link.close()));
    own = await openLinks(request.connect, open);
    return undefined;
  }
  if ('stopAddOn' in request) {
    const changed = request.stopAddOn === '' ? stoppedAddOn : request.stopAddOn;
    stoppedAddOn = request.stopAddOn;
    const { items } = await linkOf(0).client.list(manifestWorks, { labelSelector: `${ADD_ON_LABEL}=${changed}` });
    await Promise.all(items.map(report));
    return undefined;
  }
  vanishedShare = request.vanish;
  const returning = [...waiting.values()].filter((work) => !isVanished(work));
  for (const work of returning) waiting.delete(keyText(work));
  await Promise.all(returning.map(report));
  return undefined;
}

for await (const event of reflect({ client: open().client, runtime, kind: manifestWorks }, runtime.scope.signal)) {
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
  const { name = '', namespace = '', labels } = work.metadata;
  const isRunning = stoppedAddOn === '' || labels?.[ADD_ON_LABEL] !== stoppedAddOn;
  const patch = reportOf(work, toTime(runtime.clock.now()), isRunning);
  try {
    await linkOf(numberOf(namespace)).client.patch(manifestWorks, { name, namespace }, { type: 'merge', patch }, { subresource: 'status' });
    reports++;
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}

/** The connection of a cluster: its own if it has one, otherwise one of the shared ones. */
function linkOf(cluster: number): Link {
  const link = own[cluster] ?? shared[cluster % shared.length];
  if (!link) throw new Error('the swarm needs at least one connection');
  return link;
}

/** Whether a cluster belongs to the vanished share of all clusters. A share of 0.1 selects every tenth cluster. */
function isVanished(work: ManifestWork): boolean {
  return vanishedShare > 0 && numberOf(work.metadata.namespace ?? '') % Math.round(1 / vanishedShare) === 0;
}

function numberOf(namespace: string): number {
  return Number(namespace.slice(1));
}

function keyText(work: ManifestWork): string {
  return `${work.metadata.namespace}/${work.metadata.name}`;
}
