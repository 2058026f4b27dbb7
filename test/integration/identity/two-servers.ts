import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentSettings, type JoiningAgent, createJoiningAgent } from '@outrigger/agent';
import { type Deployment, deployments } from '@outrigger/api';
import type { Runtime } from '@outrigger/core';
import { createHub } from '@outrigger/hub';
import { type Client, type ConnectionConfig, type Manager, createClient } from '@outrigger/kube';
import { createHttpTransport, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { type Relay, type TestServer, installKinds, recordedLogger, startEmbedded, startKube, startRelay } from '../../harness/index.js';
import { CLUSTER, type IdentityWorld } from './scenario.js';
import { type Eventually, OVER_SOCKETS, eventually } from '../../world/eventually.js';

export type ServerType = 'embedded' | 'kube';

/** The interval of an agent's pings. It is shorter than the default, so that an agent notices soon that a network drops all packets. */
const PING_EVERY_MS = 2_000;

/** A hub and a managed cluster, each with its own server behind a socket, with a manager and agents. */
export interface TwoServers extends IdentityWorld {
  readonly runtime: Runtime;
  /**
   * Relays the connections of the agent and its add-ons to the hub. The agent and the add-ons use the URL of the relay instead of that of
   * the hub.
   */
  readonly relay: Relay;
  /** Kills the hub's API server and starts it again with its stored data. */
  restartHub(): Promise<void>;
  /** Returns a client for the hub's administrator that uses this protocol. */
  hubClient(protocol: 'http/1.1' | 'h2'): Promise<Client>;
  startManager(): Promise<Manager>;
  /** Starts an agent that joins `hubServer` with the bootstrap credential on its cluster. */
  startAgent(settings?: AgentSettings): JoiningAgent;
  /** Returns a client that reads the Secret as files in a folder, as an add-on's pod does. */
  mounted(secret: Readonly<Record<string, string>>): Promise<Client>;
  /** Reports the pods as running, because no kubelet runs here. */
  runPods(deployment: Deployment): Promise<void>;
  stop(): Promise<void>;
}

export type ServerTypes = Readonly<Record<'hub' | 'cluster', ServerType>>;

export async function startTwoServers({ hub: hubType, cluster: clusterType }: ServerTypes): Promise<TwoServers> {
  const runtime = createRealRuntime({ log: recordedLogger() });
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  const start = async (type: ServerType): Promise<TestServer & { restart(): Promise<void> }> => {
    if (type === 'kube') {
      const server = await startKube({ controllerManager: 'after kinds' });
      stops.push(() => server.stop());
      return { ...server, restart: () => server.restart('kube-apiserver') };
    }
    const dir = await mkdtemp(join(tmpdir(), 'outrigger-store-'));
    stops.push(() => rm(dir, { recursive: true, force: true }));
    const server = await startEmbedded({ storage: { dir } });
    stops.push(() => server.stop());
    return server;
  };
  const connect = (config: ConnectionConfig, protocol: 'http/1.1' | 'h2' = 'http/1.1'): Client => {
    const transport = createHttpTransport(config, runtime, { protocol });
    stops.push(() => transport.close());
    return createClient({ transport, runtime });
  };
  const adminOf = async (kubeconfig: string, protocol?: 'http/1.1' | 'h2'): Promise<Client> =>
    connect((await loadConnection({ kubeconfig })).connection, protocol);
  const within: Eventually = (what, condition) => eventually({ ...runtime, patience: OVER_SOCKETS }, what, condition);
  try {
    const [hubServer, clusterServer] = [await start(hubType), await start(clusterType)];
    const relay = await startRelay(Number(new URL(hubServer.url).port));
    stops.push(() => relay.close());
    const [hub, cluster] = await Promise.all([adminOf(hubServer.kubeconfigPath), adminOf(clusterServer.kubeconfigPath)]);
    await Promise.all([installKinds(hubServer, hub, within), installKinds(clusterServer, cluster, within)]);
    return {
      runtime,
      hub,
      cluster,
      hubServer: `https://127.0.0.1:${relay.port}`,
      relay,
      restartHub: () => hubServer.restart(),
      hubCa: hubServer.caPem,
      eventually: within,
      connect,
      hubClient: (protocol) => adminOf(hubServer.kubeconfigPath, protocol),
      async startManager() {
        const manager = createHub({ runtime, client: hub, namespace: 'default' });
        await manager.start();
        stops.push(() => manager.stop());
        return manager;
      },
      startAgent(settings = {}) {
        const connectHub = (config: ConnectionConfig): ReturnType<typeof createHttpTransport> =>
          createHttpTransport(config, runtime, { protocol: 'h2', pingEveryMs: PING_EVERY_MS });
        const agent = createJoiningAgent({ runtime, cluster, clusterName: CLUSTER, agentName: 'agent', settings, connectHub });
        agent.start();
        stops.push(() => agent.stop());
        return agent;
      },
      async mounted(secret) {
        const folder = await mkdtemp(join(tmpdir(), 'outrigger-secret-'));
        stops.push(() => rm(folder, { recursive: true, force: true }));
        for (const [name, content] of Object.entries(secret)) await writeFile(join(folder, name), content, { mode: 0o600 });
        return adminOf(join(folder, 'kubeconfig'));
      },
      runPods: (deployment) => reportReady(cluster, deployment),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function reportReady(cluster: Client, deployment: Deployment): Promise<void> {
  const condition = {
    type: 'Available',
    status: 'True',
    reason: 'MinimumReplicasAvailable',
    message: 'Deployment has minimum availability.',
  };
  const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
  const { name = '', namespace = '', generation = 1 } = deployment.metadata;
  const patch = { status: { observedGeneration: generation, ...counts, conditions: [condition] } };
  await cluster.patch(deployments, { name, namespace }, { type: 'merge', patch }, { subresource: 'status' });
}
