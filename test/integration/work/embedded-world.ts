import { namespaces } from '@outrigger/api';
import type { Transport } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { countRequests } from './count-requests.js';
import { type WorkAgentOptions, agentAtRest, startWorkAgent } from './work-agent.js';
import { type AgentWorld, CLUSTER_NAME, numbered } from './world.js';
import { EmbeddedWorld } from '../../world/embedded.js';
import { definitionsOf } from '../../world/simulation.js';

export interface EmbeddedAgentWorld extends AgentWorld {
  /** The number of watches that the agent has opened so far. */
  readonly watchCount: number;
  stop(): Promise<void>;
}

const CRDS = definitionsOf(new Set(['ManifestWork', 'AppliedManifestWork']));

/** Starts two embedded servers and an agent in this process. */
export async function startEmbeddedWorld(options: WorkAgentOptions = {}): Promise<EmbeddedAgentWorld> {
  const world = await EmbeddedWorld.create();
  const { runtime } = world;
  const [hubServer, clusterServer] = await Promise.all([
    world.startServer('hub', { crds: CRDS }),
    world.startServer('cluster', { crds: CRDS, simulateWorkloads: { readyAfterMs: 5 } }),
  ]);
  const hub = world.client(hubServer.transport());
  const cluster = world.client(clusterServer.transport());
  await hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: CLUSTER_NAME } });

  const counter = countRequests();
  const process = world.process('agent');
  const counted = (inner: Transport): Client => world.client(counter.through(inner), process);
  const context = {
    runtime: process,
    hub: counted(hubServer.transport()),
    cluster: counted(clusterServer.transport()),
    hubServer: 'https://hub',
  };
  let agent = await startWorkAgent(context, options);
  world.onStop(() => agent.stop());
  const unique = numbered();
  return {
    hub,
    cluster,
    unique,
    hubServer: 'https://hub',
    newNamespace: () => newNamespace(cluster, unique('ns')),
    eventually: world.eventually,
    clock: runtime.clock,
    settled: () => agentAtRest(runtime, () => agent, counter),
    takeRequests: () => counter.take(),
    async restartAgent() {
      await agent.stop();
      agent = await startWorkAgent(context, options);
    },
    async startAnother(agentId) {
      const another = await startWorkAgent(context, { ...options, agentId });
      world.onStop(() => another.stop());
      return another;
    },
    get watchCount() {
      return counter.watches();
    },
    stop: () => world.stop(),
  };
}

export async function newNamespace(cluster: Client, name: string): Promise<string> {
  await cluster.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return name;
}
