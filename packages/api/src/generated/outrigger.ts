// Written by tools/gen from packages/api: change the definitions there and run `npm run gen`.
import type { Condition, KubeObject, LabelSelector } from '@outrigger/core';

/** The state of the rollouts of one add-on. Users pause, pin and confirm rollouts in its spec. The manager creates one for each ClusterManagementAddOn, with the same name. */
export interface AddOnRollout extends KubeObject {
  /** What is asked for. */
  readonly spec?: AddOnRolloutSpec;
  /** The targets and admissions of the rollout. */
  readonly status?: AddOnRolloutStatus;
}

/** Gates for the rollouts of add-ons: windows, approvals and measurements. Gates of all policies that govern an add-on add up; a gate only prevents admissions. */
export interface RolloutPolicy extends KubeObject {
  /** The gates, and the add-ons that they govern. */
  readonly spec: RolloutPolicySpec;
}

/** A decision of a user about a gate of a RolloutPolicy. Owned by the AddOnRollout of the add-on. */
export interface RolloutApproval extends KubeObject {
  /** The decision. */
  readonly spec: RolloutApprovalSpec;
}

/** The requests of users about the rollouts of one add-on. */
export interface AddOnRolloutSpec {
  /** Admit no further cluster. Clusters in flight continue. */
  readonly paused?: boolean;
  /** The stored revision that is the target of every cluster while this is set. See status.history. */
  readonly pinnedRevision?: number;
  /** The stored revisions that are the targets of single entries. They take precedence over pinnedRevision. */
  readonly pinnedEntries?: readonly PinnedEntry[];
  /** Allows the installer to remove this many add-ons at once. It must equal the number in the condition TargetsResolved of the ClusterManagementAddOn. */
  readonly confirmRemoval?: number;
}

/** The revision to which one entry of the install strategy is pinned. */
export interface PinnedEntry {
  /** Name of the entry, as in status.entries[].name. */
  readonly name: string;
  /** A revision of status.history. */
  readonly revision: number;
}

/** The state of the rollouts of one add-on. Only the add-on manager writes it. */
export interface AddOnRolloutStatus {
  /** The format of this record. A manager that does not know the number changes nothing and admits no cluster. */
  readonly formatVersion?: number;
  /** The generation of the spec that this status describes. */
  readonly observedGeneration?: number;
  /** The target of the fleet, for users: version and revision. */
  readonly target?: string;
  /** Clusters that belong to it. */
  readonly selected?: number;
  /** Clusters that have reached the target. */
  readonly done?: number;
  /** Clusters in flight. */
  readonly progressing?: number;
  /** Clusters that did not reach the target. */
  readonly failed?: number;
  /** Clusters left out because they are not available. */
  readonly skipped?: number;
  /** `Pending` waits for its clusters to be known, `Progressing` moves them, `Completed` has nothing to do, `Paused` admits no cluster until a user resumes it, `Halted` met too many failures. */
  readonly state?: 'Pending' | 'Progressing' | 'Completed' | 'Paused' | 'Halted';
  /** One rollout per entry of the install strategy. */
  readonly entries?: readonly RolloutEntry[];
  /** The last ten targets and all that are in use, newest first. */
  readonly history?: readonly RolloutTarget[];
  /** Whether the revisions that add-ons had before this record was created are stored in their annotation `outrigger.dev/revision`. Their statuses are then not read again. */
  readonly revisionsImported?: boolean;
  /** Names of the RolloutPolicies that govern the add-on. */
  readonly policies?: readonly string[];
  /** Removals that wait for `spec.confirmRemoval`. */
  readonly pendingRemoval?: PendingRemoval;
  /** Reserved for facts that the state does not show. */
  readonly conditions?: readonly Condition[];
}

