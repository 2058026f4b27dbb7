import type { ObservedCluster } from '@outrigger/rules/rollout';

/** The move of a cluster to a revision other than the target. When the move ends, the cluster waits for the target. */
export class EarlierMove {
  readonly seen: ObservedCluster;
  /** The index of the cluster's group in the run. */
  readonly group: number;
  /** Whether the cluster stops this move and waits for the target, because no gate holds the cluster any more. */
  isReleased = false;

  constructor(seen: ObservedCluster, group: number) {
    this.seen = seen;
    this.group = group;
  }

  /** Returns the cluster in its state after this move, in which it waits for the target. */
  after(): ObservedCluster {
    const { cluster, targetRevision, mayMove, isReturning, wayBackRank, isUnreachable } = this.seen;
    return {
      cluster,
      targetRevision,
      mayMove,
      isReturning,
      wayBackRank,
      isUnreachable,
      report: WAITING,
      admission: undefined,
      isElsewhere: false,
      isNew: false,
      soakingSince: 0,
      doneSince: 0,
      movingSince: 0,
      unreachableSince: 0,
      hasMissedWildcard: false,
    };
  }
}

const WAITING: ObservedCluster['report'] = {
  isFresh: false,
  atTarget: false,
  isDone: false,
  isAvailable: true,
  isHealthSilent: false,
  hasFailed: false,
};
