import { clusterAgentGroup, clusterAgentUser } from '@outrigger/api';
import { clusterOfJoinUser } from '../clusters/join/names.js';

/** The agent of a managed cluster, as its user name has it. */
export interface ClusterAgent {
  readonly cluster: string;
  readonly agent: string;
}

const PREFIX = clusterAgentUser('', '').slice(0, -1);

/**
 * Reads `system:open-cluster-management:<cluster>:<agent>`. Exactly two parts, neither empty: a name that merely starts like another one, or
 * that of an add-on's agent, is not one of these.
 */
export function parseClusterAgent(user: string): ClusterAgent | undefined {
  if (!user.startsWith(PREFIX)) return undefined;
  const [cluster, agent, ...more] = user.slice(PREFIX.length).split(':');
  return cluster && agent && more.length === 0 ? { cluster, agent } : undefined;
}

/** Why the requester is not the agent of this cluster, or undefined if they are. */
export function notAgentOf(cluster: string, requester: { readonly user: string; readonly groups: readonly string[] }): string | undefined {
  const agent = parseClusterAgent(requester.user);
  if (!agent) return `requester "${requester.user}" is not the agent of a managed cluster`;
  if (agent.cluster !== cluster) return `requester is the agent of cluster "${agent.cluster}", not of "${cluster}"`;
  const group = clusterAgentGroup(cluster);
  return requester.groups.includes(group) ? undefined : `requester is not in the group ${group}`;
}

/** While a certificate of the cluster is not in its record yet, its agent cannot be told from another one. */
export const RECORDING = 'a certificate of the cluster is being recorded';

export function foreignCredential(cluster: string): string {
  return (
    `the requester's certificate was not issued to the cluster that is called "${cluster}" now; a machine that is to take the name joins ` +
    'with a join token'
  );
}

/**
 * The share of the hub's attention that a request uses: that of the authenticated requester, never of a label, so that no cluster can use up the share
 * of another. A cluster's requests for itself and those for its add-ons have a share each: a flood of one kind does not hold up the other.
 */
export function budgetOf({ user, addOnName }: { readonly user: string; readonly addOnName: string }): string {
  const cluster = parseClusterAgent(user)?.cluster;
  const requester = cluster === undefined ? `user ${user}` : `cluster ${cluster}`;
  return `${requester}, ${addOnName === '' ? 'cluster' : 'add-ons'}`;
}

/** Whether a requester may cause Events and messages on objects of a cluster: its own agent, and the holder of its join token. */
export function speaksFor(cluster: string, requester: { readonly user: string; readonly groups: readonly string[] }): boolean {
  return notAgentOf(cluster, requester) === undefined || clusterOfJoinUser(requester.user) === cluster;
}