/** The rollout of one entry of the install strategy. */
export interface RolloutEntry {
  /** `<namespace>/<name>` of the Placement, `labelSelector`, or `default` for clusters no entry selects. */
  readonly name: string;
  /** The target of the clusters of the entry. */
  readonly targetRevision?: number;
  /** The target of add-ons that the installer did not create; it does not contain the entry's addonTemplate. Absent if it equals the target. */
  readonly handMadeRevision?: number;
  /** The target of add-ons whose configs a user overrides; it does not contain the configs of the entry's addonTemplate. Absent if it equals the target. */
  readonly ownConfigsRevision?: number;
  /** The last revision whose rollout completed in this entry. Clusters that join during a pause get it. */
  readonly completedRevision?: number;
  /** When the rollout to the target started. */
  readonly startedAt?: string;
  /** The clusters in flight. No other cluster may move to the target. */
  readonly inFlight?: readonly InFlightCluster[];
  /** The last known clusters of the entry, by name. While the entry is unknown, they may belong to it. A wildcard admission (`*`) covers them. */
  readonly members?: readonly string[];
  /** Clusters that belong to it. */
  readonly selected?: number;
  /** Clusters that have reached the target. */
  readonly done?: number;
  /** Clusters in flight. */
  readonly progressing?: number;
  /** Clusters that did not reach the target. */
  readonly failed?: number;
  /** Clusters left out because they are not available. */
  readonly skipped?: number;
  /** Clusters, by name, whose move to the target failed and whose health counts. They are no longer in flight, and count as failed until they have been done and available for minSuccessTime, or the target changes. */
  readonly unhealthy?: readonly string[];
  /** Clusters, by name, whose move to the target failed and whose health does not count. They are no longer in flight, and count as failed until they have been done for minSuccessTime, or the target changes. */
  readonly failedWithoutHealth?: readonly string[];
  /** Clusters that count as done although the add-on was available neither before nor after the move. */
  readonly unhealthyBefore?: number;
  /** Clusters that are parked: in flight, unreachable, and without a slot. */
  readonly parked?: number;
  /** The state of the rollout of this entry. */
  readonly state?: 'Pending' | 'Progressing' | 'Completed' | 'Paused' | 'Halted';
  /** The same for people. */
  readonly message?: string;
  /** The changes of the target, newest first: the last 20, and in addition the latest that completed and is a way back. */
  readonly timeline?: readonly TargetChange[];
  /** The gates that hold clusters of the entry. */
  readonly waitingFor?: readonly RolloutWait[];
  /** The approval gates that have opened for the target. */
  readonly openedGates?: readonly OpenedGate[];
  /** The latest measurements, at most 20. */
  readonly analysis?: readonly AnalysisState[];
  /** Rejected content, which does not become the target of the entry until the content changes or a user retries it. */
  readonly rejected?: readonly RejectedContent[];
  /** The time since which more clusters have failed than maxFailures tolerates, if a policy rolls back in this case. It does so after 60 seconds. */
  readonly failedSince?: string;
  /** The moves that have ended, by cluster, until the rollout to the target ends: `<seconds from startedAt to the admission>+<seconds until it was done>`, with `!` after it if the cluster failed. When the target ends, they are stored in a ControllerRevision. */
  readonly moves?: Readonly<Record<string, string>>;
  /** The expected end of the rollout to the target. */
  readonly prediction?: RolloutPrediction;
  /** The automatic rollback of the entry, while its target is the result of one. */
  readonly rolledBack?: RollBack;
}

/** A cluster in flight: admitted to a revision, and not yet succeeded or failed. */
export interface InFlightCluster {
  /** Name of the cluster; `*` means every cluster of the entry. */
  readonly cluster: string;
  /** The revision it was admitted to. */
  readonly revision: number;
  /** When it was admitted. */
  readonly admittedAt: string;
  /** The time since which it is parked: unreachable, without a slot. */
  readonly parkedSince?: string;
  /** Only with `*`: names of clusters that a gate holds; `gate:<policy>/<name>` stands for all clusters of the gate. */
  readonly except?: readonly string[];
  /** The add-on was not available at the admission of the cluster and has not been available since, so minSuccessTime counts from the time at which it is done. */
  readonly unhealthyBefore?: boolean;
}

