import { clusterAgentGroup, clusterAgentUser } from '@outrigger/api';
import { parseTime } from '@outrigger/core';
import { clusterOfJoinUser } from '../../resources/join-names.js';

/** The agent of a managed cluster, parsed from its user name. */
export interface ClusterAgent {
  readonly cluster: string;
  readonly agent: string;
}

const PREFIX = clusterAgentUser('', '').slice(0, -1);

/**
 * Parses `system:open-cluster-management:<cluster>:<agent>`. Exactly two non-empty parts must follow the prefix, so the user name of an
 * add-on's agent does not match.
 */
export function parseClusterAgent(user: string): ClusterAgent | undefined {
  if (!user.startsWith(PREFIX)) return undefined;
  const [cluster, agent, ...more] = user.slice(PREFIX.length).split(':');
  return cluster && agent && more.length === 0 ? { cluster, agent } : undefined;
}

/** Why the requester is not this cluster's agent; undefined if the requester is this agent. */
export function notAgentOf(cluster: string, requester: { readonly user: string; readonly groups: readonly string[] }): string | undefined {
  const agent = parseClusterAgent(requester.user);
  if (!agent) return `requester "${requester.user}" is not the agent of a managed cluster`;
  if (agent.cluster !== cluster) return `requester is the agent of cluster "${agent.cluster}", not of "${cluster}"`;
  const group = clusterAgentGroup(cluster);
  return requester.groups.includes(group) ? undefined : `requester is not in the group ${group}`;
}

/**
 * The reason why a request waits. Until the hub has recorded a new certificate of the cluster, the hub cannot distinguish the cluster's
 * agent from another machine.
 */
export const RECORDING = 'a certificate of the cluster is being recorded';

export function foreignCredential(cluster: string): string {
  return (
    `the requester's certificate was not issued to the cluster that is called "${cluster}" now; a machine that is to take the name joins ` +
    'with a join token'
  );
}

/** The difference that is tolerated between the clocks of two API servers. Stored times have whole seconds. */
const CLOCK_SKEW_MS = 2_000;

/**
 * Why a request belongs to an earlier cluster of this name; undefined if it does not. The agent of a cluster and the holder of its join
 * token send requests only after the ManagedCluster was created, but under the same user name as those of an earlier cluster, whose requests
 * stay on the hub for up to a day.
 */
export function madeForEarlierCluster(
  request: { readonly clusterName: string; readonly createdAt: string },
  cluster: { readonly createdAt?: string | undefined } | undefined,
): string | undefined {
  const [requestedAt, declaredAt] = [parseTime(request.createdAt), parseTime(cluster?.createdAt)];
  if (requestedAt === undefined || declaredAt === undefined || requestedAt + CLOCK_SKEW_MS >= declaredAt) return undefined;
  return `the request was made for an earlier cluster "${request.clusterName}", which has been deleted`;
}

/**
 * Returns the key of the rate limit that applies to a request. It depends on the authenticated requester, never on a label, so that no
 * cluster can use up the limit of another. A cluster has one limit for its own requests and one for the requests of its add-ons, so that a
 * flood of one kind does not delay the other.
 */
export function budgetOf({ user, addOnName }: { readonly user: string; readonly addOnName: string }): string {
  const cluster = parseClusterAgent(user)?.cluster;
  const requester = cluster === undefined ? `user ${user}` : `cluster ${cluster}`;
  return `${requester}, ${addOnName === '' ? 'cluster' : 'add-ons'}`;
}

/**
 * Whether a requester may cause Events and messages on a cluster's objects. Only the cluster's own agent and the holder of its join token
 * may.
 */
export function speaksFor(cluster: string, requester: { readonly user: string; readonly groups: readonly string[] }): boolean {
  return notAgentOf(cluster, requester) === undefined || clusterOfJoinUser(requester.user) === cluster;
}
