// Written by tools/gen from packages/api: change the definitions there and run `npm run gen`.
import type { Condition, KubeObject } from '@outrigger/core';

/** Where the rollouts of one add-on stand, and the handle to pause, pin and confirm them. One per ClusterManagementAddOn, of the same name, made by the manager. */
export interface AddOnRollout extends KubeObject {
  /** What is asked for. */
  readonly spec?: AddOnRolloutSpec;
  /** The targets and admissions of the rollout. */
  readonly status?: AddOnRolloutStatus;
}

/** What people ask of the rollouts of one add-on. */
export interface AddOnRolloutSpec {
  /** Start no further cluster. Clusters in motion finish. */
  readonly paused?: boolean;
  /** The stored revision every cluster goes to while this is set: the exact way back. See status.history. */
  readonly pinnedRevision?: number;
  /** Allows the installer to remove this many add-ons at once; must equal the number the condition TargetsResolved of the ClusterManagementAddOn asks about. */
  readonly confirmRemoval?: number;
}

/** Where the rollouts of one add-on stand. Written by the add-on manager only. */
export interface AddOnRolloutStatus {
  /** How to read this record. A manager that does not know the number changes nothing and starts no cluster. */
  readonly formatVersion?: number;
  /** The generation of the spec this speaks about. */
  readonly observedGeneration?: number;
  /** What the fleet is going to, for people: version and revision. */
  readonly target?: string;
  /** Clusters that belong to it. */
  readonly selected?: number;
  /** Clusters that have reached the target. */
  readonly done?: number;
  /** Clusters in motion. */
  readonly progressing?: number;
  /** Clusters that did not reach the target. */
  readonly failed?: number;
  /** Clusters left out because they are not available. */
  readonly skipped?: number;
  /** `Pending` waits for its clusters to be known, `Progressing` moves them, `Completed` has nothing to do, `Paused` was told to wait, `Halted` met too many failures. */
  readonly state?: 'Pending' | 'Progressing' | 'Completed' | 'Paused' | 'Halted';
  /** One rollout per entry of the install strategy. */
  readonly entries?: readonly RolloutEntry[];
  /** The last ten targets and all that are in use, newest first. */
  readonly history?: readonly RolloutTarget[];
  /** The revisions of add-ons from before this record are kept in their annotation `outrigger.dev/revision`; statuses are not read for them again. */
  readonly revisionsImported?: boolean;
  /** Removals that wait for `spec.confirmRemoval`. */
  readonly pendingRemoval?: PendingRemoval;
  /** Reserved for what the state cannot tell. */
  readonly conditions?: readonly Condition[];
}

/** The rollout of one entry of the install strategy. */
export interface RolloutEntry {
  /** `<namespace>/<name>` of the Placement, `labelSelector`, or `default` for clusters no entry selects. */
  readonly name: string;
  /** The revision the clusters of the entry go to. */
  readonly targetRevision?: number;
  /** The revision of add-ons the installer did not make: without the entry's addonTemplate. Absent where both are the same. */
  readonly handMadeRevision?: number;
  /** The revision of add-ons whose configs a person took: without the configs of the entry's addonTemplate. Absent where it is the target. */
  readonly ownConfigsRevision?: number;
  /** The last revision that reached every cluster of the entry; clusters that join during a pause get it. */
  readonly completedRevision?: number;
  /** When the target became the target. */
  readonly startedAt?: string;
  /** The clusters in motion. No other cluster may move to the target. */
  readonly inFlight?: readonly InFlightCluster[];
  /** The clusters of the entry as last known, by name. While the entry is unknown, they may belong to it; what `*` admits, it admits for them. */
  readonly members?: readonly string[];
  /** Clusters that belong to it. */
  readonly selected?: number;
  /** Clusters that have reached the target. */
  readonly done?: number;
  /** Clusters in motion. */
  readonly progressing?: number;
  /** Clusters that did not reach the target. */
  readonly failed?: number;
  /** Clusters left out because they are not available. */
  readonly skipped?: number;
  /** Clusters counted as done whose add-on was available neither before the move nor after it. */
  readonly unhealthyBefore?: number;
  /** Clusters in motion that are not available and take no slot. */
  readonly parked?: number;
  /** How the rollout of this entry stands. */
  readonly state?: 'Pending' | 'Progressing' | 'Completed' | 'Paused' | 'Halted';
  /** The same for people. */
  readonly message?: string;
  /** The changes of the target, newest first: the last 20, and in addition the latest that completed and is a way back. */
  readonly timeline?: readonly TargetChange[];
}

/** A cluster that was admitted to a revision and has not arrived. */
export interface InFlightCluster {
  /** Name of the cluster; `*` is every cluster of the entry. */
  readonly cluster: string;
  /** The revision it was admitted to. */
  readonly revision: number;
  /** When it was admitted. */
  readonly admittedAt: string;
  /** Since when it is not available and takes no slot. */
  readonly parkedSince?: string;
  /** The add-on was not available there at its admission and has not been since: minSuccessTime counts from when it is done. */
  readonly unhealthyBefore?: boolean;
}

/** A change of the target of an entry, and how the rollout to the new target ended. */
export interface TargetChange {
  /** When the target changed. */
  readonly at: string;
  /** The target before; absent for the first target of the entry. */
  readonly from?: number;
  /** The revision that became the target. */
  readonly to: number;
  /** The change that led to the new target: `Declaration` the ClusterManagementAddOn, `Template` or `Config` the content of a referenced object, `DefaultVersion` a template that offers a newer default version, `Pin` spec.pinnedRevision was set, changed or removed, `Automatic` the manager itself. Absent if it is not known. */
  readonly cause?: 'Declaration' | 'Template' | 'Config' | 'DefaultVersion' | 'Pin' | 'Automatic';
  /** The field manager that made the change, if managedFields of the changed object names it. */
  readonly manager?: string;
  /** How it ended: `Completed` reached every available cluster and at least one, `Halted` had more failures than maxFailures, `Superseded` was replaced before its end, `RolledBack` was replaced before its end by a target that completed earlier. Absent while it goes on. */
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
}

/** A revision that was a target. */
export interface RolloutTarget {
  /** Number of the revision; what `spec.pinnedRevision` takes. */
  readonly revision: number;
  /** Version of the add-on in it; empty for an add-on without versions. */
  readonly version?: string;
  /** Digest of the content. */
  readonly digest: string;
  /** Number of the renderer that turns the content into manifests. */
  readonly renderer?: number;
  /** The configurations, the template among them; their content is kept by digest in the manager's namespace. */
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
  /** SHA-256 of the content, in hex; empty where the object was missing. */
  readonly specHash: string;
}

/** Removals that wait for a confirmation. */
export interface PendingRemoval {
  /** How many add-ons would be removed. */
  readonly count: number;
  /** How many add-ons the installer has made. */
  readonly of: number;
}