/** A change of the target of an entry, and how the rollout to the new target ended. */
export interface TargetChange {
  /** When the target changed. */
  readonly at: string;
  /** The previous target; absent for the first target of the entry. */
  readonly from?: number;
  /** The revision that became the target. */
  readonly to: number;
  /** The change that led to the new target: `Declaration` the ClusterManagementAddOn, `Template` or `Config` the content of a referenced object, `DefaultVersion` a template that offers a newer default version, `Pin` spec.pinnedRevision was set, changed or removed, `Automatic` the manager itself. Absent if it is not known. */
  readonly cause?: 'Declaration' | 'Template' | 'Config' | 'DefaultVersion' | 'Pin' | 'Automatic';
  /** The spec pins the target; false after the pin was removed and the declaration requests the same target. A change with the cause `Pin` without this is the end of a pin. */
  readonly pinned?: boolean;
  /** The field manager that made the change, if managedFields of the changed object names it. */
  readonly manager?: string;
  /** How it ended: `Completed` reached every available cluster and at least one, `Halted` had more failures than maxFailures, `Superseded` was replaced before its end, `RolledBack` was replaced before its end by a target that completed earlier. Absent while the rollout continues. */
  readonly outcome?: 'Completed' | 'Halted' | 'Superseded' | 'RolledBack';
  /** When the outcome was recorded. */
  readonly endedAt?: string;
  /** Clusters of the entry when it ended, or now. */
  readonly selected?: number;
  /** Clusters that reached the target until then. */
  readonly done?: number;
  /** Clusters that failed until then. */
  readonly failed?: number;
  /** Clusters left out until then because they were not available. */
  readonly skipped?: number;
  /** How long the clusters that reached the target took. Absent if no cluster moved. */
  readonly durations?: MoveDurations;
  /** Name of the ControllerRevision in the manager's namespace that keeps admission, outcome and duration of each cluster. Only if a RolloutPolicy governed the add-on when the target ended. */
  readonly record?: string;
}

/** How long clusters took from their admission until the add-on reported the target as done, in seconds. The soak (minSuccessTime) is not part of it. */
export interface MoveDurations {
  /** Half of the clusters took at most this long. */
  readonly p50: number;
  /** Nine in ten clusters took at most this long. */
  readonly p90: number;
  /** No cluster took longer. */
  readonly max: number;
  /** While the target goes on: the durations so far, shortest first, at most 20; close ones are merged. */
  readonly values?: readonly MoveDuration[];
}

/** How many clusters took about this long. */
export interface MoveDuration {
  /** The duration. */
  readonly seconds: number;
  /** The number of clusters. */
  readonly clusters: number;
}

/** A gate that holds clusters of an entry. */
export interface RolloutWait {
  /** The kind of gate; `Policies` means that the policies are not readable, `Clock` that the manager cannot trust its clock. */
  readonly kind: 'Window' | 'Approval' | 'Analysis' | 'Policies' | 'Clock';
  /** `<policy>/<name>` of the gate. */
  readonly name: string;
  /** The group of clusters that it holds, if it is about one group. */
  readonly group?: string;
  /** `Remove`: it holds removals of the add-on. Absent: it holds admissions. */
  readonly operation?: 'Remove';
  /** The time since which it holds clusters. */
  readonly since?: string;
  /** When it opens without a decision, if that is known. */
  readonly until?: string;
  /** The same for people. */
  readonly message?: string;
  /** How many clusters it holds. */
  readonly clusters?: number;
  /** Digest of the gate's definition: a changed definition that no longer holds opens 5 minutes later. */
  readonly digest?: string;
  /** Earlier approvals no longer count, because the number of clusters behind the gate grew by more than a fifth. */
  readonly approvalsSince?: string;
  /** It is a window that also holds installations, even of the last completed revision. */
  readonly holdsInstalls?: boolean;
  /** The gate was removed or loosened while it held clusters; it opens at `until`. */
  readonly loosened?: boolean;
}

