import type { Runtime } from '@outrigger/core';
import { type AnyController, type Client, type Resource, LiveObjects } from '@outrigger/kube';
import { type WorkProjection, works } from '../resources/works.js';
import { appliedWorkController } from './applied/controller.js';
import { workController } from './controller.js';
import { Permissions } from './executor/permissions.js';
import { ClusterKinds } from './kinds.js';
import { ReleaseProblems } from './ownership/release-problems.js';
import type { FeedbackOptions } from './state.js';
import type { WorkAgent } from './work-agent.js';

export interface WorkOptions {
  readonly runtime: Runtime;
  /** The client for the managed cluster, with the agent's own permissions. */
  readonly cluster: Client;
  readonly clusterName: string;
  /** The hub's URL, exactly as in the agent's kubeconfig. */
  readonly hubServer: string;
  readonly agentId: string;
  /** The time for which the objects of a work stay after the work has disappeared from the hub. Defaults to an hour. */
  readonly evictionGraceMs?: number;
  /** Whether lists and objects that a feedback rule selects are reported as JSON. */
  readonly rawFeedbackJson?: boolean;
  /**
   * The time for which a workload must be unready before the agent reads its pods to find the reason. Defaults to ten seconds, because pods
   * need some time to start.
   */
  readonly reasonAfterMs?: number;
}

const DEFAULT_GRACE_MS = 3_600_000;

export const DEFAULT_FEEDBACK: FeedbackOptions = {
  isRawJsonAllowed: false,
  // The API allows no more.
  maxJsonLength: 1024,
  reasonAfterMs: 10_000,
};

/** Returns the controllers that apply works. */
export function createWork(
  options: WorkOptions,
  hubWorks: Resource<WorkProjection> = works(options.clusterName),
): readonly AnyController[] {
  const { runtime, cluster, clusterName } = options;
  const agent: WorkAgent = {
    clusterName,
    hubServer: options.hubServer,
    agentId: options.agentId,
    evictionGraceMs: options.evictionGraceMs ?? DEFAULT_GRACE_MS,
    feedback: {
      ...DEFAULT_FEEDBACK,
      isRawJsonAllowed: options.rawFeedbackJson ?? DEFAULT_FEEDBACK.isRawJsonAllowed,
      reasonAfterMs: options.reasonAfterMs ?? DEFAULT_FEEDBACK.reasonAfterMs,
    },
    live: new LiveObjects({ client: cluster, runtime }),
    kinds: new ClusterKinds(cluster, runtime.clock),
    permissions: new Permissions(cluster, runtime.clock),
    releaseProblems: new ReleaseProblems(clusterName),
  };
  return [workController(hubWorks, agent), appliedWorkController(hubWorks, agent)];
}
