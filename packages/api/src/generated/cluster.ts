// Written by tools/gen from packages/api: change the definitions there and run `npm run gen`.
import type { Condition, KubeObject, LabelSelector, LabelSelectorRequirement } from '@outrigger/core';

/** A cluster of the fleet. The namespace of the same name contains its objects. */
export interface ManagedCluster extends KubeObject {
  /** The desired state. */
  readonly spec: ManagedClusterSpec;
  /** The observed state. Written by the hub and the agent of the cluster. */
  readonly status?: ManagedClusterStatus;
}

/** A set of clusters that can be bound to namespaces. */
export interface ManagedClusterSet extends KubeObject {
  /** The desired state. Default: `{"clusterSelector":{"selectorType":"ExclusiveClusterSetLabel"}}`. */
  readonly spec?: ManagedClusterSetSpec;
  /** What was observed. */
  readonly status?: ManagedClusterSetStatus;
}

/** Allows the Placements of a namespace to select clusters of a set. */
export interface ManagedClusterSetBinding extends KubeObject {
  /** The desired state. */
  readonly spec: ManagedClusterSetBindingSpec;
  /** What was observed. */
  readonly status?: ManagedClusterSetBindingStatus;
}

/** Selects clusters by labels, claims, taints and scores. PlacementDecisions list the selected clusters. */
export interface Placement extends KubeObject {
  /** The desired state. */
  readonly spec: PlacementSpec;
  /** The observed selection. Written by the placement controller. */
  readonly status?: PlacementStatus;
}

/** Part of the clusters that one Placement selects. The label `cluster.open-cluster-management.io/placement` names the Placement. */
export interface PlacementDecision extends KubeObject {
  /** The chosen clusters. */
  readonly status?: PlacementDecisionStatus;
}

/** Scores that an add-on assigns to one cluster, for use in Placements. Its namespace is the name of the cluster. */
export interface AddOnPlacementScore extends KubeObject {
  /** The scores. */
  readonly status?: AddOnPlacementScoreStatus;
}

/** An object on the managed cluster: a fact that the cluster reports to the hub. Its name is the name of the claim. */
export interface ClusterClaim extends KubeObject {
  /** The fact. */
  readonly spec?: ClusterClaimSpec;
}

/** The settings of the cluster on the hub. */
export interface ManagedClusterSpec {
  /** Whether the hub accepts the cluster's agent. Setting it requires a separate permission. */
  readonly hubAcceptsClient?: boolean;
  /** How often the agent renews the cluster's Lease, in seconds. Default: `60`. */
  readonly leaseDurationSeconds?: number;
  /** How clients reach the cluster's API server. */
  readonly managedClusterClientConfigs?: readonly ManagedClusterClientConfig[];
  /** Taints. Placements select the cluster only if they tolerate all of them. */
  readonly taints?: readonly ClusterTaint[];
}

/** How clients reach the cluster's API server. */
export interface ManagedClusterClientConfig {
  /** Address of the API server. */
  readonly url: string;
  /** The CA certificates of the API server, in PEM, base64-encoded. */
  readonly caBundle?: string;
}

/** A taint. Placements select the cluster only if they tolerate it. */
export interface ClusterTaint {
  /** Name of the taint. */
  readonly key: string;
  /** Value of the taint. */
  readonly value?: string;
  /** `NoSelect` keeps away, `PreferNoSelect` keeps away if there is a choice, `NoSelectIfNew` keeps away only who has not chosen it yet. */
  readonly effect: 'NoSelect' | 'PreferNoSelect' | 'NoSelectIfNew';
  /** When the taint was added; set by the hub. */
  readonly timeAdded?: string;
}

/** What is known about the cluster. */
export interface ManagedClusterStatus {
  /** `HubAcceptedManagedCluster`, `ManagedClusterJoined`, `ManagedClusterConditionAvailable`, `ManagedClusterConditionClockSynced` and others. */
  readonly conditions?: readonly Condition[];
  /** Sum of the capacity of the nodes. */
  readonly capacity?: Readonly<Record<string, number | string>>;
  /** Sum of the allocatable resources of the schedulable nodes. */
  readonly allocatable?: Readonly<Record<string, number | string>>;
  /** Versions of the cluster. */
  readonly version?: ManagedClusterVersion;
  /** Facts that the cluster reports about itself. */
  readonly clusterClaims?: readonly ManagedClusterClaim[];
  /** Namespaces on the cluster that the hub manages. */
  readonly managedNamespaces?: readonly ManagedNamespace[];
}

/** Versions of the cluster. */
export interface ManagedClusterVersion {
  /** Version of Kubernetes. */
  readonly kubernetes?: string;
}

/** A fact that the cluster reports about itself. */
export interface ManagedClusterClaim {
  /** Name of the claim. */
  readonly name?: string;
  /** Value of the claim. */
  readonly value?: string;
}

