import type { OfferedAction } from './actions.js';
import type { CellState, ClusterState, FleetSnapshot, RolloutState } from './fleet.js';

/** The data of all views. */
export type ViewData =
  | FleetSnapshot
  | Summary
  | AddOnPage
  | RolloutPage
  | PlanPage
  | ReplayPage
  | ClusterPage
  | CellPage
  | ActivityPage
  | ObjectPage;

/** `data` as of `sequence`. */
export interface ViewAnswer<Data extends ViewData = ViewData> {
  readonly epoch: string;
  readonly sequence: number;
  readonly data: Data;
}

/** Times are RFC 3339 texts. */
export type Time = string;

// ---- summary ----------------------------------------------------------------------------------------------------------------

/** `/`: the counts of the fleet, and the problems that need user action. Includes only objects that the user may see. */
export interface Summary {
  readonly clusters: Readonly<Record<ClusterState, number>>;
  readonly cells: Readonly<Record<CellState, number>>;
  readonly addOns: readonly AddOnSummary[];
  readonly attention: readonly Attention[];
  /** Whether all rollouts of the fleet are paused together. */
  readonly isFleetPaused: boolean;
  /** Most frequent first; at most 50. */
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

export interface FailureGroup {
  readonly addOn: string;
  readonly reason: string;
  /** One of the messages, as an example. */
  readonly message: string;
  readonly count: number;
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
  /** One line for users. */
  readonly text: string;
  readonly since?: Time;
  /** The number of problems in the item. Many problems of one type, such as unreachable clusters, are one item. */
  readonly count: number;
  /** The first clusters, by name, of an item that combines many. */
  readonly clusters?: readonly string[];
  readonly action?: OfferedAction;
}

// ---- add-on -----------------------------------------------------------------------------------------------------------------

export interface AddOnPage {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly object: ObjectLink;
  readonly strategy: string;
  readonly rollout: RolloutState;
  readonly isPaused: boolean;
  readonly pinnedRevision?: number;
  readonly versions: readonly VersionItem[];
  readonly defaultVersion: string;
  readonly entries: readonly EntrySummary[];
  readonly revisions: readonly RevisionItem[];
  readonly dependencies: DependencyGraph;
  readonly configuration: readonly ConfigurationLayer[];
  /** Each default value in force, with the layer that sets it. */
  readonly values: readonly ProvenanceValue[];
  /** Why values are missing; absent if all were read. */
  readonly valuesProblem?: string;
  readonly rights: readonly HubRight[];
  readonly conditions: readonly ConditionItem[];
  readonly cells: Readonly<Record<CellState, number>>;
  readonly actions: readonly OfferedAction[];
}

export interface VersionItem {
  readonly version: string;
  readonly template: ObjectLink;
  readonly isDefault: boolean;
  readonly clusters: number;
}

export interface EntrySummary extends LaneCounts {
  readonly name: string;
  readonly targetRevision?: number;
  readonly targetVersion: string;
  readonly state: RolloutState;
  readonly message: string;
  readonly startedAt?: Time;
  /** `All`, `Progressive` or `ProgressivePerGroup`. */
  readonly strategy: string;
}

export interface RevisionItem {
  readonly revision: number;
  readonly version: string;
  readonly digest: string;
  readonly targetedAt?: Time;
  readonly configs: readonly string[];
  /** The entries whose target is this revision. */
  readonly entries: readonly string[];
  /** The number of clusters that have this revision now. */
  readonly clusters: number;
  /** The names of the first few of these clusters. */
  readonly names: readonly string[];
  /** When the revision was the target of an entry, and how its rollout ended, newest first. */
  readonly outcomes: readonly TargetOutcome[];
  readonly isPinned: boolean;
  readonly rollBack?: OfferedAction;
}

export interface TargetOutcome {
  readonly entry: string;
  readonly at: Time;
  readonly endedAt?: Time;
  /** `Completed`, `Halted`, `Superseded` or `RolledBack`; `''` while the rollout is in progress. */
  readonly outcome: string;
  /** `Declaration`, `Template`, `Config`, `DefaultVersion`, `Pin` or `Automatic`; `''` if it is not known. */
  readonly cause: string;
  /** The field manager that made the change; `''` if it is not known. */
  readonly by: string;
  readonly selected: number;
  readonly done: number;
  readonly failed: number;
  /** The name of the stored record of its clusters, which `ReplayPage` shows; absent if none is kept. */
  readonly record?: string;
}

/** The add-on with its transitive dependencies and dependents. */
export interface DependencyGraph {
  readonly nodes: readonly { readonly name: string; readonly isDeclared: boolean }[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly isRequired: boolean }[];
}

/** One layer. `entry` overrides `default`, and `cluster` overrides both. */
export interface ConfigurationLayer {
  readonly layer: 'default' | 'entry' | 'cluster';
  /** The entry or the cluster; `''` for the default. */
  readonly of: string;
  readonly configs: readonly { readonly resource: string; readonly object: ObjectLink; readonly isInForce: boolean }[];
}

export interface ProvenanceValue {
  readonly path: string;
  readonly value: string;
  readonly layer: 'default' | 'entry' | 'cluster';
  readonly of: string;
  /** The entries in which the value is in force; `''` means all entries. */
  readonly scope: string;
  readonly object: ObjectLink;
}

export interface HubRight {
  readonly template: string;
  /** The namespace in which the permission applies, or `cluster` for the cluster's namespace. */
  readonly scope: string;
  readonly role: string;
  readonly signer: string;
}

// ---- rollout ----------------------------------------------------------------------------------------------------------------

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
  readonly timeline: readonly ActivityItem[];
  readonly failures: readonly FailureGroup[];
  readonly actions: readonly OfferedAction[];
}