/** An approval gate that has opened for the target, or that has approvals for it. */
export interface OpenedGate {
  /** `<policy>/<name>` of the gate. */
  readonly name: string;
  /** The group that it is about. */
  readonly group?: string;
  /** The revision that it opened for. */
  readonly revision: number;
  /** How many clusters were behind it at the first approval. If there are many more later, it requires new approvals. */
  readonly clusters: number;
  /** It is not open: approvals are missing, or more clusters are behind it than were approved. */
  readonly closed?: boolean;
  /** It opened after its `wait`, without an approval. */
  readonly byTime?: boolean;
  /** Since when it held clusters until it was approved. Absent if it held none. */
  readonly heldSince?: string;
  /** When it was approved. Absent if it held no cluster before. */
  readonly openedAt?: string;
  /** Earlier approvals no longer count, because the number of clusters behind the gate grew by more than a fifth. */
  readonly approvalsSince?: string;
}

/** The measurements of one analysis for one group. */
export interface AnalysisState {
  /** `<policy>/<name>` of the analysis. */
  readonly name: string;
  /** The group that was measured. */
  readonly group?: string;
  /** The revision that was measured. */
  readonly revision: number;
  /** Measurements that passed. */
  readonly passed?: number;
  /** Measurements that failed. */
  readonly failed?: number;
  /** Measurements without a result. */
  readonly inconclusive?: number;
  /** When the group's first cluster was admitted. `compare` uses it for clusters whose own admission is not recorded. */
  readonly admittedAt?: string;
  /** The time since which all clusters of the group are admitted. The first measurement follows after `initialDelay`. */
  readonly since?: string;
  /** The last result. */
  readonly result?: 'Pass' | 'Fail' | 'Inconclusive';
  /** When the last measurement was taken. */
  readonly at?: string;
  /** The last result, as text for users. */
  readonly message?: string;
}

/** Rejected content, which does not become the target of the entry. */
export interface RejectedContent {
  /** Digest of the content, without the renderer's number. */
  readonly digest: string;
  /** The revision that was rejected. */
  readonly revision?: number;
  /** `<policy>/<name>` of the gate, or `<policy>/onFailure`. */
  readonly gate?: string;
  /** Why it was rejected. */
  readonly reason: string;
  /** When it was rejected. */
  readonly at: string;
}

/** When the rollout to the target was expected to end, computed when it started. Approvals are assumed to be given as soon as they are needed. */
export interface RolloutPrediction {
  /** When it was computed. */
  readonly at: string;
  /** Half of the simulated runs end before this time. */
  readonly p50: string;
  /** Nine in ten simulated runs end before this time. A rollout that ends later is late. */
  readonly p90: string;
  /** The number of simulated runs. */
  readonly runs: number;
  /** The durations that the runs sample: `Recorded` those of earlier moves, `Default` an assumption, because none were recorded. */
  readonly basis: 'Recorded' | 'Default';
  /** The number of recorded moves. */
  readonly moves?: number;
}

/** An automatic rollback. */
export interface RollBack {
  /** The revision that failed. */
  readonly from: number;
  /** The revision that the entry goes back to. */
  readonly to: number;
  /** When it began. */
  readonly at: string;
  /** Why. */
  readonly reason: string;
}

/** A revision that was a target. */
export interface RolloutTarget {
  /** Number of the revision, for use in `spec.pinnedRevision`. */
  readonly revision: number;
  /** Version of the add-on in it; empty for an add-on without versions. */
  readonly version?: string;
  /** Digest of the content. */
  readonly digest: string;
  /** Number of the renderer that turns the content into manifests. */
  readonly renderer?: number;
  /** The configurations, including the template. Their content is stored by digest in the manager's namespace. */
  readonly configs?: readonly RevisionConfig[];
  /** When it became a target. */
  readonly targetedAt?: string;
}

/** A configuration of a revision. */
export interface RevisionConfig {
  /** API group of the configuration; empty for the core group. Default: `""`. */
  readonly group?: string;
  /** Plural resource name of the configuration, such as `addondeploymentconfigs`. */
  readonly resource: string;
  /** Namespace of the configuration; absent for a cluster-scoped one. */
  readonly namespace?: string;
  /** Name of the configuration. */
  readonly name: string;
  /** SHA-256 of the content, in hex; empty if the object did not exist. */
  readonly specHash: string;
}

