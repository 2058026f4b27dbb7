import type { RolloutEntry, RolloutWait } from '@outrigger/api';
import type { GatedCluster, Operation } from './windows.js';

/** A cluster that waits for its admission. */
export interface GateCluster extends GatedCluster {
  /** `Install` for a cluster that has no content of the add-on yet. */
  readonly operation: Extract<Operation, 'Upgrade' | 'Install'>;
}

/**
 * A group of an entry; lists of groups are in rollout order. The group `rest` contains all clusters under strategy All, all clusters that a
 * label selector matches, and the clusters that Progressive moves after its mandatory groups.
 */
export interface GateGroup {
  readonly name: string;
  /** Index of the decision group; undefined for `rest`. */
  readonly index: number | undefined;
  /** The number of clusters in the group, admitted or not. */
  readonly size: number;
  /** The clusters that wait for their admission. */
  readonly waiting: readonly GateCluster[];
  /** Whether all earlier groups have finished, so that only gates and maxConcurrency can delay the admission of these clusters. */
  readonly isReached: boolean;
  /** Whether all clusters of the group have finished. */
  readonly isDone: boolean;
  /** The earliest time at which a cluster of the group that is in flight was admitted to the target. */
  readonly admittedAt?: string | undefined;
  /** The clusters that have the target. The field is read only if an analysis measures the group. */
  readonly moved?: readonly string[];
}

/** The fields of a rollout entry's status that describe its gates. */
export type RecordedGates = Pick<RolloutEntry, 'waitingFor' | 'openedGates' | 'analysis'>;

/** A gate that holds clusters now. */
export interface Hold {
  readonly wait: Omit<RolloutWait, 'since' | 'clusters'>;
  readonly held: readonly string[];
  /** Whether the rollout has reached this gate; only reached gates are written to the status. */
  readonly isReached: boolean;
  /** Whether the gate prevents the rollout of the entry from completing. */
  readonly holdsCompletion: boolean;
}

/** The name of a group in RolloutApprovals and in the rollout's status. */
export function groupKey({ name, index }: Pick<GateGroup, 'name' | 'index'>): string {
  return name === '' ? String(index ?? 0) : name;
}

/** The names of all waiting clusters of the given groups. */
export function waitingIn(groups: readonly GateGroup[]): readonly string[] {
  return groups.flatMap(({ waiting }) => waiting.map(({ name }) => name));
}
