import { AGENT_KEY_ANNOTATION, ALL_CLUSTER_AGENTS_GROUP, KUBE_CLIENT_SIGNER, clusterAgentGroup } from '@outrigger/api';
import { JOIN_GROUP, clusterOfJoinUser } from '../clusters/join/names.js';
import type { RequestContents } from './contents.js';
import { notAgentOf, parseClusterAgent } from './identity.js';
import type { RequestRecord } from './request.js';
import { extensionProblem, subjectProblem, usageProblem } from './request-checks.js';
import { IGNORE, type Verdict, deny, wait } from './verdict.js';

/** Who may have a cluster join without a person looking at the request, besides the holders of join tokens. */
export interface BootstrapPolicy {
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

export const NOBODY_ELSE: BootstrapPolicy = { users: [], groups: [] };

export interface ClusterRequestFacts {
  /** Undefined where another manager (upstream's) looks after the requests of clusters. */
  readonly bootstrap: BootstrapPolicy | undefined;
  readonly cluster:
    | {
        readonly isAccepted: boolean;
        readonly isDeleting: boolean;
        readonly hasJoined: boolean;
        readonly agentKey: string | undefined;
      }
    | undefined;
}

const APPROVED = 'Auto approving managed cluster agent certificate.';

/** Whether the agent of a cluster gets a certificate for itself: to renew the one it has, or to join. */
export function judgeClusterRequest(request: RequestRecord, contents: RequestContents, facts: ClusterRequestFacts): Verdict {
  if (!facts.bootstrap || request.signerName !== KUBE_CLIENT_SIGNER) return IGNORE;
  if (contents.type === 'unreadable') return deny(contents.problem);
  const wrong =
    clusterSubjectProblem(request.clusterName, contents) ?? usageProblem(request.usages) ?? extensionProblem(contents.csr, undefined);
  if (wrong !== undefined) return deny(wrong);
  if (request.user === contents.csr.subject.commonName) return judgeRenewal(request, contents.keyDigest, facts);
  if (parseClusterAgent(request.user)) return deny(`requester "${request.user}" may ask for itself only`);
  return judgeBootstrap(request, contents.keyDigest, facts.bootstrap, facts);
}

type Readable = Extract<RequestContents, { type: 'readable' }>;

function clusterSubjectProblem(cluster: string, { csr }: Readable): string | undefined {
  const user = csr.subject.commonName;
  if (parseClusterAgent(user)?.cluster !== cluster) return `the common name "${user}" is not that of an agent of cluster "${cluster}"`;
  const groups = [clusterAgentGroup(cluster), ALL_CLUSTER_AGENTS_GROUP];
  const asked = csr.subject.organizations.includes(ALL_CLUSTER_AGENTS_GROUP) ? groups : groups.slice(0, 1);
  return subjectProblem(csr, { user, groups: asked, units: [] });
}

/** A cluster that was detached or denied gets no further certificate; the one it has ends by itself. */
function judgeRenewal(request: RequestRecord, key: string, { cluster }: ClusterRequestFacts): Verdict {
  const { clusterName } = request;
  const stranger = notAgentOf(clusterName, request);
  if (stranger !== undefined) return deny(stranger);
  if (!cluster) return deny(`ManagedCluster ${clusterName} does not exist (any more)`);
  if (cluster.isDeleting) return deny(`ManagedCluster ${clusterName} is being deleted`);
  if (!cluster.isAccepted) return deny(`ManagedCluster ${clusterName} is denied`);
  return { type: 'approve', message: APPROVED, review: 'renew', ...newKey(key, cluster.agentKey) };
}

/**
 * A name belongs to the key it was first certified with. A second cluster under that name is refused; the same agent may come back with
 * the key it kept, when its certificate ended while it was away.
 */
function judgeBootstrap(request: RequestRecord, key: string, policy: BootstrapPolicy, { cluster }: ClusterRequestFacts): Verdict {
  const { clusterName } = request;
  const invited = clusterOfJoinUser(request.user);
  if (invited !== undefined && invited !== clusterName) return deny(`the join token is for cluster "${invited}", not for "${clusterName}"`);
  const isListed = isVouchedFor(request, policy);
  if (cluster?.agentKey !== undefined && cluster.agentKey !== key && isListed) {
    return deny(
      `cluster "${clusterName}" has joined with another key; to let another cluster take the name, delete the ManagedCluster or run: ` +
        `kubectl annotate managedcluster ${clusterName} ${AGENT_KEY_ANNOTATION}-`,
    );
  }
  if (!isListed) return wait(`requester "${request.user}" is not approved automatically`);
  if (!cluster) return wait(`ManagedCluster ${clusterName} does not exist`);
  if (cluster.isDeleting) return wait(`ManagedCluster ${clusterName} is being deleted`);
  if (!cluster.isAccepted) return wait(`ManagedCluster ${clusterName} is not accepted`);
  if (cluster.agentKey === undefined && cluster.hasJoined)
    return wait(`cluster "${clusterName}" has joined before and its key is not known: a person has to approve`);
  return { type: 'approve', message: APPROVED, ...newKey(key, cluster.agentKey) };
}

/** The holder of a join token is known by its ServiceAccount: user and group, neither of which anybody else can have. */
function isVouchedFor({ user, groups, clusterName }: RequestRecord, policy: BootstrapPolicy): boolean {
  if (clusterOfJoinUser(user) === clusterName && groups.includes(JOIN_GROUP)) return true;
  return policy.users.includes(user) || policy.groups.some((group) => groups.includes(group));
}

function newKey(key: string, known: string | undefined): { readonly agentKey?: string } {
  return key === known ? {} : { agentKey: key };
}