/** A namespace on the cluster that the hub manages. */
export interface ManagedNamespace {
  /** Name of the namespace. */
  readonly name: string;
  /** The ManagedClusterSet that requests it. */
  readonly clusterSet: string;
  /** `NamespaceAvailable`. */
  readonly conditions?: readonly Condition[];
}

/** Which clusters belong to the set. */
export interface ManagedClusterSetSpec {
  /** Which clusters belong to the set. Default: `{"selectorType":"ExclusiveClusterSetLabel"}`. */
  readonly clusterSelector?: ClusterSetSelector;
  /** Namespaces that the hub manages on every cluster of the set. */
  readonly managedNamespaces?: readonly ManagedNamespaceConfig[];
}

/** Which clusters belong to the set. */
export interface ClusterSetSelector {
  /** `ExclusiveClusterSetLabel`: clusters with the label `cluster.open-cluster-management.io/clusterset` of this name. `LabelSelector`: clusters that match labelSelector. Default: `"ExclusiveClusterSetLabel"`. */
  readonly selectorType?: 'ExclusiveClusterSetLabel' | 'LabelSelector';
  /** With `LabelSelector`: the labels. */
  readonly labelSelector?: LabelSelector;
}

/** A namespace that the hub manages on every cluster of the set. */
export interface ManagedNamespaceConfig {
  /** Name of the namespace. */
  readonly name: string;
}

/** The observed state of the set. */
export interface ManagedClusterSetStatus {
  /** `ClusterSetEmpty`. */
  readonly conditions?: readonly Condition[];
}

/** Which set is bound. */
export interface ManagedClusterSetBindingSpec {
  /** Name of the ManagedClusterSet; the binding has the same name. */
  readonly clusterSet: string;
}

/** The observed state of the binding. */
export interface ManagedClusterSetBindingStatus {
  /** `Bound`. */
  readonly conditions?: readonly Condition[];
}

/** Which clusters are selected. */
export interface PlacementSpec {
  /** Cluster sets to select from. If absent, every set that is bound to the Placement's namespace. */
  readonly clusterSets?: readonly string[];
  /** How many clusters to select. If absent, all that match. */
  readonly numberOfClusters?: number;
  /** Predicates, of which a cluster must match at least one. If absent, every cluster matches. */
  readonly predicates?: readonly PlacementPredicate[];
  /** Which clusters are preferred. */
  readonly prioritizerPolicy?: PrioritizerPolicy;
  /** How evenly clusters are spread. It is stored but has no effect. */
  readonly spreadPolicy?: SpreadPolicy;
  /** Cluster taints that the Placement tolerates. */
  readonly tolerations?: readonly ClusterToleration[];
  /** How the selected clusters are grouped. */
  readonly decisionStrategy?: DecisionStrategy;
  /** The order in which decisions are listed. It is stored but has no effect. Default: `"ClusterName"`. */
  readonly sortBy?: 'ClusterName' | 'Score';
  /** How often a change of scores alone may change the decisions. It is stored but has no effect. Default: `"1m"`. */
  readonly scoreRateLimit?: string;
}

/** One way to be chosen. */
export interface PlacementPredicate {
  /** The conditions that the cluster must meet. */
  readonly requiredClusterSelector?: PlacementClusterSelector;
}

/** The clusters that match all parts. */
export interface PlacementClusterSelector {
  /** Labels of the ManagedCluster. */
  readonly labelSelector?: LabelSelector;
  /** Claims of the cluster. */
  readonly claimSelector?: ClaimSelector;
  /** Expressions about the cluster. */
  readonly celSelector?: CelSelector;
}

