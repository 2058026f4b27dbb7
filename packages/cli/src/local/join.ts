import { BOOTSTRAP_SECRET_NAME, HUB_SECRET_NAME, createAgent, createJoiningAgent } from '@outrigger/agent';
import {
  AGENT_NAMESPACE,
  ALL_CLUSTER_AGENTS_GROUP,
  type ManagedCluster,
  type Secret,
  clusterAgentGroup,
  clusterAgentUser,
  managedClusters,
  namespaces,
  secrets,
} from '@outrigger/api';
import { type ControlPlane, type Served, certificateIdentity, kubeconfig } from '@outrigger/control-plane';
import { type Runtime, decodeText, isConditionTrue } from '@outrigger/core';
import { readCertificate } from '@outrigger/core/x509';
import { createJoinToken } from '@outrigger/hub';
import { type Client, createClient } from '@outrigger/kube';
import { createHttpTransport } from '@outrigger/kube/node';
import { ensure, find } from '../fleet/objects.js';
import { repeatExpiryCheck } from './expiry-check.js';
import { sampleLabels } from './samples.js';
import { VERSION } from '../version.js';

/** The inputs for joining one simulated cluster to the local hub. */
export interface JoinWorld {
  readonly runtime: Runtime;
  /** A client with the permissions of the hub's administrator. */
  readonly hub: Client;
  readonly hubServer: ControlPlane;
  readonly hubPort: Served;
  readonly cluster: Client;
  readonly name: string;
}

const AGENT = 'agent';
const BOOTSTRAP_KEY = { namespace: AGENT_NAMESPACE, name: BOOTSTRAP_SECRET_NAME };

type Stop = () => Promise<void>;

/**
 * Joins the cluster as a real cluster does: with a token that can be used once, a certificate request, an approval, and its own connection.
 */
export async function joinWithToken(world: JoinWorld): Promise<Stop> {
  const { runtime, hubPort, cluster, name } = world;
  await ensure(cluster, namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: AGENT_NAMESPACE } });
  // The bootstrap Secret is created on the first start. On later starts the cluster has a certificate, and needs a new token only if the
  // certificate has expired.
  let hasNewToken = false;
  if (!(await find(cluster, secrets, BOOTSTRAP_KEY))) await ensure(cluster, secrets, await newBootstrap(world, false));
  else hasNewToken = await joinAgainIfExpired(world);
  const agent = createJoiningAgent({
    runtime,
    cluster,
    clusterName: name,
    agentName: AGENT,
    settings: { version: VERSION },
    // Use the current URL of the local hub, because its port may differ from the port with which the cluster joined.
    connectHub: (config) => createHttpTransport({ ...config, server: hubPort.url }, runtime, { protocol: 'h2', env: {} }),
  });
  agent.start();
  // Repeat the check, because the certificate also expires if the machine sleeps for too long. The agent uses a new bootstrap kubeconfig
  // without a restart.
  const stopChecking = repeatExpiryCheck(runtime, () => joinAgainIfExpired(world), hasNewToken);
  return async () => {
    await stopChecking();
    await agent.stop();
  };
}

/** If the certificate of the cluster's agent has expired, writes a bootstrap kubeconfig with a new token. Returns whether it did. */
async function joinAgainIfExpired(world: JoinWorld): Promise<boolean> {
  const { runtime, hub, cluster, name } = world;
  if (!(await hasExpired(cluster, runtime))) return false;
  const declared = await find(hub, managedClusters, { name });
  // A cluster that a fleet admin has removed from the hub must not join again by itself.
  if (!declared) return false;
  const { data } = await newBootstrap(world, isConditionTrue(declared.status?.conditions, 'ManagedClusterJoined'));
  await cluster.patch(secrets, BOOTSTRAP_KEY, { type: 'merge', patch: { data: data ?? {} } });
  return true;
}

async function newBootstrap({ runtime, hub, hubPort, name }: JoinWorld, again: boolean): Promise<Secret> {
  const { token } = await createJoinToken({ client: hub, runtime, cluster: name, labels: sampleLabels(name), again });
  return bootstrapSecret(kubeconfig({ server: hubPort.url, authority: hubPort.ca, user: { name: 'join', token }, name: 'hub' }));
}

/** Whether the certificate of the cluster's agent has expired. */
async function hasExpired(cluster: Client, { keys, clock }: Runtime): Promise<boolean> {
  const own = await find(cluster, secrets, { namespace: AGENT_NAMESPACE, name: HUB_SECRET_NAME });
  const certificate = own?.data?.['tls.crt'];
  return certificate !== undefined && (await readCertificate(keys, decodeText(certificate))).notAfter <= clock.now();
}

/** Joins a cluster of a large local fleet. The cluster has the same permissions as any other, but no socket and no certificate. */
export async function joinInProcess({ runtime, hub, hubServer, hubPort, cluster, name }: JoinWorld): Promise<Stop> {
  await ensureCluster(hub, name);
  const identity = certificateIdentity(clusterAgentUser(name, AGENT), [clusterAgentGroup(name), ALL_CLUSTER_AGENTS_GROUP]);
  const asCluster = createClient({ transport: hubServer.transport(identity), runtime });
  const agent = createAgent({
    runtime,
    hub: asCluster,
    cluster,
    clusterName: name,
    hubServer: hubPort.url,
    agentId: AGENT,
    settings: { version: VERSION },
  });
  await agent.start();
  return () => agent.stop();
}

/** Creates the ManagedCluster of a simulated cluster if it does not exist, and accepts it. */
export async function ensureCluster(hub: Client, name: string, spec: Partial<ManagedCluster['spec']> = {}): Promise<void> {
  await ensure(hub, managedClusters, {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name, labels: sampleLabels(name) },
    spec: { hubAcceptsClient: true, ...spec },
  });
}

/** Returns the Secret in which an agent finds the bootstrap kubeconfig. */
export function bootstrapSecret(text: string): Secret {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: BOOTSTRAP_SECRET_NAME, namespace: AGENT_NAMESPACE },
    data: { kubeconfig: Buffer.from(text).toString('base64') },
  };
}
