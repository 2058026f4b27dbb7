import type { OfferedAction } from '../actions.js';
import type { RolloutState } from '../fleet.js';
import type { ActivityGroup } from './activity.js';
import type { EntrySummary, RevisionItem } from './add-on.js';
import type { FailureGroup } from './summary.js';
import type { LaneCounts, ObjectLink, Time } from './values.js';

export interface RolloutPage {
  readonly addOn: string;
  readonly state: RolloutState;
  readonly isPaused: boolean;
  readonly pinnedRevision?: number;
  readonly target: string;
  readonly entries: readonly RolloutLane[];
  readonly pendingRemoval?: { readonly count: number; readonly of: number };
  /** Whether all rollouts of the fleet are paused together. */
  readonly isFleetPaused: boolean;
  readonly forecast: Forecast;
  readonly progress: Progress;
  readonly history: readonly RevisionItem[];
  readonly timeline: readonly ActivityGroup[];
  readonly failures: readonly FailureGroup[];
  readonly actions: readonly OfferedAction[];
}

export interface Forecast {
  /** The expected end; absent if it cannot be estimated. `message` then gives the reason. */
  readonly endsAt?: Time;
  readonly message: string;
}

/** The recorded progress of the rollout to the current targets: the times at which clusters succeeded or failed. */
export interface Progress {
  readonly startedAt?: Time;
  readonly selected: number;
  /** At most 200 points, in order of time. The numbers of a point are valid until the next point. */
  readonly points: readonly { readonly at: Time; readonly done: number; readonly failed: number }[];
}

/** `/api/addons/<a>/records/<record>`: the stored record of a target that ended. It never changes, so streams do not follow it. */
export interface ReplayPage {
  readonly addOn: string;
  readonly entry: string;
  readonly revision: number;
  readonly version: string;
  readonly startedAt: Time;
  readonly endedAt: Time;
  /** The outcome: `Completed`, `Halted`, `Superseded` or `RolledBack`. */
  readonly outcome: string;
  /** The clusters that the user may see, by the group to which they belong now; `''` if they belong to none. */
  readonly groups: readonly { readonly name: string; readonly clusters: readonly RecordedCluster[] }[];
  /** The number of clusters that the record does not list because its size is limited. */
  readonly omitted: number;
}

/** A cluster with its outcome. Times are absent if the cluster was not admitted to this target, or if its admission is not recorded. */
export type RecordedCluster = Pick<LaneCluster, 'name' | 'phase' | 'reason' | 'admittedAt' | 'endedAt'>;

export const LANE_PHASES = ['waiting', 'inFlight', 'soaking', 'done', 'failed', 'skipped', 'parked'] as const;
export type LanePhase = (typeof LANE_PHASES)[number];

/** The rollout of an entry, compared with the prediction that the hub stored at the start of the rollout. */
export interface LaneSlip {
  readonly p50: Time;
  readonly p90: Time;
  /**
   * The slip in milliseconds: the time since `p90`, up to the end of the rollout or the present, minus `waitedMs`; 0 if the rollout is on
   * time.
   */
  readonly lateMs: number;
  /** The time in milliseconds for which the rollout waited for approvals; absent if it did not wait. */
  readonly waitedMs?: number;
  /** The time at which the rollout ended; absent while the rollout is in progress. */
  readonly endedAt?: Time;
}

export interface RolloutLane extends EntrySummary {
  /** The slip of the rollout; absent if the hub stored no prediction. */
  readonly slip?: LaneSlip;
  /** The budget: the maximum number of clusters in flight; absent if there is no limit. */
  readonly slots?: number;
  /** The number of clusters that may fail before the rollout halts; absent if there is no such number for the whole entry. */
  readonly failureBudget?: number;
  /** The soak in milliseconds. */
  readonly soakMs: number;
  /** The gates for which the rollout waits: windows, approvals and analyses. */
  readonly gates: readonly Gate[];
  readonly groups: readonly LaneGroup[];
  /** The name of the stored record of the entry's target, once the target has ended; absent if none is kept. */
  readonly record?: string;
}

/** A gate between the waiting clusters and those in flight, or a note about the entry's target. */
export interface Gate {
  /** The type of the gate or note: `Window`, `Approval`, `Analysis`, `Policies`, `Clock`, `Rejected` or `Rolled back`. */
  readonly type: string;
  /** `<policy>/<gate>`; `''` if the gate belongs to no policy. */
  readonly name: string;
  /** The group of clusters that the gate holds; `''` means the whole entry. */
  readonly group: string;
  readonly isOpen: boolean;
  readonly message: string;
  readonly since?: Time;
  readonly until?: Time;
  readonly policy?: ObjectLink;
  /** The measurements of an analysis so far. */
  readonly measurements?: Measurements;
  readonly actions: readonly OfferedAction[];
}

export interface Measurements {
  readonly passed: number;
  readonly failed: number;
  readonly inconclusive: number;
}

export interface LaneGroup extends LaneCounts {
  readonly failureBudget?: number;
  /** The name of the group; `''` if the entry has no groups. */
  readonly name: string;
  /** The clusters in name order, at most 200 per phase. `LaneCounts` contains the full numbers. */
  readonly clusters: readonly LaneCluster[];
}

export interface LaneCluster {
  readonly name: string;
  readonly phase: LanePhase;
  readonly version: string;
  readonly since?: Time;
  /** The end of the cluster's soak, or the deadline of a failing cluster. */
  readonly until?: Time;
  readonly admittedAt?: Time;
  /** The time at which the cluster succeeded or failed. */
  readonly endedAt?: Time;
  readonly reason: string;
}
