import {
  AGENT_IDENTITY_ANNOTATION,
  type ManagedCluster,
  type Namespace,
  type ServiceAccount,
  managedClusters,
  namespaces,
  serviceAccounts,
} from '@outrigger/api';
import {
  type Kind,
  type KubeObject,
  type ObjectKey,
  type Runtime,
  apiVersionOf,
  isApiError,
  isConditionTrue,
  shell,
  toTime,
  validateDns1123Label,
} from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { heldUntil, identityPatch, readIdentity } from '../../../registration/agent-identity.js';
import {
  JOIN_AGAIN_ANNOTATION,
  JOIN_CLUSTER_UID_ANNOTATION,
  JOIN_EXPIRY_ANNOTATION,
  JOIN_NAMESPACE,
  JOIN_READS_REQUESTS_ANNOTATION,
  joinLabels,
} from '../../../resources/join-names.js';

/** The shortest lifetime that an API server accepts for a token. */
const MIN_SECONDS = 600;
const DEFAULT_SECONDS = 3600;

export interface JoinTokenOptions {
  /** A client with the identity of a user who may accept clusters and request tokens in the namespace of join tokens. */
  readonly client: Client;
  readonly runtime: Pick<Runtime, 'clock'>;
  /** The name of the cluster that is to join. */
  readonly cluster: string;
  /** The lifetime of the token. The default is an hour, the minimum ten minutes. */
  readonly expiresInSeconds?: number;
  /**
   * Whether the hub accepts the cluster as soon as its agent requests to join. The default is true. If false, a user must accept the
   * cluster later.
   */
  readonly accept?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  /** Confirms that the name of a detached cluster may be reused before its last certificate has expired. */
  readonly reuseName?: boolean;
  /**
   * Whether the token may be used to watch all certificate requests, as Open Cluster Management's agent does. By default, the token permits
   * access only to the cluster's own request.
   */
  readonly readsRequests?: boolean;
  /**
   * Whether the cluster has joined before and its agent lost its certificate, for example because the agent could not reach the hub before
   * the certificate expired. The hub then approves only a request with the recorded key of the agent.
   */
  readonly again?: boolean;
}

export interface JoinToken {
  readonly cluster: string;
  /** The bearer token. It is not stored; this response is the only place where it appears. */
  readonly token: string;
  readonly expiresAt: string;
}

/** A TokenRequest as the API server accepts and returns it. */
interface TokenRequest extends KubeObject {
  readonly spec: { readonly audiences?: readonly string[]; readonly expirationSeconds: number };
  readonly status?: { readonly token: string; readonly expirationTimestamp: string };
}

/**
 * Creates a token with which only this cluster may join, and only once. Creates the ManagedCluster unless the cluster joins again. An
 * earlier token of the cluster becomes invalid. This works on every Kubernetes API server, because a token of a ServiceAccount becomes
 * invalid when the account is deleted. The manager grants the account its permissions as soon as it observes the account.
 */
export async function createJoinToken({
  client,
  runtime,
  cluster,
  expiresInSeconds = DEFAULT_SECONDS,
  accept = true,
  labels,
  reuseName = false,
  readsRequests = false,
  again = false,
}: JoinTokenOptions): Promise<JoinToken> {
  const [problem] = validateDns1123Label(cluster);
  if (problem !== undefined) throw new Error(`"${cluster}" cannot be the name of a cluster: ${problem}`);
  if (expiresInSeconds < MIN_SECONDS) throw new Error(`a join token must last at least ${MIN_SECONDS} seconds, not ${expiresInSeconds}`);
  if (!again) await checkName(client, cluster, reuseName, runtime.clock.now());
  const expiresAt = toTime(runtime.clock.now() + expiresInSeconds * 1000);
  await prepareNamespace(client, account(cluster, expiresAt, { readsRequests, again }));
  const { metadata } = await (again ? requireJoined(client, cluster) : declareCluster(client, cluster, accept, labels));
  const key = { namespace: JOIN_NAMESPACE, name: cluster };
  await deleteIfThere(client, serviceAccounts, key);
  await client.create(serviceAccounts, account(cluster, expiresAt, { readsRequests, again, clusterUid: metadata.uid }));
  const request: TokenRequest = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: { expirationSeconds: expiresInSeconds },
  };
  const { status } = await client.createSubresource(serviceAccounts, key, 'token', request);
  if (!status) throw new Error(`the hub made no token for ServiceAccount ${JOIN_NAMESPACE}/${cluster}`);
  return { cluster, token: status.token, expiresAt: status.expirationTimestamp };
}

/**
 * Checks that the name can be used. While certificates of a detached cluster are valid, its name cannot be reused, because the API server
 * could not distinguish the machine with these certificates from the new cluster. The hub would later deny the certificate request. This
 * check reports the reason earlier, to the user who creates the token and who can confirm the reuse.
 */
