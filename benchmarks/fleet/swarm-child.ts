/**
 * Runs stand-ins for the agents of all clusters in a fleet benchmark, in a separate process. The stand-ins share one watch and a few HTTP/2
 * connections with a client certificate, and report on every work after a set delay. The parent process sends SwarmRequests.
 */
import { type ManifestWork, manifestWorks } from '@outrigger/api';
import { isApiError, toTime } from '@outrigger/core';
import { type ConnectionConfig, createClient, reflect } from '@outrigger/kube';
import { createHttpTransport, createLogger, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { Certificates } from './certificates.js';
import { type Link, LeaseRenewals, openLinks } from './leases.js';
import { reportOf } from './reports.js';
import { isSelected, numberOf } from './selection.js';
import { SwarmProcess } from './swarm-process.js';
import type { SwarmRequest } from './swarm.js';

const [kubeconfig = '', delayText = '0', connectionsText = '16', clustersText = '0'] = process.argv.slice(2);
const delayMs = Number(delayText);
const clusters = Number(clustersText);
const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
const { connection } = await loadConnection({ kubeconfig });
const openAs = (config: ConnectionConfig): Link => {
  const transport = createHttpTransport(config, runtime, { protocol: 'h2', env: {} });
  return { client: createClient({ transport, runtime, limits: { inFlight: 64 } }), close: () => transport.close() };
};
const open = (): Link => openAs(connection);
const shared = Array.from({ length: Number(connectionsText) }, open);

const ADD_ON_LABEL = 'open-cluster-management.io/addon-name';
let vanishedShare = 0;
let failingShare = 0;
let lagging = { share: 0, ms: 0 };
let stoppedAddOn = '';
/** The connections that serve one cluster each; empty unless the parent process requested them (`connect`). */
let own: readonly Link[] = [];
/** The works of vanished clusters, keyed by namespace and name. */
const waiting = new Map<string, ManifestWork>();
const renewals = new LeaseRenewals(runtime, clusters, linkOf);
const certificates = new Certificates({ runtime, connection, open: openAs, admin: open() });
const swarm = new SwarmProcess(act);

async function act(request: SwarmRequest): Promise<unknown> {
  if ('renewEverySeconds' in request) return renewals.start(request.renewEverySeconds);
  if ('certify' in request) return certificates.certify(clusters, request.certify);
  if ('connect' in request) {
    await Promise.all(own.map((link) => link.close()));
    own = await openLinks(request.connect, open);
  } else if ('lag' in request) lagging = request.lag;
  else if ('stopAddOn' in request) {
    const changed = request.stopAddOn === '' ? stoppedAddOn : request.stopAddOn;
    stoppedAddOn = request.stopAddOn;
    await reportAgain(`${ADD_ON_LABEL}=${changed}`, () => true);
  } else if ('fail' in request) {
    const share = Math.max(failingShare, request.fail);
    failingShare = request.fail;
    // Agents that begin to fail report the failure only for the next content. Agents that recover report on all works again.
    if (failingShare === 0) await reportAgain(ADD_ON_LABEL, (work) => isSelected(clusterOf(work), share));
  } else if ('vanish' in request) await vanish(request.vanish);
  else throw new Error('only real agents can do this');
  return undefined;
}

async function reportAgain(labelSelector: string, isAffected: (work: ManifestWork) => boolean): Promise<void> {
  const reports: Promise<void>[] = [];
  for await (const work of linkOf(0).client.listAll(manifestWorks, { labelSelector })) if (isAffected(work)) reports.push(report(work));
  await Promise.all(reports);
}

async function vanish(share: number): Promise<void> {
  vanishedShare = share;
  const returning = [...waiting.values()].filter((work) => !isSelected(clusterOf(work), vanishedShare));
  for (const work of returning) waiting.delete(keyText(work));
  await Promise.all(returning.map(report));
}

for await (const event of reflect({ client: open().client, runtime, kind: manifestWorks }, runtime.scope.signal)) {
  if (event.type === 'InitDone') swarm.ready();
  if (event.type !== 'Apply' && event.type !== 'InitApply') continue;
  const work = event.object;
  const isReported = work.status?.conditions?.some(({ observedGeneration }) => observedGeneration === work.metadata.generation);
  if (work.metadata.deletionTimestamp !== undefined || isReported) continue;
  if (isSelected(clusterOf(work), vanishedShare)) waiting.set(keyText(work), work);
  else void report(work);
}

async function report(work: ManifestWork): Promise<void> {
  const cluster = clusterOf(work);
  const delay = delayMs + (isSelected(cluster, lagging.share) ? lagging.ms : 0);
  if (delay > 0) await runtime.timers.sleep(delay);
  const { name = '', namespace = '', labels } = work.metadata;
  const isStopped = stoppedAddOn !== '' && labels?.[ADD_ON_LABEL] === stoppedAddOn;
  const patch = reportOf(work, toTime(runtime.clock.now()), !isStopped && !isSelected(cluster, failingShare));
  try {
    await linkOf(cluster).client.patch(manifestWorks, { name, namespace }, { type: 'merge', patch }, { subresource: 'status' });
    swarm.reports++;
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}

/** Returns the cluster's own connection if it has one, and a shared connection otherwise. */
function linkOf(cluster: number): Link {
  const link = own[cluster] ?? shared[cluster % shared.length];
  if (!link) throw new Error('the swarm needs at least one connection');
  return link;
}

function clusterOf(work: ManifestWork): number {
  return numberOf(work.metadata.namespace ?? '');
}

function keyText(work: ManifestWork): string {
  return `${work.metadata.namespace}/${work.metadata.name}`;
}
