/**
 * The fleet by columns: add-ons × clusters. Repeated texts are stored as indexes into `strings`. All arrays of one cluster column, and all
 * arrays of one add-on's cells, have one element per cluster, in the order of `clusters.name` (sorted by name at the time of the snapshot;
 * a delta appends new clusters at the end). A user gets only the clusters and add-ons they may see; other objects are not included in any
 * count.
 */
export interface FleetSnapshot {
  /** A different epoch means a different server process; request all views again. */
  readonly epoch: string;
  readonly sequence: number;
  /** When the snapshot was taken, in RFC 3339 format. */
  readonly at: string;
  readonly strings: readonly string[];
  readonly labelSets: readonly Readonly<Record<string, string>>[];
  readonly clusters: ClusterColumns;
  readonly addOns: readonly FleetAddOn[];
  /** One element per add-on, in the order of `addOns`. */
  readonly cells: readonly CellColumns[];
  /** Set if the user may see only some namespaces and there are more than the server checks; the fleet shown is then incomplete. */
  readonly isTruncated: boolean;
}

export interface ClusterColumns {
  readonly name: readonly string[];
  /** Index into CLUSTER_STATES. */
  readonly state: readonly number[];
  /** Index into `labelSets`. */
  readonly labels: readonly number[];
  /** Index into `strings`: the cluster's Kubernetes version; `''` if it has not reported one. */
  readonly kubernetes: readonly number[];
}

export interface CellColumns {
  /** Index into CELL_STATES. */
  readonly state: readonly number[];
  /** Index into `strings`: the version on the cluster; `''` if unknown or without versions. */
  readonly version: readonly number[];
  /** Index into `strings`: the version that the cluster is to have. The cell is marked if this differs from `version`. */
  readonly target: readonly number[];
  /**
   * Index into `strings`: a short reason (`ImagePullBackOff`, `RequiredDependencyNotSatisfied`); `''` if the cell is healthy. Used for
   * grouping.
   */
  readonly reason: readonly number[];
}

export interface FleetAddOn {
  readonly name: string;
  readonly displayName: string;
  readonly rollout: RolloutState;
  /** Version of the target of the first entry; `''` without versions. */
  readonly target: string;
  /** The revision to which a rollback pinned every cluster. */
  readonly pinnedRevision?: number;
  readonly isPaused: boolean;
}

export type RolloutState = 'None' | 'Pending' | 'Progressing' | 'Completed' | 'Paused' | 'Halted';

/** State of one add-on on one cluster, worst last. The number on the wire is the index. */
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

/** The difference between two snapshots of one user, by name. */
export interface FleetDelta {
  /** The delta applies to a fleet at this sequence; for any other sequence, request a snapshot. */
  readonly from: number;
  readonly sequence: number;
  /** All add-ons, in the new order of columns, if one of them was changed, added or removed. Columns that are not listed were removed. */
  readonly addOns?: readonly FleetAddOn[];
  readonly removed: readonly string[];
  readonly rows: readonly FleetRowDelta[];
}

export interface FleetRowDelta {
  readonly cluster: string;
  /** Absent if only cells changed. */
  readonly row?: FleetRow;
  /** Add-on → its new cell. A cell with the state `absent` has no other content. */
  readonly cells: Readonly<Record<string, FleetCell>>;
}

export const ABSENT_CELL: FleetCell = { state: 'absent', version: '', target: '', reason: '' };
