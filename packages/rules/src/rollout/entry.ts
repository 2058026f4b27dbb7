import type { GateAnswer, Gates } from './gates.js';
import type { Admission, ClusterObservation, Phase } from './phase.js';
import type { Strategy } from './strategy.js';

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
  /** The rollout to this target has completed before, so the later health of a cluster no longer matters to it. */
  readonly hasCompleted: boolean;
  /** The size of a decision group: the budget of a Progressive strategy without maxConcurrency. */
  readonly clustersPerGroup: number;
  /** No further cluster may be admitted: the rollout is paused, or its targets have a problem. */
  readonly isPaused: boolean;
  /** The target has no content, so a cluster that fails stays in the record: only the record shows that it was admitted. */
  readonly keepsFailed: boolean;
  /** The gates of rollout policies; undefined if no policy governs the add-on. */
  readonly gates?: Gates | undefined;
  /** Another revision than the target completed last, so clusters that join while a gate holds others can get it. */
  readonly hasOtherCompleted?: boolean;
}

export type PhaseCounts = Readonly<Record<Phase, number>>;

/** A group with the phase of each cluster determined. */
export interface PlacedGroup extends ObservedGroup {
  readonly counts: PhaseCounts;
  /** Returning clusters first, then in name order. */
  readonly waiting: readonly ClusterObservation[];
  /** In name order. */
  readonly skipped: readonly ClusterObservation[];
  /** Clusters in flight to an earlier target that move on to the target if no gate holds them. */
  readonly retargets: readonly ClusterObservation[];
  readonly inFlight: readonly { readonly seen: ClusterObservation; readonly phase: Phase }[];
  /** Clusters with a named admission that have succeeded, so they leave the record. */
  readonly arrived: readonly ClusterObservation[];
  /** How many clusters succeeded newly without a check of their health. */
  readonly unhealthyBefore: number;
  /** Wall time at which the phase of a cluster may change by the clock alone. */
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
   * Clusters without any content while the rollout is paused, halted or held by a gate, as many as the budget allows: they get the last
   * completed revision.
   */
  readonly joiners: readonly string[];
  /** Clusters in flight to an earlier target that gates hold: they go on to it. */
  readonly heldElsewhere: ReadonlySet<string>;
  /** Clusters that were given the last completed revision when they joined continue to it. */
  readonly holdsJoiners: boolean;
  /** The answer of the gates, if a policy governs the add-on. */
  readonly gating?: GateAnswer | undefined;
  /** More clusters have failed than the strategy tolerates, paused or not. */
  readonly hasTooManyFailures: boolean;
  /** Why no further cluster is admitted. */
  readonly hold: 'Paused' | 'TooManyFailures' | 'AnalysisFailed' | undefined;
  readonly recheckAt: number | undefined;
}
