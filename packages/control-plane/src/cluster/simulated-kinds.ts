import { type Kind, type KubeObject, apiVersionOf } from '@outrigger/core';
import { daemonSets, deployments, jobs, pods, statefulSets } from '../controllers/kinds.js';
import type { Behavior } from './behavior.js';
import { podStatus } from './pod-status.js';
import type { Progress } from './rollout.js';
import { daemonSetStatus, deploymentStatus, jobStatus, statefulSetStatus, type Workload, type WorkloadStatus } from './workload-status.js';

export interface StatusInput {
  readonly progress: Progress;
  readonly behavior: Behavior;
  readonly nodeCount: number;
  /** The current time in the format of Kubernetes timestamps. */
  readonly now: string;
}

/** The functions with which the simulation reads the spec and writes the status of one kind. */
export interface SimulatedKind {
  readonly kind: Kind;
  readonly desired: (workload: Workload, nodeCount: number) => number;
  readonly ready: (status: WorkloadStatus) => number;
  readonly deadlineMs?: (workload: Workload) => number;
  /** Whether an update removes an old pod before it starts the new one. */
  readonly isReplacing?: true;
  readonly status: (workload: Workload, input: StatusInput) => WorkloadStatus;
  /** Whether a status is final: it does not change even if the spec changes. */
  readonly isOver?: (status: WorkloadStatus) => boolean;
}

const DEFAULT_DEADLINE_SECONDS = 600;

export const SIMULATED_KINDS: readonly SimulatedKind[] = [
  {
    kind: deployments,
    desired: ({ spec }) => spec?.replicas ?? 1,
    ready: ({ readyReplicas = 0 }) => readyReplicas,
    deadlineMs: ({ spec }) => (spec?.progressDeadlineSeconds ?? DEFAULT_DEADLINE_SECONDS) * 1000,
    status: (workload, { progress, now }) => deploymentStatus(workload, progress, now),
  },
  {
    kind: daemonSets,
    isReplacing: true,
    desired: (_, nodeCount) => nodeCount,
    ready: ({ numberReady = 0 }) => numberReady,
    status: (workload, { progress, nodeCount }) => daemonSetStatus(workload, progress, nodeCount),
  },
  {
    kind: statefulSets,
    isReplacing: true,
    desired: ({ spec }) => spec?.replicas ?? 1,
    ready: ({ readyReplicas = 0 }) => readyReplicas,
    status: (workload, { progress }) => statefulSetStatus(workload, progress),
  },
  {
    kind: jobs,
    desired: ({ spec }) => spec?.completions ?? 1,
    ready: () => 0,
    status: (workload, { progress, now }) => jobStatus(workload, progress, now),
    isOver: ({ conditions = [] }) => conditions.some(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True'),
  },
  {
    kind: pods,
    desired: () => 1,
    ready: ({ conditions = [] }) => (conditions.some(({ type, status }) => type === 'Ready' && status === 'True') ? 1 : 0),
    status: (workload, { progress, behavior, now }) => podStatus(workload, progress.phase, behavior, now),
    isOver: ({ phase }: WorkloadStatus & { readonly phase?: unknown }) => phase === 'Succeeded' || phase === 'Failed',
  },
];

/**
 * Returns the status of a workload with all its replicas running, on a cluster with this many nodes. Returns undefined for kinds that are
 * not simulated.
 */
export function runningStatus(object: KubeObject, nodeCount: number, now: string): WorkloadStatus | undefined {
  const simulated = SIMULATED_KINDS.find(({ kind }) => kind.kind === object.kind && apiVersionOf(kind) === object.apiVersion);
  const count = simulated?.desired(object, nodeCount) ?? 0;
  const progress: Progress = { phase: 'complete', replicas: count, updated: count, ready: count };
  return simulated?.status(object, { progress, behavior: 'ready', nodeCount, now });
}
