// Written by tools/gen from packages/api: change the definitions there and run `npm run gen`.
import type { Condition, KubeObject } from '@outrigger/core';

/** Objects to apply on one managed cluster; its namespace is the name of the cluster. */
export interface ManifestWork extends KubeObject {
  /** The desired state. */
  readonly spec: ManifestWorkSpec;
  /** The observed state. Written by the cluster's agent. */
  readonly status?: ManifestWorkStatus;
}

/** Creates the same ManifestWork in the namespace of every cluster that its Placements select. */
export interface ManifestWorkReplicaSet extends KubeObject {
  /** What is wanted. */
  readonly spec: ManifestWorkReplicaSetSpec;
  /** The observed state. Written by the hub. */
  readonly status?: ManifestWorkReplicaSetStatus;
}

/** An object on the managed cluster: lists the objects that one ManifestWork created there, and owns them. */
export interface AppliedManifestWork extends KubeObject {
  /** Which work of which hub. */
  readonly spec?: AppliedManifestWorkSpec;
  /** The observed state. Written by the agent. */
  readonly status?: AppliedManifestWorkStatus;
}

/** Objects for one managed cluster and how they are treated. */
export interface ManifestWorkSpec {
  /** The objects. */
  readonly workload?: ManifestsTemplate;
  /** What happens to the objects when the work is deleted. */
  readonly deleteOption?: DeleteOption;
  /** How some of the objects are treated. */
  readonly manifestConfigs?: readonly ManifestConfig[];
  /** The identity with whose permissions the objects are applied. Defaults to the agent. */
  readonly executor?: WorkExecutor;
}

/** The objects of a work. */
export interface ManifestsTemplate {
  /** The objects, in any order. The status identifies them by their position. */
  readonly manifests?: readonly KubeObject[];
}

/** What happens to the objects when the work is deleted. */
export interface DeleteOption {
  /** `Foreground` deletes every object and waits; `Orphan` leaves all of them; `SelectivelyOrphan` leaves those listed. Default: `"Foreground"`. */
  readonly propagationPolicy?: 'Foreground' | 'Orphan' | 'SelectivelyOrphan';
  /** With `SelectivelyOrphan`: the objects that stay. */
  readonly selectivelyOrphans?: SelectivelyOrphan;
  /** Delete the work this long after it is Complete. If absent, the work is kept; 0 deletes it at once. */
  readonly ttlSecondsAfterFinished?: number;
}

/** The objects that stay. */
export interface SelectivelyOrphan {
  /** One entry per object; there are no wildcards. */
  readonly orphaningRules?: readonly OrphaningRule[];
}

/** An object that stays when the work is deleted. */
export interface OrphaningRule {
  /** API group of the object; empty for the core group. */
  readonly group?: string;
  /** Plural resource name of the object. */
  readonly resource: string;
  /** Name of the object. */
  readonly name: string;
  /** Namespace of the object; absent for a cluster-scoped one. */
  readonly namespace?: string;
}

/** How some of the manifests are treated. */
export interface ManifestConfig {
  /** Which objects. */
  readonly resourceIdentifier: ResourceIdentifier;
  /** Values to report. */
  readonly feedbackRules?: readonly FeedbackRule[];
  /** How the objects are updated to match the manifests. */
  readonly updateStrategy?: UpdateStrategy;
  /** Conditions computed from the objects. */
  readonly conditionRules?: readonly ConditionRule[];
  /** Whether the objects are polled or watched. Default: `"Poll"`. */
  readonly feedbackScrapeType?: 'Poll' | 'Watch';
}

/** Objects of one resource, by name. */
export interface ResourceIdentifier {
  /** API group of the object; empty for the core group. */
  readonly group?: string;
  /** Plural resource name of the object. */
  readonly resource: string;
  /** Name of the object; `*` matches any characters. */
  readonly name: string;
  /** Namespace of the object; `*` as in the name, absent only for cluster-scoped ones. */
  readonly namespace?: string;
}

