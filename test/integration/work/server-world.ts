import { namespaces } from '@outrigger/api';
import { type TestServer, installKinds } from '../../harness/index.js';
import { ensure } from '../identity/bootstrap-rights.js';
import { countRequests } from './count-requests.js';
import { newNamespace } from './embedded-world.js';
import { type WorkAgentOptions, agentAtRest, startWorkAgent } from './work-agent.js';
import { type AgentWorld, CLUSTER_NAME, numbered } from './world.js';
import { RealWorld } from '../../world/real.js';
import { LOOKS_OVER_SOCKETS } from '../../world/at-rest.js';

/** Starts a world with one server, which is both the hub and the managed cluster and is reached over its socket. */
export async function startServerWorld(
  server: TestServer,
  options: WorkAgentOptions = {},
): Promise<AgentWorld & { stop(): Promise<void> }> {
  const world = await RealWorld.create(server, { protocol: 'h2' });
  const { runtime } = world;
  const transport = world.transport();
  const client = world.client(transport);
  await installKinds(server, client, world.eventually);
  await ensure(client, namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: CLUSTER_NAME } });
  const counter = countRequests();
  const counted = world.client(counter.through(transport));
  const context = { runtime, hub: counted, cluster: counted, hubServer: server.url };
  let agent = await startWorkAgent(context, options);
  world.onStop(() => agent.stop());
  const unique = numbered(String(process.pid));
  return {
    hub: client,
    unique,
    cluster: client,
    hubServer: server.url,
    newNamespace: () => newNamespace(client, unique('ns')),
    eventually: world.eventually,
    clock: runtime.clock,
    settled: () => agentAtRest(runtime, () => agent, counter, LOOKS_OVER_SOCKETS),
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
    stop: () => world.stop(),
  };
}
