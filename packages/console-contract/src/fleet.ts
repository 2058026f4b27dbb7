/**
 * The fleet in columns: add-ons × clusters. Repeated texts are stored as indexes into `strings`. All arrays of one cluster column, and all
 * arrays of one add-on's cells, have one element per cluster, in the order of `clusters.name`. That order is by name in a snapshot; a delta
 * appends new clusters at the end. A user gets only the clusters and add-ons that the user may see; no count includes others.
 */
export interface FleetSnapshot {
  /** Identifies the server process. When the epoch changes, the browser must request all views again. */
  readonly epoch: string;
  readonly sequence: number;
  /** The time at which the snapshot was taken, in RFC 3339 format. */
  readonly at: string;
  readonly strings: readonly string[];
  readonly labelSets: readonly Readonly<Record<string, string>>[];
  readonly clusters: ClusterColumns;
  readonly addOns: readonly FleetAddOn[];
  /** One element per add-on, in the order of `addOns`. */
  readonly cells: readonly CellColumns[];
  /** Whether the fleet is incomplete, because the user may see only some namespaces and there are more of them than the server checks. */
  readonly isTruncated: boolean;
}

export interface ClusterColumns {
  readonly name: readonly string[];
  /** The state of each cluster, as an index into CLUSTER_STATES. */
  readonly state: readonly number[];
  /** Index into `labelSets`. */
  readonly labels: readonly number[];
  /** Index into `strings`: the cluster's Kubernetes version; `''` if it has not reported one. */
  readonly kubernetes: readonly number[];
}

export interface CellColumns {
  /** Index into CELL_STATES. */
  readonly state: readonly number[];
  /** Index into `strings`: the version on the cluster; `''` if it is unknown or the add-on has no versions. */
  readonly version: readonly number[];
  /** Index into `strings`: the version that the cluster should have. The console highlights a cell whose `version` differs from it. */
  readonly target: readonly number[];
  /**
   * Index into `strings`: a short reason (`ImagePullBackOff`, `RequiredDependencyNotSatisfied`) by which cells are grouped; `''` if the
   * cell is healthy.
   */
  readonly reason: readonly number[];
}

export interface FleetAddOn {
  readonly name: string;
  readonly displayName: string;
  readonly rollout: RolloutState;
  /** The target version of the first entry; `''` if the add-on has no versions. */
  readonly target: string;
  /** The revision to which a rollback pinned every cluster. */
  readonly pinnedRevision?: number;
  readonly isPaused: boolean;
}

export type RolloutState = 'None' | 'Pending' | 'Progressing' | 'Completed' | 'Paused' | 'Halted';

/** The states of a cell, from the best to the worst. On the wire, a state is its index. */
export const CELL_STATES = [
  'absent',
  'available',
  'degraded',
  'progressing',
  'waiting',
  'removing',
  'unknown',
  'unreachable',
  'unavailable',
  'blocked',
  'failed',
] as const;
export type CellState = (typeof CELL_STATES)[number];

export const CLUSTER_STATES = ['available', 'unreported', 'pending', 'deleting', 'unavailable', 'unreachable'] as const;
export type ClusterState = (typeof CLUSTER_STATES)[number];

export interface FleetRow {
  readonly state: ClusterState;
  readonly labels: Readonly<Record<string, string>>;
  readonly kubernetes: string;
}

export interface FleetCell {
  readonly state: CellState;
  readonly version: string;
  readonly target: string;
  readonly reason: string;
}

/** The difference between two snapshots for the same user. Clusters and add-ons are identified by name. */
export interface FleetDelta {
  /** The sequence number from which the delta leads. A browser with a lower sequence number requests a snapshot instead. */
  readonly from: number;
  readonly sequence: number;
  /** If an add-on was changed, added or removed: all add-ons, in the new order of columns. Columns that are not listed were removed. */
  readonly addOns?: readonly FleetAddOn[];
  readonly removed: readonly string[];
  readonly rows: readonly FleetRowDelta[];
}

export interface FleetRowDelta {
  readonly cluster: string;
  /** The new properties of the cluster; absent if only cells changed. */
  readonly row?: FleetRow;
  /** The new cell of each changed add-on. A cell with the state `absent` has no other content. */
  readonly cells: Readonly<Record<string, FleetCell>>;
}

export const ABSENT_CELL: FleetCell = { state: 'absent', version: '', target: '', reason: '' };