/** Values of the object to report. */
export interface FeedbackRule {
  /** `WellKnownStatus` reports what is usual for the kind, `JSONPaths` the paths given. */
  readonly type: 'WellKnownStatus' | 'JSONPaths';
  /** With `JSONPaths`: the values. */
  readonly jsonPaths?: readonly FeedbackPath[];
}

/** One value of the object to report. */
export interface FeedbackPath {
  /** Name of the value in the report. */
  readonly name: string;
  /** Version of the object to read. Defaults to the applied version. */
  readonly version?: string;
  /** Where the value is, in the JSONPath of kubectl: `.status.replicas`. */
  readonly path: string;
}

/** How the object is updated to match the manifest. */
export interface UpdateStrategy {
  /** `Update` replaces, `CreateOnly` never changes an existing object, `ServerSideApply` applies, `ReadOnly` only reports. Default: `"Update"`. */
  readonly type: 'Update' | 'CreateOnly' | 'ServerSideApply' | 'ReadOnly';
  /** Settings of `ServerSideApply`. */
  readonly serverSideApply?: ServerSideApplySettings;
}

/** How the object is applied. */
export interface ServerSideApplySettings {
  /** Whether to take over fields that other field managers own. */
  readonly force?: boolean;
  /** Name of the field manager. Default: `"work-agent"`. */
  readonly fieldManager?: string;
  /** Fields that the agent does not change on the managed cluster. */
  readonly ignoreFields?: readonly IgnoreFields[];
}

/** Fields that the agent does not change on the managed cluster. */
export interface IgnoreFields {
  /** `OnSpokePresent`: once the object exists. `OnSpokeChange`: while the manifest itself has not changed. Default: `"OnSpokePresent"`. */
  readonly condition: 'OnSpokePresent' | 'OnSpokeChange';
  /** Fields by JSONPath. */
  readonly jsonPaths?: readonly string[];
  /** Fields by JSON pointer. */
  readonly jsonPointers?: readonly string[];
  /** Fields by jq path expression. */
  readonly jqPathExpressions?: readonly string[];
}

/** A condition computed from the object. */
export interface ConditionRule {
  /** Type of the condition. */
  readonly condition: string;
  /** `CEL` evaluates expressions, `WellKnownConditions` knows the kind. */
  readonly type: 'CEL' | 'WellKnownConditions';
  /** With `CEL`: all must be true; `object` is the object. */
  readonly celExpressions?: readonly string[];
  /** Message of the condition. */
  readonly message?: string;
  /** Expression that computes the message; `result` is the outcome. */
  readonly messageExpression?: string;
}

/** The identity with whose permissions the manifests are applied. */
export interface WorkExecutor {
  /** The identity whose permissions are checked. */
  readonly subject: ExecutorSubject;
}

/** The identity whose permissions are checked. */
export interface ExecutorSubject {
  /** Kind of the identity. */
  readonly type: 'ServiceAccount';
  /** A ServiceAccount of the managed cluster. */
  readonly serviceAccount?: ExecutorServiceAccount;
}

/** A ServiceAccount of the managed cluster. */
export interface ExecutorServiceAccount {
  /** Namespace of the ServiceAccount. */
  readonly namespace: string;
  /** Name of the ServiceAccount. */
  readonly name: string;
}

/** The observed state of the work on its cluster. */
export interface ManifestWorkStatus {
  /** `Applied`, `Available`, `Deleting`, and the aggregates of condition rules. */
  readonly conditions?: readonly Condition[];
  /** The observed state of each manifest. */
  readonly resourceStatus?: ManifestResourceStatus;
}

/** The observed state of each manifest. */
export interface ManifestResourceStatus {
  /** One entry per manifest, in the order of the spec. */
  readonly manifests?: readonly ManifestCondition[];
}

/** The observed state of one manifest. */
export interface ManifestCondition {
  /** Which manifest. */
  readonly resourceMeta: ManifestResourceMeta;
  /** `Applied`, `Available`, `StatusFeedbackSynced` and those of condition rules. */
  readonly conditions: readonly Condition[];
  /** Values read from the object. */
  readonly statusFeedback?: StatusFeedback;
}

