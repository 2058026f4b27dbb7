import type { ManifestDiff } from './cell.js';
import type { Time } from './values.js';

/** `/api/addons/<a>/plan?revision=<n>`: the effects of a rollback to the revision. */
export interface PlanPage {
  readonly addOn: string;
  readonly revision: number;
  readonly version: string;
  /**
   * The number of clusters that would move to the revision. `staying` is the number of clusters that already have the content of the
   * revision. Both numbers include only clusters that the user may see.
   */
  readonly moving: number;
  readonly staying: number;
  /** Clusters with an override of the version or configuration. */
  readonly overridden: number;
  /** The changes on one cluster, as an example; absent if no cluster moves or the difference cannot be computed. */
  readonly example?: { readonly cluster: string; readonly changes: readonly ManifestDiff[] };
  /** The reason why there is no example. */
  readonly problem?: string;
  /** The plan that `outrigger plan` computes with the user's own permissions; absent if it cannot be computed. */
  readonly forecast?: PlanForecast;
  /** The reason why there is no forecast. */
  readonly forecastProblem?: string;
  /**
   * The time at which the computation of `forecast` was requested; absent unless the computation is still in progress. The browser then
   * requests the page again.
   */
  readonly planningSince?: Time;
}

/** The plan that `outrigger plan` computes for a change. */
export interface PlanForecast {
  /** The time at which the rollout is assumed to start. */
  readonly from: Time;
  readonly entries: readonly PlannedEntry[];
  /** The end of the last entry; absent if the rollout does not end. */
  readonly end?: PlannedEnd;
  /** The durations from which the times are computed, in seconds. */
  readonly durations: { readonly source: 'recorded' | 'default'; readonly n: number; readonly p50: number; readonly p90: number };
  readonly rights: {
    readonly gained: readonly PlannedRight[];
    readonly lost: readonly PlannedRight[];
    /** Roles whose rules the user may not read. */
    readonly unknown: readonly string[];
  };
  /** The obstacles to the change. */
  readonly inTheWay: readonly { readonly message: string; readonly clusters: number }[];
  readonly notKnown: readonly string[];
}

export interface PlannedEnd {
  readonly p50: Time;
  readonly p90: Time;
  readonly runs: number;
}

export interface PlannedEntry {
  readonly name: string;
  /** The outcome of the rollout if every move takes the median time; absent if the entry has no target. */
  readonly outcome?: string;
  readonly end?: PlannedEnd;
  /** At most 40 waves: the first ones and the last one. */
  readonly waves: readonly PlannedWave[];
  /** The number of waves between the first ones and the last one that are left out. */
  readonly hiddenWaves: number;
  readonly gates: readonly PlannedGate[];
}

export interface PlannedWave {
  readonly group: string;
  readonly startAt: Time;
  readonly endAt: Time;
  readonly clusters: number;
  /** The first clusters of the wave, at most 5. */
  readonly names: readonly string[];
  /**
   * The approval gate on whose opening the times depend, and the seconds from the opening until the wave starts; absent if the times depend
   * on no gate.
   */
  readonly after?: { readonly gate: string; readonly seconds: number };
}

export interface PlannedGate {
  readonly kind: string;
  readonly name: string;
  readonly group?: string;
  readonly at: Time;
  /** The time at which the gate opens; absent if it opens only after a user's decision. */
  readonly opensAt?: Time;
  readonly clusters: number;
  readonly message?: string;
}

export interface PlannedRight {
  readonly where: 'hub' | 'cluster';
  readonly subject: string;
  readonly verb: string;
  readonly resource: string;
  /** The namespace of the permission; empty for all namespaces. */
  readonly namespace: string;
  readonly resourceName?: string;
  readonly clusters: number;
}
