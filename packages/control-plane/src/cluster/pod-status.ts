import type { Behavior } from './behavior.js';
import type { Phase } from './rollout.js';
import { type PodSpec, type Workload, type WorkloadCondition, type WorkloadStatus, withTimes } from './workload-status.js';

/**
 * Returns the status that a kubelet would report for a pod. The pod is scheduled immediately and runs after its start-up time. Until it
 * runs, the status contains the reason why it does not. A pod whose restartPolicy is not Always, such as a pod of a Job or a Helm test,
 * terminates successfully after its start-up time.
 */
export function podStatus(pod: Workload, phase: Phase, behavior: Behavior, now: string): WorkloadStatus {
  const { restartPolicy } = (pod.spec ?? {}) as PodSpec;
  if (phase === 'complete' && (restartPolicy === 'Never' || restartPolicy === 'OnFailure')) return finishedStatus(pod, SUCCEEDED, now);
  if (phase === 'timedOut' && restartPolicy === 'Never') return finishedStatus(pod, FAILED, now);
  const isReady = phase === 'complete';
  const containers = (pod.spec as PodSpec | undefined)?.containers ?? [];
  const startTime = String(pod.status?.['startTime'] ?? now);
  const started = isReady ? String(runningSince(pod) ?? now) : now;
  const ready = isReady ? 'True' : 'False';
  const conditions: readonly WorkloadCondition[] = [
    { type: 'Initialized', status: 'True' },
    { type: 'Ready', status: ready, ...(isReady ? {} : NOT_READY) },
    { type: 'ContainersReady', status: ready, ...(isReady ? {} : NOT_READY) },
    { type: 'PodScheduled', status: 'True' },
  ];
  return {
    phase: isReady ? 'Running' : behavior === 'crashloop' ? 'Running' : 'Pending',
    startTime,
    hostIP: '10.0.0.1',
    podIP: '10.1.0.1',
    podIPs: [{ ip: '10.1.0.1' }],
    qosClass: 'BestEffort',
    conditions: withTimes(pod.status?.conditions, conditions, now, false),
    containerStatuses: containers.map(({ name, image = '' }) => ({
      name,
      image,
      imageID: '',
      ready: isReady,
      started: isReady,
      restartCount: behavior === 'crashloop' ? 3 : 0,
      state: isReady ? { running: { startedAt: started } } : { waiting: WAITING[behavior] },
    })),
  };
}

/** Whether a pod of this owner is in the state that the owner waits for: ready or succeeded. */
export function isPodReady({ metadata, status }: Workload, ownerUid: string | undefined): boolean {
  const isOwned = metadata.ownerReferences?.some(({ uid }) => uid === ownerUid) ?? false;
  if (!isOwned || metadata.deletionTimestamp !== undefined) return false;
  const { phase, conditions = [] } = (status ?? {}) as WorkloadStatus & { readonly phase?: unknown };
  return phase === 'Succeeded' || conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True');
}

interface Outcome {
  readonly phase: 'Succeeded' | 'Failed';
  readonly podReason: string;
  readonly exitCode: number;
  readonly reason: string;
}

const SUCCEEDED: Outcome = { phase: 'Succeeded', podReason: 'PodCompleted', exitCode: 0, reason: 'Completed' };
const FAILED: Outcome = { phase: 'Failed', podReason: 'PodFailed', exitCode: 1, reason: 'Error' };

/** Returns the status of a pod whose containers have ended and are not restarted. */
function finishedStatus(pod: Workload, { phase, podReason, exitCode, reason }: Outcome, now: string): WorkloadStatus {
  const startTime = String(pod.status?.['startTime'] ?? now);
  const ended = { status: 'False', reason: podReason } as const;
  const conditions: readonly WorkloadCondition[] = [
    { type: 'Initialized', status: 'True', ...(phase === 'Succeeded' ? { reason: podReason } : {}) },
    { type: 'Ready', ...ended },
    { type: 'ContainersReady', ...ended },
    { type: 'PodScheduled', status: 'True' },
  ];
  const terminated = { exitCode, reason, startedAt: startTime, finishedAt: now };
  const containers = (pod.spec as PodSpec | undefined)?.containers ?? [];
  return {
    ...pod.status,
    phase,
    startTime,
    conditions: withTimes(pod.status?.conditions, conditions, now, false),
    containerStatuses: containers.map(({ name, image = '' }) => ({
      name,
      image,
      imageID: '',
      ready: false,
      started: false,
      restartCount: 0,
      state: { terminated },
    })),
  };
}

const NOT_READY = { reason: 'ContainersNotReady', message: 'containers are not ready' } as const;

const CREATING = { reason: 'ContainerCreating' };
const WAITING: Readonly<Record<Behavior, { readonly reason: string; readonly message?: string }>> = {
  ready: CREATING,
  slow: CREATING,
  hang: CREATING,
  crashloop: { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container' },
  fail: { reason: 'ErrImagePull', message: 'simulated: the image cannot be pulled' },
};

function runningSince(pod: Workload): string | undefined {
  return pod.status?.conditions?.find(({ type, status }) => type === 'Ready' && status === 'True')?.lastTransitionTime;
}
