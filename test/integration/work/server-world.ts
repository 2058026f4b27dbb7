import { namespaces } from '@outrigger/api';
import { createClient } from '@outrigger/kube';
import { createHttpTransport, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { type TestServer, installKinds, recordedLogger } from '../../harness/index.js';
import { ensure } from '../identity/bootstrap-rights.js';
import { countRequests } from './count-requests.js';
import { newNamespace } from './embedded-world.js';
import { type WorkAgentOptions, agentAtRest, startWorkAgent } from './work-agent.js';
import { type AgentWorld, CLUSTER_NAME, numbered } from './world.js';
import { type Eventually, OVER_SOCKETS, eventually } from '../../world/eventually.js';
import { LOOKS_OVER_SOCKETS } from '../../world/at-rest.js';

/** One server, over its socket, that is both hub and managed cluster. */
export async function startServerWorld(
  server: TestServer,
  options: WorkAgentOptions = {},
): Promise<AgentWorld & { stop(): Promise<void> }> {
  const runtime = createRealRuntime({ log: recordedLogger() });
  const { connection } = await loadConnection({ kubeconfig: server.kubeconfigPath });
  const transport = createHttpTransport(connection, runtime, { protocol: 'h2' });
  const client = createClient({ transport, runtime });
  const within: Eventually = (what, condition) => eventually({ ...runtime, patience: OVER_SOCKETS }, what, condition);
  await installKinds(server, client, within);
  await ensure(client, namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: CLUSTER_NAME } });
  const counter = countRequests();
  const counted = createClient({ transport: counter.through(transport), runtime });
  const surroundings = { runtime, hub: counted, cluster: counted, hubServer: server.url };
  let agent = await startWorkAgent(surroundings, options);
  const unique = numbered(String(process.pid));
  return {
    hub: client,
    unique,
    cluster: client,
    hubServer: server.url,
    newNamespace: () => newNamespace(client, unique('ns')),
    eventually: within,
    clock: runtime.clock,
    settled: () => agentAtRest(runtime, () => agent, counter, LOOKS_OVER_SOCKETS),
    takeRequests: () => counter.take(),
    async restartAgent() {
      await agent.stop();
      agent = await startWorkAgent(surroundings, options);
    },
    async stop() {
      await agent.stop();
      await transport.close();
    },
  };
}
