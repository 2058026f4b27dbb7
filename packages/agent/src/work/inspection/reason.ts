import { type KubeObject, clipText } from '@outrigger/core';

interface Described {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface WorkloadFields {
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly desiredNumberScheduled?: number;
  readonly numberAvailable?: number;
  readonly updatedNumberScheduled?: number;
  readonly numberReady?: number;
  readonly failed?: number;
  readonly conditions?: readonly Described[];
}

interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly state?: { readonly waiting?: Described & { readonly reason?: string }; readonly terminated?: Ended };
  readonly lastState?: { readonly terminated?: Ended };
}

interface Ended {
  readonly exitCode?: number;
  readonly reason?: string;
  readonly message?: string;
}

interface PodFields {
  readonly phase?: string;
  readonly conditions?: readonly Described[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
}

/**
 * For each workload kind, a function that returns whether the status shows that pods are missing. An update may start new pods before it
 * terminates old ones. A new pod that cannot start then counts as missing, even if there are enough old pods. Kinds without a row are not
 * inspected.
 */
const IS_UNREADY: Readonly<Record<string, (wanted: number, status: WorkloadFields) => boolean>> = {
  'apps/v1/Deployment': (wanted, { availableReplicas = 0, replicas = 0 }) => availableReplicas < Math.max(wanted, replicas),
  'apps/v1/StatefulSet': (wanted, { readyReplicas = 0 }) => readyReplicas < wanted,
  'apps/v1/DaemonSet': (_, { desiredNumberScheduled = 0, numberAvailable = 0, updatedNumberScheduled = desiredNumberScheduled }) =>
    Math.min(numberAvailable, updatedNumberScheduled) < desiredNumberScheduled,
  'batch/v1/Job': (_, { failed = 0, conditions = [] }) => failed > 0 && !conditions.some(isTrue('Complete')),
};

/** Whether pods of the workload are missing. If so, their state explains why the workload is not ready. */
export function isUnready({ apiVersion, kind, ...object }: KubeObject): boolean {
  const { spec, status } = object as { readonly spec?: { readonly replicas?: number }; readonly status?: WorkloadFields };
  const rule = IS_UNREADY[`${apiVersion}/${kind}`];
  return rule !== undefined && status !== undefined && rule(spec?.replicas ?? 1, status);
}

/** The maximum length of a reason. Longer texts are truncated, because a status contains a reason, not a log. */
const MAX_LENGTH = 500;

/**
 * Returns the reason why the workload is not ready: its own condition if it could not create pods, and otherwise the reason of its first
 * pod that is not ready. Parts that change while the cause stays the same, such as pod names and back-off times, are omitted, so that the
 * same cause is reported once.
 */
export function notReadyReason(workload: KubeObject, pods: readonly KubeObject[]): string | undefined {
  const { conditions = [] } = (workload as { readonly status?: WorkloadFields }).status ?? {};
  const own = conditions.find(isTrue('ReplicaFailure')) ?? conditions.find(isTrue('Failed'));
  const reasons = pods.flatMap((pod) => podReason(pod) ?? []).sort();
  const [lasting] = reasons.filter((reason) => !/ContainerCreating|PodInitializing/.test(reason));
  const found = own ? described(own.type, own) : (lasting ?? reasons[0]);
  return found === undefined ? undefined : clipText(found, MAX_LENGTH);
}

function podReason(pod: KubeObject): string | undefined {
  const {
    phase,
    conditions = [],
    initContainerStatuses = [],
    containerStatuses = [],
  } = (pod as { readonly status?: PodFields }).status ?? {};
  if (pod.metadata.deletionTimestamp !== undefined || phase === 'Succeeded') return undefined;
  const unscheduled = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  if (unscheduled) return `pod is not scheduled: ${unscheduled.message ?? unscheduled.reason ?? ''}`;
  for (const container of [...initContainerStatuses, ...containerStatuses]) {
    const reason = containerReason(container);
    if (reason !== undefined) return reason;
  }
  return phase === 'Failed' ? 'pod failed' : undefined;
}

function containerReason({ name, ready, state = {}, lastState = {} }: ContainerStatus): string | undefined {
  const { waiting, terminated } = state;
  if (waiting) {
    // A back-off message contains only the length of the wait. The cause is in the last termination state.
    const last = lastState.terminated;
    if (waiting.reason === 'CrashLoopBackOff') return described(`container ${name} is waiting: CrashLoopBackOff`, last && ended(last));
    // Both reasons are reported as ImagePullBackOff, because the kubelet alternates between them while the image cannot be pulled.
    const reason = waiting.reason === 'ErrImagePull' ? 'ImagePullBackOff' : waiting.reason;
    return described(`container ${name} is waiting`, { ...waiting, ...(reason === undefined ? {} : { reason }) });
  }
  if (terminated && terminated.exitCode !== 0) return described(`container ${name} ended`, ended(terminated));
  return ready === false && state && 'running' in state ? `container ${name} runs and is not ready` : undefined;
}

function ended({ exitCode, reason, message }: Ended): Pick<Described, 'reason' | 'message'> {
  const code = exitCode === undefined ? '' : `exit code ${exitCode}`;
  return {
    reason: [code, ...(reason === undefined ? [] : [`(${reason})`])].filter((part) => part !== '').join(' '),
    ...(message ? { message } : {}),
  };
}

function described(subject: string, about: Pick<Described, 'reason' | 'message'> | undefined): string {
  return [subject, about?.reason, about?.message].filter((part) => part !== undefined && part !== '').join(': ');
}

function isTrue(wanted: string): (condition: Described) => boolean {
  return ({ type, status }) => type === wanted && status === 'True';
}
