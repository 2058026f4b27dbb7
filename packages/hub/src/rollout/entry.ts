import type { Admission, ClusterObservation, Standing } from './phase.js';
import type { Strategy } from './strategy.js';

/** The clusters of an entry that belong to it (a later entry may have taken some), by decision group in index order. */
export interface DecisionGroup {
  readonly index: number;
  readonly name: string;
  readonly clusters: readonly string[];
}

export interface EntryState {
  readonly strategy: Strategy;
  readonly groups: readonly DecisionGroup[];
  readonly observations: ReadonlyMap<string, ClusterObservation>;
  /** Who was let go to the target, as the record tells it. */
  readonly inFlight: ReadonlyMap<string, Omit<Admission, 'isByStar'>>;
  /** Clusters on their way to another revision, which keep their slot until they arrive. */
  readonly elsewhere: ReadonlySet<string>;
  /** Since when everybody is admitted (`*`); undefined where nobody is by that. */
  readonly admittedAllAt: number | undefined;
  /** The target has reached every cluster before: what happens to their health later is not this rollout's business. */
  readonly hasCompleted: boolean;
  /** What one decision group holds: the budget of a Progressive strategy that names none. */
  readonly clustersPerGroup: number;
  /** Somebody wants nothing further to start. */
  readonly isPaused: boolean;
}

export interface EntryDecision {
  /** The record's next content: who is in flight to the target, and since when. */
  readonly inFlight: ReadonlyMap<string, Omit<Admission, 'isByStar'>>;
  /** Everybody is admitted (strategy All). */
  readonly admitsAll: boolean;
  readonly admitted: readonly string[];
  /** Clusters without any content that came while the rollout is held up, as many as the budget allows: they get what was there before. */
  readonly joiners: readonly string[];
  readonly standings: readonly Standing[];
  /** More have failed than the strategy tolerates, paused or not. */
  readonly hasTooManyFailures: boolean;
  /** Why nothing further is admitted. */
  readonly hold: 'Paused' | 'TooManyFailures' | undefined;
  readonly recheckAt: number | undefined;
}
