import type { Behavior } from './behavior.js';
import type { Phase } from './rollout.js';
import { type PodSpec, type Workload, type WorkloadCondition, type WorkloadStatus, withTimes } from './workload-status.js';

/**
 * Returns the status that a kubelet would report for a pod: scheduled immediately, running after its start-up time, or the reason why it
 * does not run.
 */
export function podStatus(pod: Workload, phase: Phase, behavior: Behavior, now: string): WorkloadStatus {
  if (phase === 'complete' && belongsToJob(pod)) return finishedStatus(pod, now);
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

/** The status of a pod whose Job has completed: the pod has succeeded. */
function finishedStatus(pod: Workload, now: string): WorkloadStatus {
  const startTime = String(pod.status?.['startTime'] ?? now);
  const completed = { status: 'False', reason: 'PodCompleted' } as const;
  const conditions: readonly WorkloadCondition[] = [
    { type: 'Initialized', status: 'True', reason: 'PodCompleted' },
    { type: 'Ready', ...completed },
    { type: 'ContainersReady', ...completed },
    { type: 'PodScheduled', status: 'True' },
  ];
  const terminated = { exitCode: 0, reason: 'Completed', startedAt: startTime, finishedAt: now };
  const containers = (pod.spec as PodSpec | undefined)?.containers ?? [];
  return {
    ...pod.status,
    phase: 'Succeeded',
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

function belongsToJob({ metadata }: Workload): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind }) => kind === 'Job');
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