/** Removals that wait for a confirmation. */
export interface PendingRemoval {
  /** How many add-ons would be removed. */
  readonly count: number;
  /** How many add-ons the installer has created. */
  readonly of: number;
}

/** When clusters may be admitted to a revision, who must approve, and what is measured. */
export interface RolloutPolicySpec {
  /** The add-ons that the policy governs. */
  readonly addOns: GovernedAddOns;
  /** When clusters may be admitted. Allow windows: one of them must be open. Deny windows: none may be open. */
  readonly windows?: readonly PolicyWindow[];
  /** Gates that people open. */
  readonly approvals?: readonly PolicyApproval[];
  /** Measurements that a group must pass before the next one starts. */
  readonly analysis?: readonly PolicyAnalysis[];
  /** The reaction to a rollout that fails. If several policies govern an add-on, one of them decides. */
  readonly onFailure?: FailureAction;
  /** Webhooks that are called when a rollout changes. */
  readonly notify?: readonly PolicyNotification[];
}

/** The add-ons that a policy governs: those named, and those whose ClusterManagementAddOn the selector selects. */
export interface GovernedAddOns {
  /** Names of ClusterManagementAddOns. */
  readonly names?: readonly string[];
  /** Labels of ClusterManagementAddOns; `{}` selects all of them. */
  readonly selector?: LabelSelector;
}

/** A time in which clusters may be admitted, or may not. Clusters in flight finish. */
export interface PolicyWindow {
  /** Name of the gate, unique within the policy. RolloutApprovals name it as `<policy>/<name>`. */
  readonly name: string;
  /** `Allow`: clusters are admitted only inside. `Deny`: clusters are not admitted inside. */
  readonly effect: 'Allow' | 'Deny';
  /** Five-field cron: minute, hour, day of month, month, day of week. The window opens at these times for `duration`. */
  readonly schedule?: string;
  /** How long the window stays open, in elapsed time, such as `4h`. */
  readonly duration?: string;
  /** Start of a single period: `2026-12-20T00:00` in the time zone, or with an offset `2026-12-20T00:00:00Z`. */
  readonly from?: string;
  /** End of a single period, written like `from`. */
  readonly until?: string;
  /** IANA time zone, such as `Europe/Berlin`. Default: UTC. */
  readonly timeZone?: string;
  /** Takes the time zone from each cluster. */
  readonly timeZoneFrom?: WindowTimeZoneSource;
  /** Labels of the ManagedClusters that it is about; all if absent. */
  readonly clusters?: LabelSelector;
  /** The changes that it is about. Default: `["Upgrade"]`. */
  readonly for?: readonly ('Upgrade' | 'Install' | 'Remove')[];
  /** No cluster is admitted this long before an Allow window closes. */
  readonly lastAdmission?: string;
}

/** Where each cluster names its time zone. */
export interface WindowTimeZoneSource {
  /** Annotation of the ManagedCluster whose value is an IANA time zone. If it is missing or unknown, `timeZone` applies. */
  readonly annotation: string;
}

/** A gate that RolloutApprovals open, or that opens by itself after a time. */
export interface PolicyApproval {
  /** Name of the gate, unique within the policy. RolloutApprovals name it as `<policy>/<name>`. */
  readonly name: string;
  /** Holds the start of the whole rollout of an entry, or the start of the groups. */
  readonly before?: 'Rollout' | 'Group';
  /** Holds the end of the rollout of an entry, or what follows the groups. */
  readonly after?: 'Rollout' | 'Group';
  /** The groups that it is about; all of them if empty. */
  readonly groups?: readonly PolicyGroup[];
  /** How many people must approve. Default: `1`. */
  readonly required?: number;
  /** The gate opens by itself this long after the rollout has reached it, such as `2h`. */
  readonly wait?: string;
}

