import type { Difference } from './differences.js';
import type { Obstacle } from './obstacles.js';
import type { Right } from './rights/rights.js';
import type { RunResult } from './entry-run.js';
import type { Standing } from './who.js';

/**
 * The certainty of a statement. `known`: it follows from the objects that are on the hub now. `assumed`: it follows from recorded durations
 * or a stated assumption. `unknown`: no object on the hub shows it.
 */
export type Certainty = 'known' | 'assumed' | 'unknown';

/**
 * The predicted course of a change and its rollout, computed from one listing of the hub. The computation writes nothing. Times are in RFC
 * 3339 format, durations in seconds.
 */
export interface Plan {
  readonly addOn: string;
  /** The change, for people. */
  readonly change: string;
  /** The time from which the rollout is assumed to start. */
  readonly from: string;
  readonly entries: readonly EntryPlan[];
  readonly removals: RemovalPlan | undefined;
  readonly differences: readonly Difference[];
  readonly rights: { readonly gained: readonly Right[]; readonly lost: readonly Right[]; readonly unknown: readonly string[] };
  readonly durations: DurationsUsed;
  /** The predicted end of the last rollout; undefined if a rollout does not end in every seeded run. */
  readonly end: EndForecast | undefined;
  readonly failure: FailureForecast | undefined;
  readonly inTheWay: readonly Obstacle[];
  /** Questions that the plan cannot answer, because no object on the hub shows the answer. */
  readonly notKnown: readonly string[];
}

export interface EntryPlan {
  /** `<namespace>/<name>` of the Placement, `labelSelector`, or `default`. */
  readonly name: string;
  /** The target of the entry; undefined if the entry has none. */
  readonly target: { readonly revision: number; readonly version: string; readonly isNew: boolean } | undefined;
  readonly groups: readonly GroupSummary[];
  readonly waves: readonly WavePlan[];
  readonly gates: readonly GatePlan[];
  /** How the rollout ends if every move takes the median time. */
  readonly outcome: RunResult['outcome'] | undefined;
  readonly end: EndForecast | undefined;
}

/** The clusters of a group, sorted by how the change affects them. */
export type GroupSummary = { readonly name: string; readonly certainty: Certainty } & Readonly<Record<Standing, readonly string[]>>;

export interface WavePlan {
  readonly group: string;
  readonly startAt: string;
  readonly endAt: string;
  readonly clusters: readonly string[];
  /**
   * The approval gate on which the times depend, and the seconds from its opening to the start of the wave. Absent if the times depend on
   * no approval gate.
   */
  readonly after?: { readonly gate: string; readonly seconds: number };
  readonly certainty: Certainty;
}

export interface GatePlan {
  readonly kind: string;
  readonly name: string;
  readonly group?: string;
  /** When the gate starts to hold clusters. */
  readonly at: string;
  /** When the gate opens; absent if it does not open without a decision. */
  readonly opensAt?: string;
  readonly clusters: number;
  readonly message?: string;
  readonly certainty: Certainty;
}

export interface EndForecast {
  readonly p50: string;
  readonly p90: string;
  readonly runs: number;
  readonly certainty: Certainty;
}

export interface DurationsUsed {
  readonly source: 'recorded' | 'default';
  /** The number of recorded moves. */
  readonly n: number;
  /** The number of recorded moves that failed. For these, only a lower bound of the duration is known. */
  readonly censored: number;
  readonly p50: number;
  readonly p90: number;
  readonly certainty: Certainty;
}

export interface FailureForecast {
  /** Describes the assumption for people. */
  readonly assumption: string;
  readonly runs: number;
  /** The number of runs in which the rollout halts. `turnedBack` is the number of runs in which a policy rolls the rollout back. */
  readonly halted: number;
  readonly turnedBack: number;
  /** The number of clusters that were admitted when the rollout stopped. */
  readonly touched: { readonly p50: number; readonly p99: number; readonly max: number };
  /** The group in which most of the simulated runs stop. A run stops in the group from which it last admitted clusters. */
  readonly stopsIn: string | undefined;
  /** The median time from the start until the rollout stops, in seconds. */
  readonly stopsAfter: number | undefined;
  readonly certainty: Certainty;
}

export interface RemovalPlan {
  readonly clusters: readonly string[];
  /** Whether the removal guard requires a confirmation. */
  readonly needsConfirmation: boolean;
  readonly of: number;
  readonly certainty: Certainty;
}