/** Identifies the manifest and the object that it describes. */
export interface ManifestResourceMeta {
  /** Position of the manifest in the spec, from 0. */
  readonly ordinal: number;
  /** API group of the object. */
  readonly group?: string;
  /** Version of the object. */
  readonly version?: string;
  /** Kind of the object. */
  readonly kind?: string;
  /** Plural resource name of the object. */
  readonly resource?: string;
  /** Name of the object. */
  readonly name?: string;
  /** Namespace of the object. */
  readonly namespace?: string;
}

/** Values read from the object. */
export interface StatusFeedback {
  /** The values. */
  readonly values?: readonly FeedbackValue[];
}

/** A value of the object on the managed cluster. */
export interface FeedbackValue {
  /** Name of the value. */
  readonly name: string;
  /** The value. */
  readonly fieldValue: FeedbackFieldValue;
}

/** A reported value; `type` determines which field contains it. */
export interface FeedbackFieldValue {
  /** Type of the value. */
  readonly type: 'Integer' | 'String' | 'Boolean' | 'JsonRaw';
  /** The value, if it is an integer. */
  readonly integer?: number;
  /** The value, if it is a string. */
  readonly string?: string;
  /** The value, if it is true or false. */
  readonly boolean?: boolean;
  /** The value as JSON, if it is a list or an object. */
  readonly jsonRaw?: string;
}

/** The work that every selected cluster gets. */
export interface ManifestWorkReplicaSetSpec {
  /** The spec of the ManifestWorks. */
  readonly manifestWorkTemplate?: ManifestWorkSpec;
  /** The Placements that select the clusters. */
  readonly placementRefs: readonly LocalPlacementReference[];
  /** Deletion of the ManifestWorkReplicaSet deletes its works. `Foreground` waits until they are deleted, `Background` does not. Default: `"Background"`. */
  readonly cascadeDeletionPolicy?: 'Background' | 'Foreground';
}

/** A Placement in the namespace of the ManifestWorkReplicaSet. */
export interface LocalPlacementReference {
  /** Name of the Placement. */
  readonly name: string;
  /** How a change of the template is rolled out to the clusters of the Placement. Default: `{"type":"All","all":{"progressDeadline":"None"}}`. */
  readonly rolloutStrategy?: RolloutStrategy;
}

/** How a change of version, configuration or content is rolled out to the selected clusters. */
export interface RolloutStrategy {
  /** All clusters at once, a limited number at a time, or one decision group after another. Default: `"All"`. */
  readonly type?: 'All' | 'Progressive' | 'ProgressivePerGroup';
  /** Settings of type `All`. */
  readonly all?: RolloutAll;
  /** Settings of type `Progressive`. */
  readonly progressive?: RolloutProgressive;
  /** Settings of type `ProgressivePerGroup`. */
  readonly progressivePerGroup?: RolloutProgressivePerGroup;
}

/** Every cluster at once. */
export interface RolloutAll {
  /** How long a cluster must stay healthy after its move before it has succeeded and the next one may start. Default: `"0"`. */
  readonly minSuccessTime?: string;
  /** How long a cluster may take before it counts as failed, such as `10m`; `None` means no limit. Default: `"None"`. */
  readonly progressDeadline?: string;
  /** How many clusters, or what percentage of them, may fail before the rollout halts. Default: `0`. */
  readonly maxFailures?: number | string;
}

/** A limited number of clusters at a time. */
export interface RolloutProgressive {
  /** How long a cluster must stay healthy after its move before it has succeeded and the next one may start. Default: `"0"`. */
  readonly minSuccessTime?: string;
  /** How long a cluster may take before it counts as failed, such as `10m`; `None` means no limit. Default: `"None"`. */
  readonly progressDeadline?: string;
  /** How many clusters, or what percentage of them, may fail before the rollout halts. Default: `0`. */
  readonly maxFailures?: number | string;
  /** Decision groups that must succeed completely, in this order, before any other cluster is admitted. */
  readonly mandatoryDecisionGroups?: readonly MandatoryDecisionGroup[];
  /** How many clusters, or what percentage of them, may be in flight at the same time. Defaults to the Placement's clustersPerDecisionGroup. */
  readonly maxConcurrency?: number | string;
}