/** Conditions on the claims of a cluster. */
export interface ClaimSelector {
  /** The conditions; the key is the name of the claim. */
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

/** Expressions about the cluster. */
export interface CelSelector {
  /** All must be true; `managedCluster` is the cluster. */
  readonly celExpressions?: readonly string[];
}

/** Which clusters are preferred. */
export interface PrioritizerPolicy {
  /** `Additive` adds to the defaults, `Exact` uses only what is listed. Default: `"Additive"`. */
  readonly mode?: 'Exact' | 'Additive' | '';
  /** The scores. */
  readonly configurations?: readonly PrioritizerConfig[];
}

/** A score and its weight. */
export interface PrioritizerConfig {
  /** The score. */
  readonly scoreCoordinate: ScoreCoordinate;
  /** The weight of the score; 0 disables it. Default: `1`. */
  readonly weight?: number;
}

/** The source of a score. */
export interface ScoreCoordinate {
  /** `BuiltIn` computes it, `AddOn` reads an AddOnPlacementScore. Default: `"BuiltIn"`. */
  readonly type: 'BuiltIn' | 'AddOn';
  /** `Balance`, `Steady`, `ResourceAllocatableCPU` or `ResourceAllocatableMemory`. */
  readonly builtIn?: string;
  /** Score of an add-on. */
  readonly addOn?: AddOnScore;
}

/** Score of an add-on. */
export interface AddOnScore {
  /** Name of the AddOnPlacementScore in the cluster's namespace. */
  readonly resourceName: string;
  /** Name of the score in it. */
  readonly scoreName: string;
}

/** How evenly clusters are spread. */
export interface SpreadPolicy {
  /** The constraints. */
  readonly spreadConstraints?: readonly SpreadConstraint[];
}

/** How evenly clusters are spread over a topology. */
export interface SpreadConstraint {
  /** The label or claim that contains the topology. */
  readonly topologyKey: string;
  /** Whether the key is a label or a claim. */
  readonly topologyKeyType: 'Label' | 'Claim';
  /** The largest difference between two topologies. Default: `1`. */
  readonly maxSkew?: number;
  /** What to do if the constraint cannot be satisfied. Default: `"ScheduleAnyway"`. */
  readonly whenUnsatisfiable?: 'DoNotSchedule' | 'ScheduleAnyway';
}

/** A cluster taint that the Placement tolerates. */
export interface ClusterToleration {
  /** Key of the taint. Empty with `Exists` means every taint. */
  readonly key?: string;
  /** `Equal` compares the value, `Exists` only the key. Default: `"Equal"`. */
  readonly operator?: 'Equal' | 'Exists';
  /** Value of the taint, with `Equal`. */
  readonly value?: string;
  /** Effect of the taint. If absent, every effect. */
  readonly effect?: 'NoSelect' | 'PreferNoSelect' | 'NoSelectIfNew';
  /** How long the taint is tolerated. If absent, without a limit. */
  readonly tolerationSeconds?: number;
}

/** How the selected clusters are grouped. */
export interface DecisionStrategy {
  /** How the selected clusters are grouped. */
  readonly groupStrategy?: GroupStrategy;
}

/** Groups of the selected clusters. */
export interface GroupStrategy {
  /** Groups in order. A cluster belongs to the first group that matches it. */
  readonly decisionGroups?: readonly DecisionGroupConfig[];
  /** Maximum size of a group, as a number or a percentage of all clusters. Default: `"100%"`. */
  readonly clustersPerDecisionGroup?: number | string;
}

/** A group of the selected clusters. */
export interface DecisionGroupConfig {
  /** Name of the group. */
  readonly groupName: string;
  /** The clusters of the group. */
  readonly groupClusterSelector: GroupClusterSelector;
}

/** The clusters that match all parts. */
export interface GroupClusterSelector {
  /** Labels of the ManagedCluster. */
  readonly labelSelector?: LabelSelector;
  /** Claims of the cluster. */
  readonly claimSelector?: ClaimSelector;
}

/** What was chosen. */
export interface PlacementStatus {
  /** How many clusters are selected. */
  readonly numberOfSelectedClusters?: number;
  /** The groups of the selected clusters. */
  readonly decisionGroups?: readonly DecisionGroupStatus[];
  /** `PlacementSatisfied` and `PlacementMisconfigured`. */
  readonly conditions?: readonly Condition[];
  /** When a change of scores last changed the decisions. */
  readonly lastScoreUpdateTime?: string;
}

/** One group of the selected clusters. */
export interface DecisionGroupStatus {
  /** Index of the group, from 0. */
  readonly decisionGroupIndex: number;
  /** Name of the group; empty for clusters that no named group matches. */
  readonly decisionGroupName?: string;
  /** Names of the PlacementDecisions of the group. */
  readonly decisions?: readonly string[];
  /** How many clusters are in the group. Default: `0`. */
  readonly clusterCount: number;
}

/** Chosen clusters. */
export interface PlacementDecisionStatus {
  /** The clusters, at most 100 in one object. */
  readonly decisions: readonly ClusterDecision[];
}

/** A chosen cluster. */
export interface ClusterDecision {
  /** Name of the ManagedCluster. */
  readonly clusterName: string;
  /** Why the cluster was selected; may be empty. */
  readonly reason: string;
  /** Its score. */
  readonly score?: number;
}

/** Scores of one cluster. */
export interface AddOnPlacementScoreStatus {
  /** Conditions that the writer of the scores reports. */
  readonly conditions?: readonly Condition[];
  /** The scores. */
  readonly scores?: readonly PlacementScoreItem[];
  /** The time until which the scores are valid. */
  readonly validUntil?: string;
}

/** One score. */
export interface PlacementScoreItem {
  /** Name of the score. */
  readonly name: string;
  /** The score. */
  readonly value: number;
}

/** The fact. */
export interface ClusterClaimSpec {
  /** Value of the claim. */
  readonly value?: string;
}
