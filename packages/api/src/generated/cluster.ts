// Written by tools/gen from packages/api: change the definitions there and run `npm run gen`.
import type { Condition, KubeObject, LabelSelector, LabelSelectorRequirement } from '@outrigger/core';

/** A cluster of the fleet. The namespace of the same name holds what belongs to it. */
export interface ManagedCluster extends KubeObject {
  /** The desired state. */
  readonly spec: ManagedClusterSpec;
  /** What was observed; written by the hub and the agent of the cluster. */
  readonly status?: ManagedClusterStatus;
}

/** A group of clusters that is shared with namespaces as a whole. */
export interface ManagedClusterSet extends KubeObject {
  /** The desired state. Default: `{"clusterSelector":{"selectorType":"ExclusiveClusterSetLabel"}}`. */
  readonly spec?: ManagedClusterSetSpec;
  /** What was observed. */
  readonly status?: ManagedClusterSetStatus;
}

/** Lets the Placements of a namespace choose clusters of a set. */
export interface ManagedClusterSetBinding extends KubeObject {
  /** The desired state. */
  readonly spec: ManagedClusterSetBindingSpec;
  /** What was observed. */
  readonly status?: ManagedClusterSetBindingStatus;
}

/** Chooses clusters by labels, claims, taints and scores. The choice is written to PlacementDecisions. */
export interface Placement extends KubeObject {
  /** The desired state. */
  readonly spec: PlacementSpec;
  /** What was chosen; written by the placement controller. */
  readonly status?: PlacementStatus;
}

/** Part of the choice of one Placement; the label `cluster.open-cluster-management.io/placement` names it. */
export interface PlacementDecision extends KubeObject {
  /** The chosen clusters. */
  readonly status?: PlacementDecisionStatus;
}

/** Scores an add-on gives to one cluster, for Placements to prefer by; its namespace is the name of the cluster. */
export interface AddOnPlacementScore extends KubeObject {
  /** The scores. */
  readonly status?: AddOnPlacementScoreStatus;
}

/** Lives on the managed cluster: a fact the cluster tells the hub about itself. Its name is the name of the claim. */
export interface ClusterClaim extends KubeObject {
  /** The fact. */
  readonly spec?: ClusterClaimSpec;
}

/** How the hub treats the cluster. */
export interface ManagedClusterSpec {
  /** Whether the hub lets the cluster's agent in; setting it needs a right of its own. */
  readonly hubAcceptsClient?: boolean;
  /** How often the agent renews the cluster's Lease, in seconds. Default: `60`. */
  readonly leaseDurationSeconds?: number;
  /** How the cluster's API server is reached. */
  readonly managedClusterClientConfigs?: readonly ManagedClusterClientConfig[];
  /** Marks that keep Placements away. */
  readonly taints?: readonly ClusterTaint[];
}

/** How the cluster's API server is reached. */
export interface ManagedClusterClientConfig {
  /** Address of the API server. */
  readonly url: string;
  /** Base64 of the PEM certificates it is trusted by. */
  readonly caBundle?: string;
}

/** A mark that keeps Placements away unless they tolerate it. */
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
  /** Sum of what the schedulable nodes can give to pods. */
  readonly allocatable?: Readonly<Record<string, number | string>>;
  /** Versions of the cluster. */
  readonly version?: ManagedClusterVersion;
  /** Facts the cluster tells about itself. */
  readonly clusterClaims?: readonly ManagedClusterClaim[];
  /** Namespaces the hub cares for on the cluster. */
  readonly managedNamespaces?: readonly ManagedNamespace[];
}

/** Versions of the cluster. */
export interface ManagedClusterVersion {
  /** Version of Kubernetes. */
  readonly kubernetes?: string;
}

/** A fact the cluster tells about itself. */
export interface ManagedClusterClaim {
  /** Name of the claim. */
  readonly name?: string;
  /** Value of the claim. */
  readonly value?: string;
}

/** A namespace the hub cares for on the cluster. */
export interface ManagedNamespace {
  /** Name of the namespace. */
  readonly name: string;
  /** The ManagedClusterSet that asks for it. */
  readonly clusterSet: string;
  /** `NamespaceAvailable`. */
  readonly conditions?: readonly Condition[];
}

/** Which clusters belong to the set. */
export interface ManagedClusterSetSpec {
  /** Which clusters belong to the set. Default: `{"selectorType":"ExclusiveClusterSetLabel"}`. */
  readonly clusterSelector?: ClusterSetSelector;
  /** Namespaces the hub cares for on every cluster of the set. */
  readonly managedNamespaces?: readonly ManagedNamespaceConfig[];
}

/** Which clusters belong to the set. */
export interface ClusterSetSelector {
  /** `ExclusiveClusterSetLabel`: clusters with the label `cluster.open-cluster-management.io/clusterset` of this name. `LabelSelector`: clusters that match labelSelector. Default: `"ExclusiveClusterSetLabel"`. */
  readonly selectorType?: 'ExclusiveClusterSetLabel' | 'LabelSelector';
  /** With `LabelSelector`: the labels. */
  readonly labelSelector?: LabelSelector;
}

/** A namespace the hub cares for on every cluster of the set. */
export interface ManagedNamespaceConfig {
  /** Name of the namespace. */
  readonly name: string;
}