/** A decision group of the Placement, by name or by index. */
export interface MandatoryDecisionGroup {
  /** Name of the decision group. If it is set, the index is ignored. */
  readonly groupName?: string;
  /** Index of the decision group. */
  readonly groupIndex?: number;
}

/** One decision group of the Placement after another. */
export interface RolloutProgressivePerGroup {
  /** How long a cluster must stay healthy after its move before it has succeeded and the next one may start. Default: `"0"`. */
  readonly minSuccessTime?: string;
  /** How long a cluster may take before it counts as failed, such as `10m`; `None` means no limit. Default: `"None"`. */
  readonly progressDeadline?: string;
  /** How many clusters, or what percentage of them, may fail before the rollout halts. Default: `0`. */
  readonly maxFailures?: number | string;
  /** Decision groups that must succeed completely, in this order, before any other cluster is admitted. */
  readonly mandatoryDecisionGroups?: readonly MandatoryDecisionGroup[];
}

/** The state of the ManifestWorks. */
export interface ManifestWorkReplicaSetStatus {
  /** `PlacementVerified`, `PlacementRolledOut` and `ManifestworkApplied`. */
  readonly conditions?: readonly Condition[];
  /** Numbers of all ManifestWorks by state. */
  readonly summary?: ManifestWorkReplicaSetSummary;
  /** The ManifestWorks of each Placement. */
  readonly placementSummary?: readonly ManifestWorkReplicaSetPlacementSummary[];
}

/** Numbers of ManifestWorks by state. */
export interface ManifestWorkReplicaSetSummary {
  /** ManifestWorks that exist. */
  readonly total?: number;
  /** ManifestWorks that the selected clusters need. */
  readonly desiredTotal?: number;
  /** ManifestWorks with the current template. */
  readonly updated?: number;
  /** ManifestWorks whose Applied condition is True. */
  readonly applied?: number;
  /** ManifestWorks whose Available condition is True. */
  readonly available?: number;
  /** ManifestWorks whose Progressing condition is True. */
  readonly progressing?: number;
  /** ManifestWorks whose Degraded condition is True. */
  readonly degraded?: number;
}

/** The ManifestWorks of one Placement. */
export interface ManifestWorkReplicaSetPlacementSummary {
  /** Name of the Placement. */
  readonly name: string;
  /** The number of decision groups, and how many of their clusters have a ManifestWork. */
  readonly availableDecisionGroups?: string;
  /** Numbers of ManifestWorks of the Placement by state. */
  readonly summary?: ManifestWorkReplicaSetSummary;
}

/** Which work of which hub. */
export interface AppliedManifestWorkSpec {
  /** SHA-256 of the address of the hub, in hex. */
  readonly hubHash: string;
  /** Identity of the agent that applies the work. */
  readonly agentID?: string;
  /** Name of the ManifestWork on the hub. */
  readonly manifestWorkName: string;
}

/** The objects on the cluster that belong to the work. */
export interface AppliedManifestWorkStatus {
  /** The objects, sorted by group, version, resource, namespace and name. */
  readonly appliedResources?: readonly AppliedResource[];
  /** The time since which the work is missing on the hub. Its objects are removed after a grace period. */
  readonly evictionStartTime?: string;
}

/** An object that the agent has applied and will remove. */
export interface AppliedResource {
  /** API group of the object. */
  readonly group?: string;
  /** Version of the object. */
  readonly version: string;
  /** Plural resource name of the object. */
  readonly resource: string;
  /** Name of the object. */
  readonly name: string;
  /** Namespace of the object; absent for a cluster-scoped one. */
  readonly namespace?: string;
  /** UID of the object. An object with another UID does not belong to the work. */
  readonly uid?: string;
}
