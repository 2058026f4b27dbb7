import type { Admission, ClusterObservation, Phase } from './phase.js';
import type { Strategy } from './strategy.js';

/** The clusters a Placement chose into one group, in name order. */
export interface DecisionGroup {
  readonly index: number;
  readonly name: string;
  readonly clusters: readonly string[];
}

/** The clusters of a group that belong to the entry (a later entry may have taken some), in name order. */
export interface ObservedGroup {
  readonly index: number;
  readonly name: string;
  readonly clusters: readonly ClusterObservation[];
}

export interface EntryState {
  readonly strategy: Strategy;
  /** In index order. */
  readonly groups: readonly ObservedGroup[];
  /** That everybody is let go (`*`); undefined where nobody is by that. */
  readonly star: Admission | undefined;
  /** The target has reached every cluster before: what happens to their health later is not this rollout's business. */
  readonly hasCompleted: boolean;
  /** What one decision group holds: the budget of a Progressive strategy that names none. */
  readonly clustersPerGroup: number;
  /** Somebody wants nothing further to start. */
  readonly isPaused: boolean;
  /** The target has no content a cluster could be given, so a cluster that fails there stays in the record: it alone says that it went. */
  readonly keepsFailed: boolean;
}

export type PhaseCounts = Readonly<Record<Phase, number>>;

/** A group with everybody in their place. */
export interface PlacedGroup extends ObservedGroup {
  readonly counts: PhaseCounts;
  /** Clusters on their way back first, then in name order. */
  readonly waiting: readonly ClusterObservation[];
  readonly inFlight: readonly { readonly seen: ClusterObservation; readonly phase: Phase }[];
  /** Newly succeeded without their health being asked. */
  readonly unhealthyBefore: number;
  /** Wall time at which somebody's phase may change by the clock alone. */
  readonly recheckAt: number | undefined;
}

export interface EntryDecision {
  /** Everybody as they stand before this step lets anybody go. */
  readonly groups: readonly PlacedGroup[];
  /** How many are where, those counted who set out by this step. */
  readonly counts: PhaseCounts;
  /** The record's next content: who is in flight to the target, and since when. */
  readonly inFlight: ReadonlyMap<string, Admission>;
  /** Everybody is admitted (strategy All). */
  readonly admitsAll: boolean;
  readonly admitted: readonly string[];
  /** Clusters without any content that came while the rollout is held up, as many as the budget allows: they get what was there before. */
  readonly joiners: readonly string[];
  /** More have failed than the strategy tolerates, paused or not. */
  readonly hasTooManyFailures: boolean;
  /** Why nothing further is admitted. */
  readonly hold: 'Paused' | 'TooManyFailures' | undefined;
  readonly recheckAt: number | undefined;
}