/** What is known about the set. */
export interface ManagedClusterSetStatus {
  /** `ClusterSetEmpty`. */
  readonly conditions?: readonly Condition[];
}

/** Which set is bound. */
export interface ManagedClusterSetBindingSpec {
  /** Name of the ManagedClusterSet; the binding has the same name. */
  readonly clusterSet: string;
}

/** What is known about the binding. */
export interface ManagedClusterSetBindingStatus {
  /** `Bound`. */
  readonly conditions?: readonly Condition[];
}

/** Which clusters are chosen. */
export interface PlacementSpec {
  /** Sets to choose from; absent is every set bound to the Placement's namespace. */
  readonly clusterSets?: readonly string[];
  /** How many are wanted; absent is all that fit. */
  readonly numberOfClusters?: number;
  /** Ways to be chosen: one of them must hold; absent is every cluster. */
  readonly predicates?: readonly PlacementPredicate[];
  /** Which clusters are preferred. */
  readonly prioritizerPolicy?: PrioritizerPolicy;
  /** How evenly clusters are spread. Kept, not acted on. */
  readonly spreadPolicy?: SpreadPolicy;
  /** Taints of clusters the Placement puts up with. */
  readonly tolerations?: readonly ClusterToleration[];
  /** How the chosen clusters are grouped. */
  readonly decisionStrategy?: DecisionStrategy;
  /** In which order decisions are listed. Kept, not acted on. Default: `"ClusterName"`. */
  readonly sortBy?: 'ClusterName' | 'Score';
  /** How often a change of scores alone may change the decisions. Kept, not acted on. Default: `"1m"`. */
  readonly scoreRateLimit?: string;
}

/** One way to be chosen. */
export interface PlacementPredicate {
  /** What the cluster must fulfil. */
  readonly requiredClusterSelector?: PlacementClusterSelector;
}

/** Clusters for which all parts hold. */
export interface PlacementClusterSelector {
  /** Labels of the ManagedCluster. */
  readonly labelSelector?: LabelSelector;
  /** Claims the cluster makes about itself. */
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
  /** How much it counts; 0 switches it off. Default: `1`. */
  readonly weight?: number;
}

/** Where a score comes from. */
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
  /** The label or claim that tells the topology. */
  readonly topologyKey: string;
  /** Whether the key is a label or a claim. */
  readonly topologyKeyType: 'Label' | 'Claim';
  /** The largest difference between two topologies. Default: `1`. */
  readonly maxSkew?: number;
  /** What to do where it cannot be kept. Default: `"ScheduleAnyway"`. */
  readonly whenUnsatisfiable?: 'DoNotSchedule' | 'ScheduleAnyway';
}

/** A taint of clusters the Placement puts up with. */
export interface ClusterToleration {
  /** Key of the taint; empty with `Exists` is every taint. */
  readonly key?: string;
  /** `Equal` compares the value, `Exists` only the key. Default: `"Equal"`. */
  readonly operator?: 'Equal' | 'Exists';
  /** Value of the taint, with `Equal`. */
  readonly value?: string;
  /** Effect of the taint; absent is every effect. */
  readonly effect?: 'NoSelect' | 'PreferNoSelect' | 'NoSelectIfNew';
  /** How long the taint is put up with; absent is for ever. */
  readonly tolerationSeconds?: number;
}

/** How the chosen clusters are grouped. */
export interface DecisionStrategy {
  /** How the chosen clusters are grouped. */
  readonly groupStrategy?: GroupStrategy;
}

/** Groups of the chosen clusters. */
export interface GroupStrategy {
  /** Groups in order; a cluster belongs to the first that takes it. */
  readonly decisionGroups?: readonly DecisionGroupConfig[];
  /** Largest size of a group, as a count or a share of all. Default: `"100%"`. */
  readonly clustersPerDecisionGroup?: number | string;
}

/** A group of the chosen clusters. */
export interface DecisionGroupConfig {
  /** Name of the group. */
  readonly groupName: string;
  /** The clusters of the group. */
  readonly groupClusterSelector: GroupClusterSelector;
}

/** Clusters for which all parts hold. */
export interface GroupClusterSelector {
  /** Labels of the ManagedCluster. */
  readonly labelSelector?: LabelSelector;
  /** Claims the cluster makes about itself. */
  readonly claimSelector?: ClaimSelector;
}

/** What was chosen. */
export interface PlacementStatus {
  /** How many clusters are chosen. */
  readonly numberOfSelectedClusters?: number;
  /** The groups of the chosen clusters. */
  readonly decisionGroups?: readonly DecisionGroupStatus[];
  /** `PlacementSatisfied` and `PlacementMisconfigured`. */
  readonly conditions?: readonly Condition[];
  /** When a change of scores last changed the decisions. */
  readonly lastScoreUpdateTime?: string;
}

/** One group of the chosen clusters. */
export interface DecisionGroupStatus {
  /** Index of the group, from 0. */
  readonly decisionGroupIndex: number;
  /** Name of the group; empty for clusters no named group takes. */
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
  /** Why it was chosen; may be empty. */
  readonly reason: string;
  /** Its score. */
  readonly score?: number;
}

/** Scores of one cluster. */
export interface AddOnPlacementScoreStatus {
  /** What the writer of the scores has to say. */
  readonly conditions?: readonly Condition[];
  /** The scores. */
  readonly scores?: readonly PlacementScoreItem[];
  /** After this time the scores no longer count. */
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
