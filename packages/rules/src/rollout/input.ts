import type { GateAnswer, Gates } from './gates/gates.js';
import type { Admission, ClusterObservation, Phase } from './phase.js';
import type { Strategy } from '../strategy/rollout-strategy.js';

/** The clusters of a group that belong to the entry (a later entry may select some of the others), in name order. */
export interface ObservedGroup {
  readonly index: number;
  readonly name: string;
  readonly clusters: readonly ClusterObservation[];
}

export interface EntryState {
  readonly strategy: Strategy;
  /** In index order. */
  readonly groups: readonly ObservedGroup[];
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
  /** The last completed revision differs from the target, so clusters that join while a gate holds others can get it. */
  readonly hasOtherCompleted?: boolean;
}

export type PhaseCounts = Readonly<Record<Phase, number>>;

/** A group with the phase of each cluster determined. */
export interface PlacedGroup extends ObservedGroup {
  readonly counts: PhaseCounts;
  /** Clusters that have a later revision first, then in name order. */
  readonly waiting: readonly ClusterObservation[];
  /** In name order. */
  readonly skipped: readonly ClusterObservation[];
  /** Clusters in flight to an earlier target that are retargeted to the current target if no gate holds them. */
  readonly retargets: readonly ClusterObservation[];
  readonly inFlight: readonly { readonly seen: ClusterObservation; readonly phase: Phase }[];
  /** Clusters with a named admission that have succeeded; they are removed from the record. */
  readonly arrived: readonly ClusterObservation[];
  /** How many clusters have just succeeded without a health check. */
  readonly unhealthyBefore: number;
  /** Wall time at which the phase of a cluster may change through the passage of time alone. */
  readonly recheckAt: number | undefined;
}

export interface EntryDecision {
  /** The groups as they are before this step admits any cluster. */
  readonly groups: readonly PlacedGroup[];
  /** The number of clusters in each phase, including the admissions of this step. */
  readonly counts: PhaseCounts;
  /** The clusters in flight to the target, for the next record. */
  readonly inFlight: ReadonlyMap<string, Admission>;
  /** A wildcard admission admits every cluster (strategy All), except those that gates hold. */
  readonly admitsAll: boolean;
  /** The clusters that the wildcard admission does not cover, in name order. */
  readonly except: readonly string[];
  readonly admitted: readonly string[];
  /**
   * Clusters without any content while the rollout is paused, halted or held by a gate, as many as the budget allows. They get the last
   * completed revision.
   */
  readonly joiners: readonly string[];
  /** Clusters in flight to an earlier target that gates hold; they continue to the earlier target. */
  readonly heldElsewhere: ReadonlySet<string>;
  /** Clusters that were admitted to the last completed revision when they joined continue to it. */
  readonly holdsJoiners: boolean;
  /** The result of evaluating the gates, if a policy governs the add-on. */
  readonly gating?: GateAnswer | undefined;
  /** More clusters have failed than the strategy tolerates, whether or not the rollout is paused. */
  readonly hasTooManyFailures: boolean;
  /** Why no further cluster is admitted. */
  readonly hold: 'Paused' | 'TooManyFailures' | 'AnalysisFailed' | undefined;
  readonly recheckAt: number | undefined;
}
