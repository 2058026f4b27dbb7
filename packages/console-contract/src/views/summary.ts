import type { OfferedAction } from '../actions.js';
import type { CellState, ClusterState, RolloutState } from '../fleet.js';
import type { Time } from './values.js';

/** `/`: the counts of the fleet, and the problems that need user action. Includes only objects that the user may see. */
export interface Summary {
  readonly clusters: Readonly<Record<ClusterState, number>>;
  readonly cells: Readonly<Record<CellState, number>>;
  readonly addOns: readonly AddOnSummary[];
  readonly attention: readonly Attention[];
  /** Whether all rollouts of the fleet are paused together. */
  readonly isFleetPaused: boolean;
  /** The groups of failures, the most frequent reasons first; at most 50. */
  readonly failures: readonly FailureGroup[];
}

export interface AddOnSummary {
  readonly name: string;
  readonly displayName: string;
  readonly rollout: RolloutState;
  readonly isPaused: boolean;
  readonly pinnedRevision?: number;
  readonly target: string;
  readonly cells: Readonly<Record<CellState, number>>;
  /** The number of clusters per version, most frequent first; `''` is the version of cells without one. */
  readonly versions: readonly { readonly version: string; readonly count: number }[];
}

/** The cells that are unhealthy for one reason. */
export interface FailureGroup {
  readonly reason: string;
  readonly count: number;
  /** The number of cells per add-on, most frequent first. At most 50 add-ons. */
  readonly addOns: readonly { readonly name: string; readonly count: number }[];
  /** The most frequent messages. Messages that differ only in the name of the cluster are listed once. */
  readonly messages: readonly string[];
  /** The number of different messages that `messages` leaves out. */
  readonly moreMessages: number;
  /** The first few clusters by name. */
  readonly clusters: readonly string[];
}

export interface Attention {
  readonly type:
    | 'halted'
    | 'fleet-paused'
    | 'held'
    | 'paused'
    | 'confirmation'
    | 'approval'
    | 'unreachable'
    | 'certificate'
    | 'pending-cluster';
  readonly addOn?: string;
  readonly cluster?: string;
  /** A one-line description of the problem. */
  readonly text: string;
  readonly since?: Time;
  /** The number of problems in the item. Many problems of one type, such as unreachable clusters, are one item. */
  readonly count: number;
  /** The names of the first clusters, if the item combines the problems of many clusters. */
  readonly clusters?: readonly string[];
  readonly action?: OfferedAction;
}
