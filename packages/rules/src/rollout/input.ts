import type { Strategy } from '../strategy/rollout-strategy.js';
import type { Gates } from './gates/gates.js';

/** The input of one step of an entry's rollout. */
export interface StepInput {
  readonly strategy: Strategy;
  /**
   * The decision groups in index order. A group contains only the clusters that belong to the entry (a later entry may select some of the
   * others), in name order.
   */
  readonly groups: readonly { readonly index: number; readonly name: string; readonly clusters: readonly ObservedCluster[] }[];
  /** The wildcard admission (`*`), if the rollout has one. */
  readonly wildcard: Admission | undefined;
  /** The rollout to this target has completed before, so later changes of a cluster's health do not affect it. */
  readonly hasCompleted: boolean;
  /** The size of a decision group: the budget of a Progressive strategy without maxConcurrency. */
  readonly clustersPerGroup: number;
  /** No further cluster may be admitted: the rollout is paused, or its targets have a problem. */
  readonly isPaused: boolean;
  /** The target has no content, so a failed cluster stays in the record, which is the only place that shows its admission. */
  readonly keepsFailed: boolean;
  /** The gates of rollout policies; undefined if no policy governs the add-on. */
  readonly gates?: Gates | undefined;
  /** The target is an automatic way back, so clusters are admitted in the order of their `wayBackRank`. */
  readonly isAutomaticWayBack?: boolean;
  /**
   * The last completed revision differs from the target, so clusters that join while a gate holds others can get the last completed
   * revision.
   */
  readonly hasOtherCompleted?: boolean;
}

/**
 * The cached state of one cluster, relative to the target of its entry. Stale caches are safe: they can only remove a cluster from the
 * record. Times are on the hub's clock, and computed on access, since most clusters never need them.
 */
export interface ObservedCluster {
  readonly cluster: string;
  /** The revision that the entry assigns to this cluster. */
  readonly targetRevision: number;
  /** False while it is uncertain whether the cluster belongs to this entry; such a cluster is not admitted. */
  readonly mayMove: boolean;
  readonly report: TargetReport;
  /** The cluster is known to be unreachable, or no longer exists. */
  readonly isUnreachable: boolean;
  /** The admission, if the record names the cluster for the target. */
  readonly admission: Admission | undefined;
  /** The record names the cluster for another revision. The cluster keeps its slot until it is done with that revision. */
  readonly isElsewhere: boolean;
  /**
   * The cluster is done with the other revision, but its annotation does not name that revision yet. The cluster stays in the record until
   * the annotation does.
   */
  readonly isUnwritten?: boolean;
  /** The cluster has a later revision than the target. In a rollback it is admitted before clusters that never moved. */
  readonly isReturning: boolean;
  /** The cluster's position in the queue of an automatic way back; clusters with lower numbers are admitted first. */
  readonly wayBackRank?: number | undefined;
  /** The hub has never assigned content to the cluster. */
  readonly isNew: boolean;
  /** The time since which the cluster has been both done and available. */
  readonly soakingSince: number;
  /** The time since which the cluster has been done, regardless of its health. */
  readonly doneSince: number;
  /** The time since which the cluster could move: it was admitted, its add-on existed, and it was reachable. */
  readonly movingSince: number;
  readonly unreachableSince: number;
  /** The admission that would retarget a cluster in flight to an earlier target, if the gates allow it. */
  readonly retarget?: Admission | undefined;
  /** A gate held the cluster when the wildcard admission admitted the others, and the cluster has not been admitted since. */
  readonly isExcepted?: boolean;
  /** The cluster was unreachable at the time of the wildcard admission, so it is treated as not admitted. */
  readonly hasMissedWildcard: boolean;
  /**
   * The time from the cluster's admission until it reported the target as done, computed from stored times; undefined if one of these times
   * is unknown.
   */
  readonly movedSeconds?: number | undefined;
  /** When its Progressing condition last changed, as stored; 0 if it has none. */
  readonly doneAt?: number;
}

/** The recorded admission of a cluster. */
export interface Admission {
  readonly revision: number;
  /** As written in the record. */
  readonly admittedAt: string;
  /** The admission time on the hub's clock, which steps of the wall clock do not affect. */
  readonly since: number;
  /**
   * The add-on was not available when its cluster was admitted, and has not been available since, so its health is not relevant to the
   * move.
   */
  readonly unhealthyBefore: boolean;
  /** As written in the record. */
  readonly parkedSince: string | undefined;
}

/** An add-on's status, interpreted for one target. Most add-ons of a fleet have equal statuses, so many of them share one value. */
export interface TargetReport {
  /** The add-on reports no config yet, because no content was ever assigned to it. */
  readonly isFresh: boolean;
  /** The status names the target. */
  readonly atTarget: boolean;
  /** The cluster is done with this target (addons.md §4, Done). */
  readonly isDone: boolean;
  readonly isAvailable: boolean;
  /** The add-on's health is not relevant to this move: a required dependency is missing, or health is not reported. */
  readonly isHealthSilent: boolean;
  /** The Progressing condition reports Failed for this target. */
  readonly hasFailed: boolean;
}