export interface Forecast {
  /** Absent if the end cannot be estimated; `message` then gives the reason. */
  readonly endsAt?: Time;
  readonly message: string;
}

/** The recorded progress of the rollout to the current targets: when each cluster reached its target or failed. */
export interface Progress {
  readonly startedAt?: Time;
  readonly selected: number;
  /** At most 200 points, in order of time. Each point is valid from its time on. */
  readonly points: readonly { readonly at: Time; readonly done: number; readonly failed: number }[];
}

/** `/api/addons/<a>/plan?revision=<n>`: the effects of a rollback to the revision. */
export interface PlanPage {
  readonly addOn: string;
  readonly revision: number;
  readonly version: string;
  /** Among the clusters that the user may see, the number that would move to the revision, and the number that already have its content. */
  readonly moving: number;
  readonly staying: number;
  /** Clusters with an override of the version or configuration. */
  readonly overridden: number;
  /** The changes on one cluster, as an example; absent if no cluster moves or the difference cannot be computed. */
  readonly example?: { readonly cluster: string; readonly changes: readonly ManifestDiff[] };
  /** Why there is no example. */
  readonly problem?: string;
  /** The answer of `outrigger plan` with the user's own permissions; absent if it cannot be computed. */
  readonly forecast?: PlanForecast;
  /** Why there is no forecast. */
  readonly forecastProblem?: string;
  /** Set while the forecast is being computed: the time at which the computation started. The browser requests the page again. */
  readonly planningSince?: Time;
}

/** The forecast of `outrigger plan` for a change. */
export interface PlanForecast {
  /** The time at which the rollout is assumed to start. */
  readonly from: Time;
  readonly entries: readonly PlannedEntry[];
  /** The end of the last entry; absent if the rollout does not end. */
  readonly end?: PlannedEnd;
  /** The durations that the times are based on, in seconds. */
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
  /** How the rollout ends if every move takes the median time; absent if the entry has no target. */
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
  /** The approval gate to whose opening the times are relative. */
  readonly after?: { readonly gate: string; readonly seconds: number };
}

export interface PlannedGate {
  readonly kind: string;
  readonly name: string;
  readonly group?: string;
  readonly at: Time;
  /** Absent if the gate does not open without a decision. */
  readonly opensAt?: Time;
  readonly clusters: number;
  readonly message?: string;
}

export interface PlannedRight {
  readonly where: 'hub' | 'cluster';
  readonly subject: string;
  readonly verb: string;
  readonly resource: string;
  /** Empty for all namespaces. */
  readonly namespace: string;
  readonly resourceName?: string;
  readonly clusters: number;
}