/** A decision group of the Placement, by name or by index; `rest` is the group of clusters that are in no decision group the strategy orders. */
export interface PolicyGroup {
  /** Name of the decision group. */
  readonly groupName?: string;
  /** Index of the decision group. */
  readonly groupIndex?: number;
}

/** A measurement that a group of clusters must pass before it counts as complete. */
export interface PolicyAnalysis {
  /** Name of the gate, unique within the policy. RolloutApprovals name it as `<policy>/<name>`. */
  readonly name: string;
  /** Name of the metrics provider, as a flag of the manager defines it. */
  readonly provider: string;
  /** PromQL. `{{ADDON}}`, `{{REVISION}}` and `{{ENTRY}}` are replaced, escaped for a quoted string. */
  readonly query: string;
  /** The label of a series that names the cluster. Without it the query must return one value. */
  readonly clusterFrom?: string;
  /** The time between two measurements, such as `1m`. */
  readonly interval: string;
  /** How many measurements a group takes. */
  readonly count: number;
  /** The time between the last admission of a group and its first measurement. Default: `"5m"`. */
  readonly initialDelay?: string;
  /** How many measurements may fail. Default: `0`. */
  readonly failureLimit?: number;
  /** After this many inconclusive measurements the rollout halts. Default: `3`. */
  readonly inconclusiveLimit?: number;
  /** CEL over `result`, the value measured; for each moved cluster if `clusterFrom` is set. */
  readonly success?: string;
  /** Judges whether the metric got worse on moved clusters. Needs `clusterFrom`. */
  readonly compare?: AnalysisComparison;
  /** `Observe` records results and holds nothing. Default: `"Enforce"`. */
  readonly mode?: 'Enforce' | 'Observe';
}

/** Compares moved clusters with those still on the old revision. */
export interface AnalysisComparison {
  /** The direction that is worse. */
  readonly worse: 'Higher' | 'Lower';
  /** The shift, in the metric's unit, that counts as equal, such as `0.01`. */
  readonly tolerance: string;
  /** 1 minus the rate of false alarms of a whole rollout. Default: `"0.95"`. */
  readonly confidence?: string;
  /** The minimum number of clusters for a decision. Default: `3`. */
  readonly minSamples?: number;
}

/** The reaction to a rollout that fails. */
export interface FailureAction {
  /** `Halt` admits no further cluster. `RollBack` goes back to the latest earlier target that completed, and rejects the content; without one it halts. Default: `"Halt"`. */
  readonly action?: 'Halt' | 'RollBack';
  /** How many clusters, or what percentage of them, move back at the same time. Defaults to that of the entry. */
  readonly maxConcurrency?: number | string;
}

/** A signed webhook that is called when a rollout changes. */
export interface PolicyNotification {
  /** Name of the address, as a flag of the manager defines it. */
  readonly url: string;
  /** The changes that it is called for; all of them if absent. */
  readonly on?: readonly ('Waiting' | 'Halted' | 'RolledBack' | 'Completed')[];
}

/** A decision of a user about one gate, for one revision of one entry. It is immutable. */
export interface RolloutApprovalSpec {
  /** Name of the ClusterManagementAddOn. */
  readonly addOn: string;
  /** Name of the entry, as the AddOnRollout lists it. */
  readonly entry: string;
  /** The revision that the decision is about. It does not apply to other revisions. */
  readonly revision: number;
  /** `<policy>/<name>` of the window, approval or analysis; `<policy>/onFailure` names an automatic rollback. */
  readonly gate: string;
  /** The group that the gate is before or after; absent for gates of the whole rollout. */
  readonly group?: string;
  /** `Approved` counts for its gate. `Rejected` beats it and rejects the revision. `Overridden` opens a window or analysis until `expires`. `Retried` lifts a rejection. */
  readonly decision: 'Approved' | 'Rejected' | 'Overridden' | 'Retried';
  /** The reason; required for `Overridden`. */
  readonly comment?: string;
  /** When an override ends: at most 24 hours after the creation. */
  readonly expires?: string;
  /** The user who decides; must be the user who writes the object. */
  readonly by: string;
}
