import type { LiveObjects } from '../live/live-objects.js';
import type { Attempts } from './attempts.js';
import type { Permissions } from './executor/permissions.js';
import type { ClusterKinds } from './kinds.js';
import type { Contests } from './ownership/contests.js';
import type { ReleaseProblems } from './ownership/release-problems.js';
import type { FeedbackOptions } from './state.js';

/** What the controllers of works share: who they are, and what this process knows of the cluster. */
export interface WorkTools {
  readonly clusterName: string;
  /** The hub's address as the agent's kubeconfig has it: part of the name of what it keeps on the cluster. */
  readonly hubServer: string;
  readonly agentId: string;
  /** How long what a missing work left behind stays; `Infinity` for ever. */
  readonly evictionGraceMs: number;
  readonly feedback: FeedbackOptions;
  readonly live: LiveObjects;
  readonly kinds: ClusterKinds;
  readonly attempts: Attempts;
  readonly permissions: Permissions;
  readonly releaseProblems: ReleaseProblems;
  readonly contests: Contests;
  /** Has the owner of tracked objects looked at again. */
  readonly wake: (owner: string) => void;
}
