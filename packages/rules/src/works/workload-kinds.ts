/** A value to read from an object, by JSONPath. */
interface FeedbackPath {
  readonly name: string;
  readonly path: string;
}

export type FeedbackValues = Readonly<Record<string, string | number | boolean>>;

/** One row of the table: the values to request from the agent, and how to evaluate them. */
export interface WorkloadKind {
  readonly resource: string;
  /** Whether agents report values of this kind as WellKnownStatus, for which no paths are configured. */
  readonly hasWellKnownStatus: boolean;
  /**
   * Additional values to request. Their names must differ from the well-known names, because the API server would reject the whole status
   * otherwise.
   */
  readonly paths: readonly FeedbackPath[];
  /**
   * Whether a workload of this kind is evaluated only if its work requests feedback on it. Works that were written before the table had
   * this row do not request feedback on such workloads.
   */
  readonly countsIfAsked?: boolean;
  /** Whether the workload's rollout has reached every pod; true if the values do not show it. */
  isRolledOut(values: FeedbackValues): boolean;
  /** Whether the workload is healthy; undefined if the values do not show it. */
  isHealthy(values: FeedbackValues): boolean | undefined;
  /** Whether the workload has exceeded its progress deadline. */
  hasMissedDeadline(values: FeedbackValues): boolean;
}

const GENERATIONS: readonly FeedbackPath[] = [
  { name: 'Generation', path: '.metadata.generation' },
  { name: 'ObservedGeneration', path: '.status.observedGeneration' },
];

/** The workloads whose health and rollout the hub evaluates, by `group/Kind`. A new kind needs only a new row. */
export const WORKLOAD_KINDS: Readonly<Record<string, WorkloadKind>> = {
  'apps/Deployment': {
    resource: 'deployments',
    hasWellKnownStatus: true,
    paths: [
      ...GENERATIONS,
      { name: 'DesiredReplicas', path: '.spec.replicas' },
      { name: 'UpdatedReplicas', path: '.status.updatedReplicas' },
      { name: 'AvailableCondition', path: '.status.conditions[?(@.type=="Available")].status' },
      { name: 'ProgressingReason', path: '.status.conditions[?(@.type=="Progressing")].reason' },
    ],
    isRolledOut: (v) => isObserved(v) && reached(v, 'DesiredReplicas', ['UpdatedReplicas', 'AvailableReplicas', 'Replicas']),
    isHealthy: (v) => {
      if (v['AvailableCondition'] !== undefined) return v['AvailableCondition'] === 'True';
      if (v['DesiredReplicas'] === 0 || v['Replicas'] === 0) return true;
      return v['ReadyReplicas'] === undefined && v['Replicas'] === undefined ? undefined : Number(v['ReadyReplicas'] ?? 0) >= 1;
    },
    // Ignore the conditions until the workload's controller has observed the newest spec, because they describe an earlier spec.
    hasMissedDeadline: (v) => isObserved(v) && v['ProgressingReason'] === 'ProgressDeadlineExceeded',
  },
  'apps/DaemonSet': {
    resource: 'daemonsets',
    hasWellKnownStatus: true,
    paths: [...GENERATIONS, { name: 'UpdatedNumberScheduled', path: '.status.updatedNumberScheduled' }],
    isRolledOut: (v) => isObserved(v) && reached(v, 'DesiredNumberScheduled', ['UpdatedNumberScheduled', 'NumberAvailable']),
    isHealthy: (v) =>
      v['DesiredNumberScheduled'] === undefined ? undefined : Number(v['NumberReady'] ?? 0) === v['DesiredNumberScheduled'],
    hasMissedDeadline: () => false,
  },
  'apps/StatefulSet': {
    resource: 'statefulsets',
    hasWellKnownStatus: false,
    paths: [
      ...GENERATIONS,
      { name: 'DesiredReplicas', path: '.spec.replicas' },
      { name: 'UpdatedReplicas', path: '.status.updatedReplicas' },
      { name: 'AvailableReplicas', path: '.status.availableReplicas' },
      { name: 'ReadyReplicas', path: '.status.readyReplicas' },
    ],
    isRolledOut: (v) => isObserved(v) && reached(v, 'DesiredReplicas', ['UpdatedReplicas', 'AvailableReplicas']),
    isHealthy: (v) => {
      if (v['DesiredReplicas'] === undefined) return undefined;
      return v['DesiredReplicas'] === 0 || Number(v['ReadyReplicas'] ?? 0) >= 1;
    },
    hasMissedDeadline: () => false,
  },
  'batch/Job': {
    resource: 'jobs',
    hasWellKnownStatus: true,
    countsIfAsked: true,
    paths: [{ name: 'FailedCondition', path: '.status.conditions[?(@.type=="Failed")].status' }],
    // A Job has no pods with earlier content that a rollout would replace.
    isRolledOut: () => true,
    isHealthy: (v) => (v['FailedCondition'] === 'True' ? false : v['JobComplete'] === 'True' ? true : undefined),
    hasMissedDeadline: () => false,
  },
};

function isObserved(values: FeedbackValues): boolean {
  const { Generation, ObservedGeneration } = values as { Generation?: number; ObservedGeneration?: number };
  return Generation === undefined || ObservedGeneration === undefined || ObservedGeneration >= Generation;
}

/**
 * Whether every count equals the wanted count. An absent count is zero, because the API omits zeros. If the wanted count is absent, the
 * result is true.
 */
function reached(values: FeedbackValues, wanted: string, counts: readonly string[]): boolean {
  const target = values[wanted];
  if (target === undefined) return true;
  return counts.every((name) => Number(values[name] ?? 0) === target);
}