async function checkName(client: Client, name: string, reuseName: boolean, nowMs: number): Promise<void> {
  const namespace = await client.get(namespaces, { name }).catch((error: unknown) => {
    if (isApiError(error, 'NotFound') || (isApiError(error, 'Forbidden') && !reuseName)) return undefined;
    throw error;
  });
  const identity = readIdentity(namespace?.metadata.annotations?.[AGENT_IDENTITY_ANNOTATION]);
  const until = heldUntil(identity, nowMs);
  if (!identity || until === undefined) return;
  if (!reuseName) {
    throw new Error(
      `the name "${name}" is not free before ${toTime(until)}: certificates of the machine that had it are valid until then. ` +
        'Choose another name, wait, or confirm with --reuse-name',
    );
  }
  await client.patch(namespaces, { name }, { type: 'merge', patch: identityPatch({ ...identity, reuse: true }) });
}

/**
 * Creates the namespace of join tokens if it does not exist. A dry run first checks whether the user may create ServiceAccounts in the
 * namespace, so that nothing is written if the permission is missing.
 */
async function prepareNamespace(client: Client, tokenAccount: ServiceAccount): Promise<void> {
  try {
    await client.create(serviceAccounts, tokenAccount, { dryRun: true });
  } catch (error) {
    if (isApiError(error, 'NotFound')) await ensure(client, namespaces, namespace());
    else if (!isApiError(error, 'AlreadyExists')) throw error;
  }
}

/**
 * Creates the ManagedCluster if it does not exist. Rejects the name of a cluster that has joined, because with a token for this name
 * another cluster could take the place of the existing one.
 */
async function declareCluster(
  client: Client,
  name: string,
  accept: boolean,
  labels: Readonly<Record<string, string>> | undefined,
): Promise<ManagedCluster> {
  const object: ManagedCluster = {
    apiVersion: apiVersionOf(managedClusters),
    kind: managedClusters.kind,
    metadata: { name, ...(labels ? { labels } : {}) },
    spec: { hubAcceptsClient: accept },
  };
  const created = await ensure(client, managedClusters, object);
  if (created) return created;
  const found = await client.get(managedClusters, { name });
  const { status, metadata } = found;
  if (isConditionTrue(status?.conditions, 'ManagedClusterJoined')) {
    throw new Error(
      `cluster "${name}" has joined already: choose another name, or remove it first with \`${shell`outrigger detach ${name} --yes`}\`; ` +
        `if its agent was away until its certificate ended, let it join again with \`${shell`outrigger join ${name} --again`}\``,
    );
  }
  if (metadata.deletionTimestamp !== undefined) throw new Error(`cluster "${name}" is being deleted; wait until it is gone`);
  if (accept) await client.patch(managedClusters, { name }, { type: 'merge', patch: { spec: { hubAcceptsClient: true } } });
  return found;
}

/** Checks that the cluster has joined. Leaves its acceptance as it is, because joining again must not accept a cluster that was denied. */
async function requireJoined(client: Client, name: string): Promise<ManagedCluster> {
  const cluster = await client.get(managedClusters, { name });
  if (!isConditionTrue(cluster.status?.conditions, 'ManagedClusterJoined'))
    throw new Error(`cluster "${name}" has not joined yet: run \`${shell`outrigger join ${name}`}\``);
  return cluster;
}

/** Creates the object and returns it as stored, or leaves an existing object unchanged and returns undefined. */
async function ensure<T extends KubeObject>(client: Client, kind: Kind<T>, object: T): Promise<T | undefined> {
  try {
    return await client.create(kind, object);
  } catch (error) {
    if (isApiError(error, 'AlreadyExists')) return undefined;
    throw error;
  }
}

async function deleteIfThere(client: Client, kind: Kind, key: ObjectKey): Promise<void> {
  try {
    await client.delete(kind, key);
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}

function namespace(): Namespace {
  return { apiVersion: apiVersionOf(namespaces), kind: namespaces.kind, metadata: { name: JOIN_NAMESPACE } };
}

function account(
  cluster: string,
  expiresAt: string,
  {
    readsRequests,
    again,
    clusterUid,
  }: { readonly readsRequests: boolean; readonly again: boolean; readonly clusterUid?: string | undefined },
): ServiceAccount {
  const metadata = {
    name: cluster,
    namespace: JOIN_NAMESPACE,
    labels: joinLabels(cluster),
    annotations: {
      [JOIN_EXPIRY_ANNOTATION]: expiresAt,
      ...(readsRequests ? { [JOIN_READS_REQUESTS_ANNOTATION]: 'true' } : {}),
      ...(again ? { [JOIN_AGAIN_ANNOTATION]: 'true' } : {}),
      ...(clusterUid === undefined ? {} : { [JOIN_CLUSTER_UID_ANNOTATION]: clusterUid }),
    },
  };
  return { apiVersion: apiVersionOf(serviceAccounts), kind: serviceAccounts.kind, metadata, automountServiceAccountToken: false };
}
