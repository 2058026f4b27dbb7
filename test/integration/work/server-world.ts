import { KIND_DEFINITIONS, customResourceDefinition, namespaces } from '@outrigger/api';
import { type KubeObject, isApiError } from '@outrigger/core';
import { type Client, createClient } from '@outrigger/kube';
import { createHttpTransport, createLogger, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import type { TestServer } from '../../harness/index.js';
import { newNamespace, poll } from './embedded-world.js';
import { type WorkAgentOptions, startWorkAgent } from './work-agent.js';
import { CLUSTER_NAME, type WorkWorld, crds, numbered } from './world.js';

const KINDS = KIND_DEFINITIONS.filter(({ kind }) => kind === 'ManifestWork' || kind === 'AppliedManifestWork');

/** One server, over its socket, as hub and managed cluster at once. */
export async function startServerWorld(server: TestServer, options: WorkAgentOptions = {}): Promise<WorkWorld & { stop(): Promise<void> }> {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  const { connection } = await loadConnection({ kubeconfig: server.kubeconfigPath });
  const transport = createHttpTransport(connection, runtime, { protocol: 'h2' });
  const client = createClient({ transport, runtime });
  const eventually: WorkWorld['eventually'] = (what, condition) => poll(runtime, what, condition, 2000);
  await prepare(client, eventually);
  const agent = await startWorkAgent({ runtime, hub: client, cluster: client, hubServer: server.url }, options);
  const unique = numbered(String(process.pid));
  return {
    hub: client,
    unique,
    cluster: client,
    hubServer: server.url,
    newNamespace: () => newNamespace(client, unique('ns')),
    eventually,
    pause: (ms) => runtime.timers.sleep(ms),
    async stop() {
      await agent.stop();
      await transport.close();
    },
  };
}

async function prepare(client: Client, eventually: WorkWorld['eventually']): Promise<void> {
  const crdObjects = KINDS.map((definition) => customResourceDefinition(definition) as KubeObject);
  for (const object of crdObjects) await client.create(crds, object).catch(unlessThere);
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: CLUSTER_NAME } }).catch(unlessThere);
  await eventually('the kinds are served', async () => {
    client.discovery.invalidate();
    const served = await Promise.all(
      KINDS.map(({ group, kind, versions }) => client.discovery.serves({ group, kind, version: versions[0]?.version ?? '' })),
    );
    return served.every(Boolean) ? true : undefined;
  });
}

function unlessThere(error: unknown): void {
  if (!isApiError(error, 'AlreadyExists')) throw error;
}
