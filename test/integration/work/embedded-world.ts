import { KIND_DEFINITIONS, customResourceDefinition, namespaces } from '@outrigger/api';
import { createControlPlane } from '@outrigger/control-plane';
import type { Runtime, Transport } from '@outrigger/core';
import { type Client, createClient } from '@outrigger/kube';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { countRequests } from './count-requests.js';
import { type WorkAgentOptions, startWorkAgent } from './work-agent.js';
import { type AgentWorld, CLUSTER_NAME, numbered } from './world.js';

export interface EmbeddedWorld extends AgentWorld {
  /** Watches the agent has opened so far. */
  readonly watchCount: number;
  stop(): Promise<void>;
}

const CRDS = KIND_DEFINITIONS.filter(({ kind }) => kind === 'ManifestWork' || kind === 'AppliedManifestWork').map((definition) =>
  customResourceDefinition(definition),
);

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
    eventually: (what, condition) => poll(runtime, what, condition),
    pause: (ms) => runtime.timers.sleep(ms),
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

export async function poll<T>(runtime: Runtime, what: string, condition: () => Promise<T | undefined>, attempts = 800): Promise<T> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const found = await condition();
    if (found !== undefined) return found;
    await runtime.timers.sleep(15);
  }
  throw new Error(`waited in vain for: ${what}`);
}
