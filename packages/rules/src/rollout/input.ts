import type { Strategy } from '../strategy/rollout-strategy.js';
import type { RecordedFailure } from './admissions/failure.js';
import type { Gates } from './gates/gates.js';

/** The input of one step of an entry's rollout. */
export interface StepInput {
  readonly strategy: Strategy;
  /**
   * The decision groups in index order. A group contains only the clusters that belong to the entry, in name order; clusters that a later
   * entry selects are left out.
   */
  readonly groups: readonly { readonly index: number; readonly name: string; readonly clusters: readonly ObservedCluster[] }[];
  /** The wildcard admission (`*`), if the rollout has one. */
  readonly wildcard: Admission | undefined;
  /** Whether the rollout to this target has completed before. If it has, later changes of a cluster's health do not affect the rollout. */
  readonly hasCompleted: boolean;
  /** The size of a decision group, which is the budget of a Progressive strategy without maxConcurrency. */
  readonly clustersPerGroup: number;
  /** Whether no further cluster may be admitted, because the rollout is paused or its targets have a problem. */
  readonly isPaused: boolean;
  /**
   * Whether failed clusters stay in the record. They do if the target has no content, because then only the record shows their admission.
   */
  readonly keepsFailed: boolean;
  /**
   * Whether the clusters of the entry are not known, for example because decisions of its Placement are missing. Groups, and clusters that
   * have failed, may then be missing too, so a strategy with a budget admits no cluster. False for a way back, which does not wait.
   */
  readonly isUnknown?: boolean;
  /** The gates of rollout policies; undefined if no policy governs the add-on. */
  readonly gates?: Gates | undefined;
  /** Whether the target is an automatic way back, in which clusters are admitted in the order of their `wayBackRank`. */
  readonly isAutomaticWayBack?: boolean;
  /**
   * Whether the last completed revision differs from the target. If it does, joining clusters can get the completed revision while a gate
   * holds other clusters.
   */
  readonly hasOtherCompleted?: boolean;
}

/**
 * The cached state of one cluster, relative to the target of its entry. A stale cache is safe, because it can only cause a step to remove a
 * cluster from the record. Times are on the hub's clock. They are computed on access, because most clusters never need them.
 */
export interface ObservedCluster {
  readonly cluster: string;
  /** The revision that the entry assigns to this cluster. */
  readonly targetRevision: number;
  /** Whether the cluster certainly belongs to this entry. Only then may it be admitted. */
  readonly mayMove: boolean;
  readonly report: TargetReport;
  /** Whether the cluster is unreachable or no longer exists. */
  readonly isUnreachable: boolean;
  /** The admission, if the record admits the cluster to the target by name. */
  readonly admission: Admission | undefined;
  /** Whether the record lists the cluster with another revision. The cluster then keeps its slot until it is done with that revision. */
  readonly isElsewhere: boolean;
  /**
   * Whether the cluster is already done with the other revision that the record lists for it, but the add-on's annotation does not name
   * that revision yet. The record keeps the cluster until the annotation names the revision.
   */
  readonly isUnwritten?: boolean;
  /** The requirement that the record lists for the cluster, if its move to the target failed. */
  readonly recordedFailure?: RecordedFailure | undefined;
  /**
   * Whether the cluster has a later revision than the target. In a rollback such clusters are admitted before clusters that never moved.
   */
  readonly isReturning: boolean;
  /** The cluster's position in the queue of an automatic way back. Clusters with lower positions are admitted first. */
  readonly wayBackRank?: number | undefined;
  /** Whether this is a joining cluster: the hub has neither assigned content to it nor admitted it to a target. */
  readonly isNew: boolean;
  /** The time since which the cluster has been both done and available. */
  readonly soakingSince: number;
  /** The time since which the cluster has been done, regardless of its health. */
  readonly doneSince: number;
  /** The time since which the cluster has been able to move: admitted, reachable, and with an existing add-on. */
  readonly movingSince: number;
  readonly unreachableSince: number;
  /** The admission to the current target that a cluster in flight to an earlier target gets if the gates allow it. */
  readonly retarget?: Admission | undefined;
  /** Whether a gate held the cluster when the wildcard admission admitted the others, and the cluster has not been admitted since. */
  readonly isExcepted?: boolean;
  /** Whether the cluster was unreachable at the time of the wildcard admission; it then counts as not admitted. */
  readonly hasMissedWildcard: boolean;
  /**
   * The time from the cluster's admission until it reported the target as done, computed from stored times; undefined if one of these times
   * is unknown.
   */
  readonly movedSeconds?: number | undefined;
  /** The stored time of the last change of the add-on's Progressing condition; 0 if it has no such condition. */
  readonly doneAt?: number;
}

/** The recorded admission of a cluster. */
export interface Admission {
  readonly revision: number;
  /** As written in the record. */
  readonly admittedAt: string;
  /** The admission time on the hub's clock. Steps of the wall clock do not affect it. */
  readonly since: number;
  /**
   * Whether the add-on was not available when its cluster was admitted, and has not been available since. Its health then does not count
   * for the move.
   */
  readonly unhealthyBefore: boolean;
  /** As written in the record. */
  readonly parkedSince: string | undefined;
}

/** An add-on's status, interpreted for one target. Most add-ons in a fleet have equal statuses, so many of them share one value. */
export interface TargetReport {
  /** Whether the add-on reports no config, because no content was ever assigned to it. */
  readonly isFresh: boolean;
  /** Whether the status names the target. */
  readonly atTarget: boolean;
  /** Whether the cluster is done with this target (addons.md §4, Done). */
  readonly isDone: boolean;
  readonly isAvailable: boolean;
  /** Whether the add-on's health does not count for this move, because a required dependency is missing or no health is reported. */
  readonly isHealthSilent: boolean;
  /** Whether the Progressing condition reports Failed for this target. */
  readonly hasFailed: boolean;
}