/** `/api/addons/<a>/records/<record>`: the stored record of a target that ended. It never changes, so streams do not follow it. */
export interface ReplayPage {
  readonly addOn: string;
  readonly entry: string;
  readonly revision: number;
  readonly version: string;
  readonly startedAt: Time;
  readonly endedAt: Time;
  /** `Completed`, `Halted`, `Superseded` or `RolledBack`. */
  readonly outcome: string;
  /** The clusters that the user may see, by the group to which they belong now; `''` if they belong to none. */
  readonly groups: readonly { readonly name: string; readonly clusters: readonly RecordedCluster[] }[];
  /** The number of clusters that the record does not list because its size is limited. */
  readonly omitted: number;
}

/** A cluster with its outcome. Times are absent if the cluster was not admitted to this target, or if its admission is not recorded. */
export type RecordedCluster = Pick<LaneCluster, 'name' | 'phase' | 'reason' | 'admittedAt' | 'endedAt'>;

export interface LaneCounts {
  readonly selected: number;
  readonly waiting: number;
  readonly inFlight: number;
  readonly soaking: number;
  readonly done: number;
  readonly failed: number;
  readonly skipped: number;
  readonly parked: number;
}

export const LANE_PHASES = ['waiting', 'inFlight', 'soaking', 'done', 'failed', 'skipped', 'parked'] as const;
export type LanePhase = (typeof LANE_PHASES)[number];

/** How the rollout of an entry compares with the prediction that the hub stored when it started. */
export interface LaneSlip {
  readonly p50: Time;
  readonly p90: Time;
  /** The time past p90 without the time in `waitedMs`, in milliseconds; 0 if the rollout is on time. */
  readonly lateMs: number;
  /** How long the rollout waited for approvals, in milliseconds; absent if it did not wait. */
  readonly waitedMs?: number;
  /** When the rollout ended; absent while it continues. */
  readonly endedAt?: Time;
}

export interface RolloutLane extends EntrySummary {
  /** Absent if the hub stored no prediction. */
  readonly slip?: LaneSlip;
  /** The budget: the maximum number of clusters in flight; absent if there is no limit. */
  readonly slots?: number;
  /** The number of clusters that may fail before the rollout halts; absent if there is no such number for the whole entry. */
  readonly failureBudget?: number;
  /** How long a cluster must stay available after its move, in milliseconds. */
  readonly soakMs: number;
  /** The gates for which the rollout waits: windows, approvals and analyses. */
  readonly gates: readonly Gate[];
  readonly groups: readonly LaneGroup[];
  /** The name of the stored record of the entry's target, once the target has ended; absent if none is kept. */
  readonly record?: string;
}

/** A gate between the waiting clusters and those in flight, or a note about the entry's target. */
export interface Gate {
  /** `Window`, `Approval`, `Analysis`, `Policies`, `Clock`, `Rejected` or `Rolled back`. */
  readonly type: string;
  /** `<policy>/<gate>`; `''` if it belongs to no policy. */
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
  /** `''` if the entry has no groups. */
  readonly name: string;
  /** The clusters in name order, at most 200 per phase. `LaneCounts` contains the full numbers. */
  readonly clusters: readonly LaneCluster[];
}

export interface LaneCluster {
  readonly name: string;
  readonly phase: LanePhase;
  readonly version: string;
  readonly since?: Time;
  /** When the soak of the cluster, or the deadline of a failing cluster, ends. */
  readonly until?: Time;
  readonly admittedAt?: Time;
  /** When the cluster reached the target or failed. */
  readonly endedAt?: Time;
  readonly reason: string;
}

// ---- cluster and cell -------------------------------------------------------------------------------------------------------

export interface ClusterPage {
  readonly name: string;
  readonly object: ObjectLink;
  readonly state: ClusterState;
  readonly labels: Readonly<Record<string, string>>;
  readonly claims: readonly { readonly name: string; readonly value: string }[];
  readonly taints: readonly { readonly key: string; readonly value: string; readonly effect: string }[];
  readonly kubernetes: string;
  readonly conditions: readonly ConditionItem[];
  readonly lease?: { readonly renewedAt?: Time };
  /** In dependency order, so that an add-on comes after its dependencies. */
  readonly addOns: readonly ClusterAddOn[];
  /** The works; absent if the user may not read them. */
  readonly works?: readonly WorkItem[];
  readonly events: readonly ActivityItem[];
}

