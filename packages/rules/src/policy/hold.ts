import type { RolloutEntry, RolloutWait } from '@outrigger/api';
import type { GatedCluster, Operation } from './windows.js';

/** A cluster of an entry that waits for its admission. */
export interface GateCluster extends GatedCluster {
  /** `Install` for a cluster that has no content of the add-on yet. */
  readonly operation: Extract<Operation, 'Upgrade' | 'Install'>;
}

/**
 * A group of an entry, as the rollout orders it. Strategy All, label selectors and the clusters that Progressive moves after its mandatory
 * groups are one group, `rest`.
 */
export interface GateGroup {
  readonly name: string;
  /** Index of the decision group; undefined for `rest`. */
  readonly index: number | undefined;
  /** The clusters of the group, admitted or not. */
  readonly size: number;
  /** The clusters that wait for their admission. */
  readonly waiting: readonly GateCluster[];
  /** All earlier groups are finished: nothing but gates and the budget holds these clusters. */
  readonly isReached: boolean;
  /** All clusters of the group have finished. */
  readonly isDone: boolean;
}

/** What the record of an entry says about its gates. */
export type RecordedGates = Pick<RolloutEntry, 'waitingFor' | 'openedGates' | 'analysis'>;

/** A gate that holds clusters now. */
export interface Hold {
  readonly wait: Omit<RolloutWait, 'since' | 'clusters'>;
  readonly held: readonly string[];
  /** Whether the record shows it: the rollout has come to this gate. */
  readonly isReached: boolean;
  /** Whether the rollout of the entry may not complete. */
  readonly holdsCompletion: boolean;
}

/** How many clusters a message is about. */
export function clustersText(count: number): string {
  return count === 1 ? '1 cluster' : `${count} clusters`;
}

/** The name by which a RolloutApproval and the record name a group. */
export function groupKey({ name, index }: Pick<GateGroup, 'name' | 'index'>): string {
  return name === '' ? String(index ?? 0) : name;
}

/** The names of all waiting clusters of some groups. */
export function waitingIn(groups: readonly GateGroup[]): readonly string[] {
  return groups.flatMap(({ waiting }) => waiting.map(({ name }) => name));
}

export function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}
