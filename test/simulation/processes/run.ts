import { type CertificateSigningRequest, certificateSigningRequests, leases, managedClusters } from '@outrigger/api';
import { SeededRandom, isApiError } from '@outrigger/core';
import { type Client, ConnectionError } from '@outrigger/kube';
import {
  CLUSTERS,
  type History,
  type LogEntry,
  type Violation,
  detachedClusters,
  isFault,
  judgeCertificates,
  judgeObserved,
  judgeSystem,
} from '@outrigger/simulator';
import { OVER_SOCKETS, eventually } from '../../world/eventually.js';
import { evidenceOf, heal, phasesOf, prepare, settle } from '../system/hub-state.js';
import { actOnHub } from '../system/people.js';
import { Cluster } from './cluster.js';
import { Faults } from './faults.js';
import type { HubServer } from './hub-server.js';
import { ManagerReplica } from './manager.js';
import { LEASE } from './messages.js';
import { Observer } from './observer.js';

const REPLICAS = ['one', 'two'] as const;
/** The hub has settled when nothing has changed for QUIET_MS, and no process has a pass due within REST_MS. */
const QUIET_MS = 1_500;
const REST_MS = 4_000;
const SETTLE_MS = 120_000;
/** The probability that, before a step, an agent requests a certificate that it may not get. */
const WRONG_REQUESTS = 0.3;
/** The time for which the settled hub must write nothing. */
const IDLE_MS = 2_500;

/** A run of the third layer: a real API server, two managers as processes, and agents that reach the hub over sockets, in real time. */
export interface ProcessRun {
  readonly history: History;
  readonly violations: readonly Violation[];
  readonly phases: readonly ReadonlyMap<string, string>[];
  /** The reason why the hub has not settled, if it has not, and the last lines that the managers have logged. */
  readonly story: string;
}

/** Runs a history on the server, which is empty before and afterwards, and checks its log and its final state with the rules of the model. */
export async function runProcesses(history: History, server: HubServer): Promise<ProcessRun> {
  const { runtime } = server;
  const observer = await Observer.start(server.etcd, () => runtime.clock.now());
  const stops: (() => Promise<unknown> | void)[] = [() => server.reset(), () => observer.stop()];
  try {
    const managers: ManagerReplica[] = [];
    for (const name of REPLICAS) {
      const { relay, kubeconfig } = await server.relayed(name);
      const manager = new ManagerReplica({ name, program: server.program, kubeconfig, relay });
      stops.push(
        () => relay.close(),
        () => manager.kill(),
      );
      managers.push(manager);
      manager.start();
    }
    const clusters = new Map<string, Cluster>();
    for (const name of CLUSTERS) {
      const { relay, connection } = await server.relayedAgent(name);
      const cluster = await Cluster.start({ name, hub: connection, relay });
      stops.push(
        () => relay.close(),
        () => cluster.stop(),
      );
      clusters.set(name, cluster);
    }
    await prepare(server.client);
    for (const cluster of clusters.values()) cluster.startAgent();
    return await play(history, { server, observer, managers, clusters });
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

interface Parts {
  readonly server: HubServer;
  readonly observer: Observer;
  readonly managers: readonly ManagerReplica[];
  readonly clusters: ReadonlyMap<string, Cluster>;
}

async function play(history: History, { server, observer, managers, clusters }: Parts): Promise<ProcessRun> {
  const { client: hub, runtime, kube } = server;
  const time = { ...runtime, patience: OVER_SOCKETS };
  const until = (what: string, isTrue: () => Promise<boolean>): Promise<true> =>
    eventually(time, what, async () => ((await isTrue()) ? (true as const) : undefined));
  const faults = new Faults({ runtime, kube, managers, clusters });
  const phases: ReadonlyMap<string, string>[] = [];
  const uninstalled = new Set<string>();
  const agentOf = (name: string): Client => (clusters.get(name) as Cluster).hub;
  await until('a manager leads', () => isLed(managers));
  const random = new SeededRandom(history.seed);
  for (const [i, { afterMs, step }] of history.steps.entries()) {
    await runtime.timers.sleep(afterMs);
    if (random.chance(WRONG_REQUESTS)) await attempt(() => server.wrongRequests.send(random, `wrong-${i}`, agentOf));
    phases.push(await phasesOf(hub));
    if (step.do === 'uninstall by hand') uninstalled.add(`${step.cluster}/${step.addOn}`);
    if (isFault(step)) await faults.disturb(step);
    else await actOnHub(hub, step);
  }
  await faults.end();
  await heal(hub);
  let unrest: readonly string[] = [];
  const isAtRest = async (): Promise<boolean> => {
    unrest = await unrestOf(hub, managers, clusters);
    return unrest.length === 0;
  };
  const hasSettled = await settle(hub, runtime, { quietMs: QUIET_MS, limitMs: SETTLE_MS, everyMs: 500, isAtRest });
  const writesOf = (): readonly string[] => managers.flatMap(({ writes }) => writes.splice(0));
  writesOf();
  await runtime.timers.sleep(IDLE_MS);
  const idleRequests = writesOf();
  await restart(managers, server);
  await until('the manager is at rest after its restart', async () => (await unrestOfManagers(managers)).length === 0);
  await until('the log is complete', () => observer.isComplete());
  const observed = { hasSettled, hasFaults: history.steps.some(({ step }) => isFault(step)), idleRequests, restartRequests: writesOf() };
  const evidence = await evidenceOf(hub, clusters, observed);
  const log = observer.log.map((entry): LogEntry => (uninstalled.has(entry.id) ? { ...entry, actor: 'person' } : entry));
  const defects = managers.flatMap((manager) => manager.defects);
  const { items: requests } = await hub.list(certificateSigningRequests);
  const violations = [
    ...judgeObserved(log, observed.hasFaults),
    ...judgeSystem({ ...evidence, defects }),
    ...judgeCertificates(evidence, requests, detachedClusters(history)),
  ];
  const story = [...unrest, ...managers.flatMap(({ name, log: lines }) => [`manager ${name}:`, ...lines])].join('\n');
  return { history, violations, phases, story };
}

/**
 * Sends a request of an agent. Ignores the error if the API server rejects the request, for example because the agent has no rights on the
 * hub at the moment, or if a fault breaks the connection.
 */
async function attempt(send: () => Promise<void>): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (!isApiError(error) && !(error instanceof ConnectionError)) throw error;
  }
}

