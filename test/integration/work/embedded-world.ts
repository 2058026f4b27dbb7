import { namespaces } from '@outrigger/api';
import { createControlPlane } from '@outrigger/control-plane';
import type { Transport } from '@outrigger/core';
import { type Client, createClient } from '@outrigger/kube';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { countRequests } from './count-requests.js';
import { type WorkAgentOptions, agentAtRest, startWorkAgent } from './work-agent.js';
import { type AgentWorld, CLUSTER_NAME, numbered } from './world.js';
import { eventually } from '../../world/eventually.js';
import { definitionsOf } from '../../world/simulation.js';

export interface EmbeddedWorld extends AgentWorld {
  /** Watches the agent has opened so far. */
  readonly watchCount: number;
  stop(): Promise<void>;
}

const CRDS = definitionsOf(new Set(['ManifestWork', 'AppliedManifestWork']));

/** Two embedded servers and an agent in this process. */
export async function startEmbeddedWorld(options: WorkAgentOptions = {}): Promise<EmbeddedWorld> {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  const [hubServer, clusterServer] = await Promise.all([
    createControlPlane({ runtime, storage: 'memory', crds: CRDS }),
    createControlPlane({ runtime, storage: 'memory', crds: CRDS, simulateWorkloads: { readyAfterMs: 5 } }),
  ]);
  await Promise.all([hubServer.start(), clusterServer.start()]);
  const hub = createClient({ transport: hubServer.transport(), runtime });
  const cluster = createClient({ transport: clusterServer.transport(), runtime });
  await hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: CLUSTER_NAME } });

  const counter = countRequests();
  const counted = (inner: Transport): Client => createClient({ transport: counter.through(inner), runtime });
  const surroundings = {
    runtime,
    hub: counted(hubServer.transport()),
    cluster: counted(clusterServer.transport()),
    hubServer: 'https://hub',
  };
  let agent = await startWorkAgent(surroundings, options);
  const unique = numbered();
  return {
    hub,
    cluster,
    unique,
    hubServer: 'https://hub',
    newNamespace: () => newNamespace(cluster, unique('ns')),
    eventually: (what, condition) => eventually(runtime, what, condition),
    clock: runtime.clock,
    settled: () => agentAtRest(runtime, () => agent, counter),
    takeRequests: () => counter.take(),
    async restartAgent() {
      await agent.stop();
      agent = await startWorkAgent(surroundings, options);
    },
    get watchCount() {
      return counter.watches();
    },
    async stop() {
      await agent.stop();
      await Promise.all([hubServer.stop(), clusterServer.stop()]);
    },
  };
}

export async function newNamespace(cluster: Client, name: string): Promise<string> {
  await cluster.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return name;
}
