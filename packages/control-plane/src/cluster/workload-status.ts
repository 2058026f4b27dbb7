import type { KubeObject } from '@outrigger/core';
import type { Progress } from './rollout.js';

/** A condition as workload controllers write it: without observedGeneration, and for some kinds with lastUpdateTime or lastProbeTime. */
export interface WorkloadCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
  readonly lastProbeTime?: string;
}

export interface WorkloadStatus {
  readonly observedGeneration?: number;
  readonly readyReplicas?: number;
  readonly numberReady?: number;
  readonly conditions?: readonly WorkloadCondition[];
  readonly [field: string]: unknown;
}

export interface Workload extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly revisionHistoryLimit?: number;
    readonly progressDeadlineSeconds?: number;
    readonly completions?: number;
    readonly parallelism?: number;
    readonly backoffLimit?: number;
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly strategy?: { readonly rollingUpdate?: { readonly maxUnavailable?: number | string } };
    readonly template?: { readonly metadata?: KubeObject['metadata']; readonly spec?: PodSpec };
  };
  readonly status?: WorkloadStatus;
}

export interface PodSpec {
  readonly containers?: readonly { readonly name: string; readonly image?: string }[];
  readonly nodeName?: string;
  readonly serviceAccountName?: string;
  readonly restartPolicy?: string;
}

export function deploymentStatus(deployment: Workload, progress: Progress, now: string): WorkloadStatus {
  const { replicas, updated, ready, phase } = progress;
  const desired = deployment.spec?.replicas ?? 1;
  const isAvailable = ready >= desired - maxUnavailable(deployment, desired);
  const conditions: readonly WorkloadCondition[] = [
    isAvailable
      ? { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: 'Deployment has minimum availability.' }
      : {
          type: 'Available',
          status: 'False',
          reason: 'MinimumReplicasUnavailable',
          message: 'Deployment does not have minimum availability.',
        },
    progressing(deployment.metadata.name ?? '', phase),
  ];
  return {
    observedGeneration: deployment.metadata.generation ?? 1,
    ...positive({
      replicas,
      updatedReplicas: updated,
      readyReplicas: ready,
      availableReplicas: ready,
      unavailableReplicas: replicas - ready,
    }),
    conditions: withTimes(deployment.status?.conditions, conditions, now, true),
  };
}

function progressing(name: string, phase: Progress['phase']): WorkloadCondition {
  const about = `Deployment "${name}"`;
  if (phase === 'timedOut') {
    return { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: `${about} has timed out progressing.` };
  }
  // A rollout that has completed once stays complete, even if its pods fail later.
  return phase === 'progressing'
    ? { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated', message: `${about} is progressing.` }
    : { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable', message: `${about} has successfully progressed.` };
}

/** Returns the number of replicas that may be unavailable. The default is 25 %; a percentage is rounded down. */
function maxUnavailable({ spec }: Workload, desired: number): number {
  const value = spec?.strategy?.rollingUpdate?.maxUnavailable ?? '25%';
  return typeof value === 'number' ? value : Math.floor((desired * Number.parseInt(value, 10)) / 100);
}

export function daemonSetStatus(daemonSet: Workload, progress: Progress, nodeCount: number): WorkloadStatus {
  const { ready, updated } = progress;
  return {
    observedGeneration: daemonSet.metadata.generation ?? 1,
    currentNumberScheduled: nodeCount,
    desiredNumberScheduled: nodeCount,
    numberMisscheduled: 0,
    numberReady: ready,
    ...positive({ updatedNumberScheduled: updated, numberAvailable: ready, numberUnavailable: nodeCount - ready }),
  };
}

export function statefulSetStatus(statefulSet: Workload, progress: Progress): WorkloadStatus {
  const { phase, updated, ready } = progress;
  const desired = statefulSet.spec?.replicas ?? 1;
  const generation = statefulSet.metadata.generation ?? 1;
  const updateRevision = `${statefulSet.metadata.name}-${generation}`;
  const isDone = phase === 'complete' || phase === 'broken';
  const currentRevision = isDone ? updateRevision : String(statefulSet.status?.['currentRevision'] ?? updateRevision);
  return {
    observedGeneration: generation,
    replicas: desired,
    ...positive({ readyReplicas: ready, currentReplicas: isDone ? desired : ready, updatedReplicas: updated }),
    availableReplicas: ready,
    currentRevision,
    updateRevision,
    collisionCount: 0,
  };
}

export function jobStatus(job: Workload, progress: Progress, now: string): WorkloadStatus {
  const startTime = String(job.status?.['startTime'] ?? now);
  const { completions = 1, parallelism = 1, backoffLimit = 6 } = job.spec ?? {};
  const terminal = (conditions: readonly WorkloadCondition[]): readonly WorkloadCondition[] =>
    withTimes(job.status?.conditions, conditions, now, false).map((condition) => ({
      ...condition,
      lastProbeTime: condition.lastTransitionTime ?? now,
    }));
  switch (progress.phase) {
    case 'complete':
    case 'broken':
      return {
        startTime,
        completionTime: String(job.status?.['completionTime'] ?? now),
        succeeded: completions,
        ready: 0,
        terminating: 0,
        uncountedTerminatedPods: {},
        conditions: terminal([
          {
            type: 'SuccessCriteriaMet',
            status: 'True',
            reason: 'CompletionsReached',
            message: 'Reached expected number of succeeded pods',
          },
          { type: 'Complete', status: 'True', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' },
        ]),
      };
    case 'timedOut':
      return {
        startTime,
        failed: backoffLimit + 1,
        ready: 0,
        terminating: 0,
        uncountedTerminatedPods: {},
        conditions: terminal([
          { type: 'FailureTarget', status: 'True', reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' },
          { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' },
        ]),
      };
    case 'progressing':
      return { startTime, active: Math.min(completions, parallelism), ready: 0, terminating: 0, uncountedTerminatedPods: {} };
  }
}

/** Removes counts of zero, because workload statuses omit them. */
function positive(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

/** Returns the conditions with their times. A condition whose status did not change keeps its transition time. */
export function withTimes(
  old: readonly WorkloadCondition[] | undefined,
  next: readonly WorkloadCondition[],
  now: string,
  withUpdateTime: boolean,
): WorkloadCondition[] {
  return next.map((condition) => {
    const before = old?.find(({ type }) => type === condition.type);
    const lastTransitionTime = before?.status === condition.status ? (before.lastTransitionTime ?? now) : now;
    const same = before?.status === condition.status && before.reason === condition.reason && before.message === condition.message;
    const lastUpdateTime = same ? (before.lastUpdateTime ?? now) : now;
    return { ...condition, lastTransitionTime, ...(withUpdateTime ? { lastUpdateTime } : {}) };
  });
}