async function isLed(managers: readonly ManagerReplica[]): Promise<boolean> {
  const states = await Promise.all(managers.map((manager) => manager.state()));
  return states.some((state) => state?.isLeading === true);
}

/** Returns a line with the states of the managers, unless one of them is settled and has no pass due within REST_MS. */
async function unrestOfManagers(managers: readonly ManagerReplica[]): Promise<readonly string[]> {
  const states = await Promise.all(managers.map((manager) => manager.state()));
  const isAtRest = states.some((state) => state?.isSettled === true && (state.nextPassInMs ?? Number.POSITIVE_INFINITY) > REST_MS);
  return isAtRest ? [] : [`managers: ${JSON.stringify(states)}`];
}

/**
 * Returns the reasons why the run has not settled: managers and agents that have not settled, and approved requests that are not
 * signed. Ignores agents without a ManagedCluster, because they have no rights on the hub and never settle.
 */
async function unrestOf(
  hub: Client,
  managers: readonly ManagerReplica[],
  clusters: ReadonlyMap<string, Cluster>,
): Promise<readonly string[]> {
  const { items } = await hub.list(managedClusters);
  const { items: requests } = await hub.list(certificateSigningRequests);
  const unsigned = requests.filter(({ status }) => status?.certificate === undefined && isApproved(status));
  const ofAgents = items.flatMap(({ metadata: { name = '' } }) => {
    const why = clusters.get(name)?.unrest(REST_MS);
    return why === undefined ? [] : [`agent of ${name}: ${why}`];
  });
  return [...(await unrestOfManagers(managers)), ...ofAgents, ...unsigned.map(({ metadata }) => `${metadata.name} is not signed`)];
}

function isApproved(status: CertificateSigningRequest['status']): boolean {
  return (status?.conditions ?? []).some(({ type }) => type === 'Approved');
}

/** Kills all managers and starts one. The Lease of the old leader is deleted, so that the new one need not wait until it expires. */
async function restart(managers: readonly ManagerReplica[], { client }: HubServer): Promise<void> {
  for (const manager of managers) await manager.kill();
  await client.delete(leases, LEASE).catch((error: unknown) => {
    if (!isApiError(error, 'NotFound')) throw error;
  });
  managers[0]?.start();
}