export interface ClusterAddOn {
  readonly name: string;
  readonly dependsOn: readonly string[];
  readonly state: CellState;
  readonly version: string;
  readonly target: string;
  readonly reason: string;
  /** Whether the add-on's version or configuration differs from the most frequent one among the clusters that the user may see. */
  readonly differsFromFleet: boolean;
}

export interface CellPage {
  readonly cluster: string;
  readonly addOn: string;
  readonly object?: ObjectLink;
  readonly state: CellState;
  readonly version: string;
  readonly target: string;
  readonly revision?: number;
  /** The explanation of `outrigger why`, from the declaration to the cause. */
  readonly why: WhyChain;
  readonly conditions: readonly ConditionItem[];
  readonly values: readonly ProvenanceValue[];
  readonly configuration: readonly ConfigurationLayer[];
  readonly registrations: readonly RegistrationItem[];
  /** Absent if the user may not read ManifestWorks. */
  readonly works?: readonly WorkItem[];
  /** The manifests in the works, compared with the previous revision and with the target, as far as they are known. */
  readonly diffs?: CellDiffs;
  /** Why there are no differences to show. */
  readonly diffsProblem?: string;
  readonly valuesProblem?: string;
}

export interface WhyChain {
  /** `available`, `absent`, `waiting`, `blocked`, `unavailable` or `removing`. */
  readonly verdict: string;
  /** The state of the cell, with the verdict after it if that says more; the same words as in the output of `outrigger why`. */
  readonly headline: string;
  readonly links: readonly WhyLink[];
}

export interface WhyLink {
  readonly type: 'ok' | 'wait' | 'stop' | 'note';
  readonly text: string;
  readonly hint?: string;
  readonly object?: ObjectLink;
  readonly isCause: boolean;
}

export interface ConditionItem {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly since?: Time;
}

export interface RegistrationItem {
  readonly type: string;
  readonly signer: string;
  readonly user: string;
  readonly groups: readonly string[];
  /** The time from which the client certificate that the agent reports is valid. The next field is the time until which it is valid. */
  readonly issuedAt?: Time;
  readonly expiresAt?: Time;
  /** The problem that the conditions report; `''` if there is none. */
  readonly problem: string;
}

export interface WorkItem {
  readonly name: string;
  readonly addOn: string;
  readonly object: ObjectLink;
  readonly conditions: readonly ConditionItem[];
  readonly manifests: readonly ManifestItem[];
}

export interface ManifestItem {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly conditions: readonly ConditionItem[];
  readonly feedback: readonly { readonly name: string; readonly value: string }[];
  /** The manifest as YAML, with Secret data masked. Only the cell page has it; elsewhere it is `''`. */
  readonly yaml: string;
  /** Whether the content of the manifest is left out because the manifests on the page are too large in total. */
  readonly isLeftOut?: boolean;
}

export interface CellDiffs {
  /** The difference from the previous revision to the works; absent if it is not known. */
  readonly previous?: RevisionDiff;
  /** The difference from the works to the target; absent if the cluster has the target. */
  readonly target?: RevisionDiff;
}

export interface RevisionDiff {
  readonly revision: number;
  readonly version: string;
  readonly changes: readonly ManifestDiff[];
}

export interface ManifestDiff {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly lines: readonly DiffLine[];
}

export interface DiffLine {
  /** `…` stands for unchanged lines that are left out. */
  readonly mark: ' ' | '+' | '-' | '…';
  readonly text: string;
}

// ---- activity and objects ---------------------------------------------------------------------------------------------------

export interface ActivityPage {
  readonly items: readonly ActivityItem[];
  /** The start of the recorded period. By default Kubernetes deletes Events after an hour. */
  readonly reachesBackTo?: Time;
  readonly hasMore: boolean;
}

export interface ActivityItem {
  readonly id: string;
  readonly at: Time;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly addOn?: string;
  readonly cluster?: string;
  /** The program or user that reported the activity. */
  readonly by: string;
  readonly count: number;
  readonly object?: ObjectLink;
}

export interface ObjectLink {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
}

export interface ObjectPage {
  readonly object: ObjectLink;
  /** The object as YAML. Secret data is masked wherever it occurs. */
  readonly yaml: string;
  /** The objects that this object references, each with the line number of the reference in the YAML, starting at 0. */
  readonly references: readonly { readonly line: number; readonly object: ObjectLink }[];
}
