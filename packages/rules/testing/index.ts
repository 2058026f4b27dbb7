import type { ObservedCluster, StepInput } from '../src/rollout/index.js';

/** A Progressive strategy that moves one cluster at a time and tolerates no failure. */
export const ONE_BY_ONE: StepInput['strategy'] = {
  type: 'Progressive',
  minSuccessMs: 0,
  progressDeadlineMs: undefined,
  maxFailures: { count: 0 },
  maxConcurrency: { count: 1 },
  mandatoryGroups: [],
};

const REPORT: ObservedCluster['report'] = {
  isFresh: false,
  atTarget: false,
  isDone: false,
  isAvailable: true,
  isHealthSilent: false,
  hasFailed: false,
};

/** The fields of a cluster that differ from those of a reachable cluster, and the fields of its report that do. */
type Differences = Partial<Omit<ObservedCluster, 'report'>> & { readonly report?: Partial<ObservedCluster['report']> };

/** A reachable cluster that has an earlier revision than the target, which is revision 2, and is not admitted. */
export function observedCluster(cluster: string, { report, ...fields }: Differences = {}): ObservedCluster {
  return {
    cluster,
    targetRevision: 2,
    mayMove: true,
    report: { ...REPORT, isFresh: fields.isNew === true, ...report },
    isUnreachable: false,
    admission: undefined,
    isElsewhere: false,
    isReturning: false,
    isNew: false,
    soakingSince: 0,
    doneSince: 0,
    movingSince: 0,
    unreachableSince: 0,
    hasMissedWildcard: false,
    ...fields,
  };
}
