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

/** The fields in which a cluster differs from a reachable cluster, and the fields in which its report differs. */
type Differences = Partial<Omit<ObservedCluster, 'report'>> & { readonly report?: Partial<ObservedCluster['report']> };

/** A reachable cluster that is not admitted and has an earlier revision than the target. The target is revision 2. */
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
