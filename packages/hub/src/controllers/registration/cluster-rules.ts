import {
  AGENT_IDENTITY_ANNOTATION,
  AGENT_KEY_ANNOTATION,
  ALL_CLUSTER_AGENTS_GROUP,
  KUBE_CLIENT_SIGNER,
  clusterAgentGroup,
} from '@outrigger/api';
import { shell, toTime } from '@outrigger/core';
import { type AgentIdentity, type CredentialStanding, admitted, hasKey, heldUntil } from '../../registration/agent-identity.js';
import { clusterOfJoinUser, JOIN_GROUP } from '../../resources/join-names.js';
import type { ParsedRequest } from './parsed-requests.js';
import { RECORDING, foreignCredential, madeForEarlierCluster, notAgentOf, parseClusterAgent } from './identity.js';
import type { RequestProjection } from './request.js';
import { extensionProblem, subjectProblem, usageProblem } from './request-checks.js';
import { IGNORE, type Verdict, deny, wait } from './verdict.js';

/** Users and groups, besides the holders of join tokens, whose requests to join the hub approves without a review by a person. */
export interface BootstrapPolicy {
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

export const NO_BOOTSTRAP_USERS: BootstrapPolicy = { users: [], groups: [] };

export interface ClusterRequestFacts {
  /**
   * The users and groups that may join without a review; undefined if another manager, such as upstream's, handles the requests of
   * clusters.
   */
  readonly bootstrap: BootstrapPolicy | undefined;
  readonly cluster:
    | {
        readonly createdAt?: string | undefined;
        readonly isAccepted: boolean;
        readonly isDeleting: boolean;
        readonly hasJoined: boolean;
        /** The key that an earlier version of the hub recorded; used if `identity` is undefined. */
        readonly agentKey: string | undefined;
      }
    | undefined;
  /** The identity record of the agent that may use the cluster's name. */
  readonly identity: AgentIdentity | undefined;
  /** Whether the requester's certificate belongs to the agent that holds the cluster's name. */
  readonly credential: CredentialStanding;
  /** Whether the Namespace that stores the agent's identity record exists. */
  readonly hasNamespace: boolean;
}

const APPROVED = 'Auto approving managed cluster agent certificate.';

/** Decides whether the agent of a cluster gets a client certificate, to join or to renew. */
export function judgeClusterRequest(request: RequestProjection, parsed: ParsedRequest, facts: ClusterRequestFacts, nowMs: number): Verdict {
  if (!facts.bootstrap || request.signerName !== KUBE_CLIENT_SIGNER) return IGNORE;
  if (parsed.type === 'unreadable') return deny(parsed.problem);
  const wrong =
    clusterSubjectProblem(request.clusterName, parsed) ?? usageProblem(request.usages) ?? extensionProblem(parsed.csr, undefined);
  if (wrong !== undefined) return deny(wrong);
  if (request.user === parsed.csr.subject.commonName) return judgeRenewal(request, facts);
  if (parseClusterAgent(request.user)) return deny(`requester "${request.user}" may ask for itself only`);
  return judgeBootstrap(request, parsed.keyDigest, facts.bootstrap, facts, nowMs);
}

type Readable = Extract<ParsedRequest, { type: 'readable' }>;

function clusterSubjectProblem(cluster: string, { csr }: Readable): string | undefined {
  const user = csr.subject.commonName;
  if (parseClusterAgent(user)?.cluster !== cluster) return `the common name "${user}" is not that of an agent of cluster "${cluster}"`;
  const groups = [clusterAgentGroup(cluster), ALL_CLUSTER_AGENTS_GROUP];
  const asked = csr.subject.organizations.includes(ALL_CLUSTER_AGENTS_GROUP) ? groups : groups.slice(0, 1);
  return subjectProblem(csr, { user, groups: asked, units: [] });
}

/**
 * Decides on a renewal. The agent of a detached or denied cluster gets no further certificate, so it loses access when its current
 * certificate expires. A machine that used the cluster's name before gets no certificate either, because its certificate is not in the
 * identity record.
 */
function judgeRenewal(request: RequestProjection, { cluster, credential }: ClusterRequestFacts): Verdict {
  const { clusterName } = request;
  const stranger = notAgentOf(clusterName, request);
  if (stranger !== undefined) return deny(stranger);
  if (!cluster) return deny(`ManagedCluster ${clusterName} does not exist (any more)`);
  if (cluster.isDeleting) return deny(`ManagedCluster ${clusterName} is being deleted`);
  if (!cluster.isAccepted) return deny(`ManagedCluster ${clusterName} is denied`);
  if (credential === 'foreign') return deny(foreignCredential(clusterName));
  if (credential === 'pending') return wait(RECORDING);
  return { type: 'approve', message: APPROVED, review: 'renew' };
}

/**
 * Decides on a request to join. A name belongs to the key that was certified last, so a second cluster with that name is denied. If the
 * certificate of an agent expired while the agent did not reach the hub, the agent may rejoin with its old key. The name of a detached
 * cluster may be reused when its last certificate has expired, or when an administrator has confirmed the reuse.
 */
function judgeBootstrap(
  request: RequestProjection,
  key: string,
  policy: BootstrapPolicy,
  { cluster, identity, hasNamespace }: ClusterRequestFacts,
  nowMs: number,
): Verdict {
  const { clusterName } = request;
  const invited = clusterOfJoinUser(request.user);
  if (invited !== undefined && invited !== clusterName) return deny(`the join token is for cluster "${invited}", not for "${clusterName}"`);
  const outdated = invited === undefined ? undefined : madeForEarlierCluster(request, cluster);
  if (outdated !== undefined) return deny(outdated);
  const isListed = isVouchedFor(request, policy);
  const known = identity ? identity.key : cluster?.agentKey;
  const isKnown = identity ? hasKey(identity, key) : known === key;
  if (isListed && known !== undefined && !isKnown) {
    const until = heldUntil(identity, nowMs);
    if (until !== undefined) return deny(notFree(clusterName, until));
    if (identity?.detached === undefined) return deny(otherKey(clusterName, identity !== undefined));
  }
  if (!isListed) return wait(`requester "${request.user}" is not approved automatically`);
  if (!cluster) return wait(`ManagedCluster ${clusterName} does not exist`);
  if (cluster.isDeleting) return wait(`ManagedCluster ${clusterName} is being deleted`);
  if (!cluster.isAccepted) return wait(`ManagedCluster ${clusterName} is not accepted`);
  if (known === undefined && cluster.hasJoined)
    return wait(`cluster "${clusterName}" has joined before and its key is not known: a person has to approve`);
  if (!hasNamespace) return wait(`the namespace ${clusterName} does not exist yet`);
  const isRecorded = identity?.key === key && identity.detached === undefined;
  return { type: 'approve', message: APPROVED, ...(isRecorded ? {} : { identity: admitted(identity, key) }) };
}

function otherKey(cluster: string, isInNamespace: boolean): string {
  const record = isInNamespace
    ? shell`kubectl annotate namespace ${cluster} ${AGENT_IDENTITY_ANNOTATION}-`
    : shell`kubectl annotate managedcluster ${cluster} ${AGENT_KEY_ANNOTATION}-`;
  return (
    `cluster "${cluster}" has joined with another key; to let another machine take the name, delete the ManagedCluster and run ` +
    `${shell`outrigger join ${cluster} --reuse-name`}, or forget the key: ${record}`
  );
}

function notFree(cluster: string, until: number): string {
  return (
    `the name "${cluster}" is not free before ${toTime(until)}: certificates of the machine that had it are valid until then; ` +
    `to use it now, run: ${shell`outrigger join ${cluster} --reuse-name`}`
  );
}

/**
 * Whether the requester may join without a review. The holder of a join token is recognized by the user and group of its ServiceAccount,
 * which no other user can have.
 */
function isVouchedFor({ user, groups, clusterName }: RequestProjection, policy: BootstrapPolicy): boolean {
  if (clusterOfJoinUser(user) === clusterName && groups.includes(JOIN_GROUP)) return true;
  return policy.users.includes(user) || policy.groups.some((group) => groups.includes(group));
}
