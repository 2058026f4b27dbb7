import type { LiveObjects } from '@outrigger/kube';
import type { Permissions } from './executor/permissions.js';
import type { ClusterKinds } from './kinds.js';
import type { ReleaseProblems } from './ownership/release-problems.js';
import type { FeedbackOptions } from './state.js';

/** The identity of the agent and the known state of the cluster, shared by the controllers of works. */
export interface WorkAgent {
  readonly clusterName: string;
  /** The hub's URL as in the agent's kubeconfig. Names of applied works are derived from it. */
  readonly hubServer: string;
  readonly agentId: string;
  /** The time for which the objects of a missing work stay; `Infinity` means forever. */
  readonly evictionGraceMs: number;
  readonly feedback: FeedbackOptions;
  readonly live: LiveObjects;
  readonly kinds: ClusterKinds;
  readonly permissions: Permissions;
  readonly releaseProblems: ReleaseProblems;
}
