import { BOOTSTRAP_SECRET_NAME, createAgent, createJoiningAgent } from '@outrigger/agent';
import {
  AGENT_NAMESPACE,
  ALL_CLUSTER_AGENTS_GROUP,
  type Secret,
  clusterAgentGroup,
  clusterAgentUser,
  managedClusters,
  namespaces,
  secrets,
} from '@outrigger/api';
import { type ControlPlane, type Served, certificateIdentity, kubeconfig } from '@outrigger/control-plane';
import type { Runtime } from '@outrigger/core';
import { createJoinToken } from '@outrigger/hub';
import { type Client, createClient } from '@outrigger/kube';
import { createHttpTransport } from '@outrigger/kube/node';
import { ensure, find } from '../fleet/objects.js';
import { sampleLabels } from './samples.js';

/** One simulated cluster that is to join the local hub. */
export interface JoinWorld {
  readonly runtime: Runtime;
  /** The hub as its administrator. */
  readonly hub: Client;
  readonly hubServer: ControlPlane;
  readonly hubPort: Served;
  readonly cluster: Client;
  readonly name: string;
}

const AGENT = 'agent';

type Stop = () => Promise<void>;

/** As a real cluster joins: a token that serves once, a certificate request, an approval, and a connection of its own. */
export async function joinWithToken({ runtime, hub, hubPort, cluster, name }: JoinWorld): Promise<Stop> {
  const key = { namespace: AGENT_NAMESPACE, name: BOOTSTRAP_SECRET_NAME };
  await ensure(cluster, namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: AGENT_NAMESPACE } });
  // Made on the first start only: from then on the cluster holds a certificate.
  if (!(await find(cluster, secrets, key))) {
    const { token } = await createJoinToken({ client: hub, runtime, cluster: name, labels: sampleLabels(name) });
    await ensure(
      cluster,
      secrets,
      bootstrapSecret(kubeconfig({ server: hubPort.url, authority: hubPort.ca, user: { name: 'join', token }, name: 'hub' })),
    );
  }
  const agent = createJoiningAgent({
    runtime,
    cluster,
    clusterName: name,
    agentName: AGENT,
    // The hub of this machine may have got another port since the cluster joined; it is the same hub.
    connectHub: (config) => createHttpTransport({ ...config, server: hubPort.url }, runtime, { protocol: 'h2', env: {} }),
  });
  agent.start();
  return () => agent.stop();
}

/** For many clusters: the same rights, without two hundred sockets and certificates. */
export async function joinInProcess({ runtime, hub, hubServer, hubPort, cluster, name }: JoinWorld): Promise<Stop> {
  await ensure(hub, managedClusters, {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name, labels: sampleLabels(name) },
    spec: { hubAcceptsClient: true },
  });
  const identity = certificateIdentity(clusterAgentUser(name, AGENT), [clusterAgentGroup(name), ALL_CLUSTER_AGENTS_GROUP]);
  const asCluster = createClient({ transport: hubServer.transport(identity), runtime });
  const agent = createAgent({ runtime, hub: asCluster, cluster, clusterName: name, hubServer: hubPort.url, agentId: AGENT });
  await agent.start();
  return () => agent.stop();
}

/** Where an agent looks for the way to its hub. */
export function bootstrapSecret(text: string): Secret {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: BOOTSTRAP_SECRET_NAME, namespace: AGENT_NAMESPACE },
    data: { kubeconfig: Buffer.from(text).toString('base64') },
  };
}
