import type { InstallStrategy } from '@outrigger/api';
import type { Link } from '../explanation/chain.js';
import type { ClusterProjection } from '../observed/clusters.js';
import type { DecidedClusters } from './decided-clusters.js';
import type { DeclaredEntry, EntrySource } from './entry.js';
import type { StrategyLookups } from './lookups.js';

/** The values of `spec.installStrategy.type`. */
export type StrategyType = NonNullable<InstallStrategy['type']>;

/**
 * The reason why the clusters of an entry are not known at the moment. An unknown entry is not the same as an entry without clusters: no
 * add-on is removed or moved because of an unknown entry.
 */
export interface UnknownEntry {
  readonly reason: 'PlacementNotFound' | 'DecisionsIncomplete';
  readonly message: string;
}

/** The clusters that an entry selects, including those that a later entry also selects. */
export interface EntryClusters {
  readonly decided: DecidedClusters;
  /** The Placement's clustersPerDecisionGroup. */
  readonly clustersPerGroup: number | string | undefined;
}

/** The objects whose changes may change the clusters that a strategy selects. */
export interface StrategyWakes {
  /** Whether a change of any ManagedCluster may change which clusters are selected. */
  readonly clusters: boolean;
  /** The Placements whose changes may change which clusters are selected, as `namespace/name`. */
  readonly placements: readonly string[];
}

/** Whether a strategy selects one cluster, and why. */
export interface Selection {
  readonly isSelected: boolean;
  readonly links: readonly Link[];
}

/** The functions of one type of install strategy. */
export interface InstallStrategyRule<Source extends EntrySource> {
  /** The entries in declared order. */
  entries(strategy: InstallStrategy): readonly DeclaredEntry[];
  /** Whether an entry selects a cluster. Uses only indexed lookups. */
  selects(source: Source, cluster: string, lookups: StrategyLookups): boolean;
  /** Returns the reason why the clusters of an entry are not known, or undefined if they are known. */
  unknown(source: Source, lookups: StrategyLookups): UnknownEntry | undefined;
  /** Returns all clusters that the entry selects. */
  clusters(source: Source, lookups: StrategyLookups): EntryClusters;
  /**
   * Returns the Placement under which `installProgressions` reports the progress of an entry. Undefined if the declaration's own condition
   * reports it.
   */
  reportedPlacement(source: Source): { readonly namespace: string; readonly name: string } | undefined;
  wakes(strategy: InstallStrategy): StrategyWakes;
  /** Explains to a user whether and why the strategy selects the cluster. `addOn` is the name of the declaration. */
  explain(strategy: InstallStrategy, addOn: string, cluster: ClusterProjection, lookups: StrategyLookups): Selection;
}
