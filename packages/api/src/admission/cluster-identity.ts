import type { UserInfo } from '@outrigger/core';
import { ALL_CLUSTER_AGENTS_GROUP, clusterAgentBindingGroups, clusterAgentGroup } from '../names.js';
import type { AdmissionSettings } from './types.js';

/** The namespace of the ServiceAccounts whose tokens are join tokens. */
export const JOIN_NAMESPACE = 'outrigger-join';

const AGENT_GROUP_PREFIXES: readonly string[] = [clusterAgentGroup(''), ...clusterAgentBindingGroups('')];
const AGENT_USER_PREFIX = clusterAgentGroup('');
const BOOTSTRAP_GROUP = 'system:bootstrappers';
/** The group of all holders of join tokens. The hub approves their certificate requests without a review by a person. */
export const JOIN_GROUP: string = `system:serviceaccounts:${JOIN_NAMESPACE}`;
/** The ServiceAccounts whose tokens Open Cluster Management's tools give to clusters that join. */
const UPSTREAM_BOOTSTRAP_USERS: readonly string[] = ['agent-registration-bootstrap', 'cluster-bootstrap'].map(
  (name) => `system:serviceaccount:open-cluster-management:${name}`,
);

/**
 * Whether the writer acts for a managed cluster: as the cluster's agent, or with a credential with which clusters join. Agents of add-ons
 * are not included, because an administrator grants their permissions one by one, in templates.
 */
export function isClusterIdentity(
  { username, groups = [] }: UserInfo,
  { bootstrapUsers = [], bootstrapGroups = [] }: Pick<AdmissionSettings, 'bootstrapUsers' | 'bootstrapGroups'>,
): boolean {
  return (
    isAgentUser(username) ||
    groups.some(isAgentGroup) ||
    groups.some((group) => group === JOIN_GROUP || isBootstrapGroup(group) || bootstrapGroups.includes(group)) ||
    UPSTREAM_BOOTSTRAP_USERS.includes(username) ||
    bootstrapUsers.includes(username)
  );
}

/** Whether the user name has the form `system:open-cluster-management:<cluster>:<agent>`. User names of add-ons have more parts. */
function isAgentUser(username: string): boolean {
  return username.startsWith(AGENT_USER_PREFIX) && username.slice(AGENT_USER_PREFIX.length).split(':').length === 2;
}

function isAgentGroup(group: string): boolean {
  if (group === ALL_CLUSTER_AGENTS_GROUP) return true;
  return AGENT_GROUP_PREFIXES.some((prefix) => group.startsWith(prefix) && !group.slice(prefix.length).includes(':'));
}

function isBootstrapGroup(group: string): boolean {
  return group === BOOTSTRAP_GROUP || group.startsWith(`${BOOTSTRAP_GROUP}:`);
}

/**
 * Returns a CEL expression over `request` that makes the same check as `isClusterIdentity`. The webhook uses it as a match condition, so
 * the API server calls the webhook for writes by clusters. The expression may match other writers too, but it matches every writer that
 * `isClusterIdentity` matches.
 */
export function clusterIdentityExpression({
  bootstrapUsers = [],
  bootstrapGroups = [],
}: Pick<AdmissionSettings, 'bootstrapUsers' | 'bootstrapGroups'>): string {
  const users = [...UPSTREAM_BOOTSTRAP_USERS, ...bootstrapUsers];
  const groups = [JOIN_GROUP, ...bootstrapGroups];
  const prefixes = [...AGENT_GROUP_PREFIXES, BOOTSTRAP_GROUP];
  const ofGroup = [...prefixes.map((prefix) => `g.startsWith(${quoted(prefix)})`), `g in [${groups.map(quoted).join(', ')}]`];
  return [
    `request.userInfo.username.startsWith(${quoted(AGENT_USER_PREFIX)})`,
    `request.userInfo.username in [${users.map(quoted).join(', ')}]`,
    `(has(request.userInfo.groups) && request.userInfo.groups.exists(g, ${ofGroup.join(' || ')}))`,
  ].join(' || ');
}

/** Quotes a string for CEL. A JSON string is also a valid CEL string. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
