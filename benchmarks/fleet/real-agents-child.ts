/**
 * Runs real agents in a fleet benchmark, in a separate process. Each cluster consists of a simulated API server in memory, as in `outrigger
 * up`, and the agent of the product. Each agent joins with a token and has an HTTP/2 connection to the hub with its own certificate.
 */
import { readFileSync } from 'node:fs';
import { BOOTSTRAP_SECRET_NAME, createJoiningAgent } from '@outrigger/agent';
import { AGENT_NAMESPACE, KIND_DEFINITIONS, MANAGED_CLUSTER_KINDS, customResourceDefinition, secrets } from '@outrigger/api';
import { type Credentials, createControlPlane, kubeconfig, loadCredentials, memoryVault } from '@outrigger/control-plane';
import type { Runtime } from '@outrigger/core';
import { type ConnectionConfig, createClient } from '@outrigger/kube';
import { createHttpTransport, createLogger, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { ensureNamespace } from '../footprint/hub.js';
import { SwarmProcess } from './swarm-process.js';
import type { JoiningCluster, SwarmRequest } from './swarm.js';

const [file = '', addOnsText = '0'] = process.argv.slice(2);
/** The number of clusters that start at the same time. */
const AT_ONCE = 8;
const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
const { connection } = await loadConnection({ kubeconfig: file });
const authority = readPem(connection.ca);
const addOns = Array.from({ length: Number(addOnsText) }, (_, index) => `addon${index}`);
const crds = KIND_DEFINITIONS.filter(({ kind }) => MANAGED_CLUSTER_KINDS.includes(kind)).map((kind) => customResourceDefinition(kind));
/** The simulated clusters share their keys, because creating keys takes as long as the rest of a cluster's start. */
const credentials: Credentials = await loadCredentials(runtime, memoryVault());
const agents = new SwarmProcess(act);
agents.ready();

async function act(request: SwarmRequest): Promise<unknown> {
  if (!('join' in request)) throw new Error('real agents do not do this');
  const waiting = [...request.join];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await start(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return undefined;
}

/** Starts a simulated cluster and its agent. The agent joins in the background. */
async function start({ name, token }: JoiningCluster): Promise<void> {
  // Give each cluster its own scope. Every request adds a listener to the signal of its scope, so one scope for all clusters would have
  // thousands of listeners.
  const own: Runtime = { ...runtime, scope: runtime.scope.child(name) };
  const server = await createControlPlane({ runtime: own, storage: 'memory', crds, credentials, simulateWorkloads: { pods: false } });
  await server.start();
  const cluster = createClient({ transport: server.transport(), runtime: own });
  for (const namespace of [AGENT_NAMESPACE, ...addOns]) await ensureNamespace(cluster, namespace);
  const config = kubeconfig({ server: connection.server, authority, user: { name: 'join', token }, name: 'hub' });
  await cluster.create(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: BOOTSTRAP_SECRET_NAME, namespace: AGENT_NAMESPACE },
    data: { kubeconfig: Buffer.from(config).toString('base64') },
  });
  createJoiningAgent({
    runtime: own,
    cluster,
    clusterName: name,
    agentName: 'agent',
    connectHub: (target) => createHttpTransport(target, own, { protocol: 'h2', env: {} }),
  }).start();
}

function readPem(source: ConnectionConfig['ca']): string {
  if (!source) throw new Error('the kubeconfig of the hub has no certificate authority');
  return 'data' in source ? source.data : readFileSync(source.file, 'utf8');
}
