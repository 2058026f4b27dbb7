/**
 * The valid combinations of type, status and reason for every condition that the system writes or reads. Combinations that are not listed
 * do not compile. The messages are in `messages.ts`.
 */
type Legal<Outcomes> = {
  [Type in keyof Outcomes & string]: { readonly type: Type; readonly message: string } & Outcomes[Type];
}[keyof Outcomes & string];

interface Is<Status extends 'True' | 'False' | 'Unknown', Reason extends string> {
  readonly status: Status;
  readonly reason: Reason;
}

/**
 * One of the known reasons, which editors suggest, or any other reason, because some reasons are copied from objects that other programs
 * write.
 */
type Copied<Known extends string> = Known | (string & {});

interface AddOnOutcomes {
  Available:
    | Is<'True', 'WorkApplied' | 'ProbeAvailable' | 'ManagedClusterAddOnLeaseUpdated'>
    | Is<'False', 'WorkNotApplied' | 'ProbeUnavailable' | 'ManagedClusterAddOnLeaseUpdateStopped' | 'RequiredDependencyNotSatisfied'>
    | Is<
        'Unknown',
        Copied<
          'WorkNotFound' | 'WorkNotApplied' | 'NoProbeResult' | 'ManagedClusterAddOnLeaseNotFound' | 'ManagedClusterLeaseUpdateStopped'
        >
      >;
  Degraded: Is<'True', 'DependencyNotSatisfied' | 'RequiredDependencyNotSatisfied'> | Is<'False', 'DependenciesSatisfied'>;
  Configured:
    | Is<'True', 'ConfigurationsConfigured'>
    | Is<'False', 'ConfigurationsNotConfigured' | 'ConfigurationNotFound' | 'ConfigurationUnsupported' | 'ConfigurationForbidden'>;
  Progressing: Is<'True', 'Installing' | 'Upgrading' | 'Rollingback' | 'Reconfiguring'> | Is<'False', 'Succeed' | 'Failed'>;
  ManifestApplied: Is<'True', 'AddonManifestApplied'> | Is<'False', 'AddonManifestAppliedFailed' | 'ManifestWorkApplyFailed'>;
  RegistrationApplied:
    | Is<'True', 'NilRegistration' | 'SetPermissionApplied'>
    | Is<'False', 'SetPermissionFailed' | 'PermissionConfigPending'>;
  HookManifestCompleted: Is<'True', 'HookManifestIsCompleted'> | Is<'False', 'HookManifestIsNotCompleted'>;
  TokenInfrastructureReady: Is<'True', 'TokenInfrastructureReady'> | Is<'False', 'TokenInfrastructureApplyFailed'>;
  TokenRefreshed: Is<'True', 'AddonTokenRefreshed'> | Is<'False', 'TokenCreationFailed'>;
  ClusterCertificateRotated: Is<'True', 'ClientCertificateUpdated'> | Is<'False', 'ClientCertificateUpdateFailed'>;
  /** This condition belongs to hosted mode. Only upstream writes it. */
  HostingManifestApplied: Is<'True', 'AddonManifestApplied'> | Is<'False', 'AddonManifestAppliedFailed' | 'ManifestWorkApplyFailed'>;
  /** This condition belongs to hosted mode. Only upstream writes it. */
  HostingClusterValidity: Is<'True', 'HostingClusterValid'> | Is<'False', 'HostingClusterInvalid'>;
}
/** The conditions of a ManagedClusterAddOn. */
export type AddOnCondition = Legal<AddOnOutcomes>;

/** The AddOnCondition of one type. */
export type AddOnConditionOf<T extends AddOnCondition['type']> = Extract<AddOnCondition, { type: T }>;

/** The conditions of one entry in `installProgressions`, and of the ClusterManagementAddOn itself if labels select its clusters. */
interface ProgressionOutcomes {
  Progressing: Is<'True', 'Progressing'> | Is<'False', 'Completed' | 'Failed'>;
}

interface ManagementOutcomes extends ProgressionOutcomes {
  TargetsResolved:
    | Is<'True', 'AllResolved'>
    | Is<'False', 'PlacementNotFound' | 'DecisionsIncomplete' | 'RemovalNeedsConfirmation' | 'DefaultVersionGone' | 'ContentNotStored'>;
  DependenciesValid: Is<'True', 'NoCycle'> | Is<'False', 'CircularDependency'>;
  /** The manager sets this condition only while the declaration requests content that an automatic rollback has rejected. */
  Degraded: Is<'True', 'RolledBack'>;
}
/** The conditions of a ClusterManagementAddOn. */
export type ManagementCondition = Legal<ManagementOutcomes>;

interface WorkOutcomes {
  Applied: Is<'True', 'AppliedManifestWorkComplete'> | Is<'False', 'AppliedManifestWorkFailed'>;
  Available: Is<'True', 'ResourcesAvailable'> | Is<'False', 'ResourcesNotAvailable'> | Is<'Unknown', 'ResourcesStatusUnknown'>;
  Deleting: Is<'True', 'WorkDeleting'>;
  /** The agent sets this condition only while it cannot remove an object that the work no longer contains. */
  ResourcesReleased: Is<'False', 'ReleaseFailed'>;
}
/** The conditions of a ManifestWork, in addition to the aggregates of condition rules (`ConditionRulesAggregated`). */
export type WorkCondition = Legal<WorkOutcomes>;

interface NamespaceOutcomes {
  NamespaceAvailable: Is<'True', 'NamespaceApplied'> | Is<'False', 'NamespaceApplyFailed'>;
}
/** The conditions of a namespace in the status of a ManagedCluster. */
export type ManagedNamespaceCondition = Legal<NamespaceOutcomes>;

interface ManifestOutcomes {
  Applied: Is<'True', 'AppliedManifestComplete'> | Is<'False', 'AppliedManifestFailed' | 'AppliedManifestSSAIgnoreFieldError'>;
  Available:
    | Is<'True', 'ResourceAvailable'>
    | Is<'False', 'ResourceNotAvailable'>
    | Is<'Unknown', 'FetchingResourceFailed' | 'IncompleteResourceMeta'>;
  StatusFeedbackSynced: Is<'True', 'NoStatusFeedbackSynced' | 'StatusFeedbackSynced'> | Is<'False', 'StatusFeedbackSyncFailed'>;
}
/** The conditions of one manifest of a ManifestWork, in addition to those of condition rules. */
export type ManifestConditionOutcome = Legal<ManifestOutcomes>;

export type ConditionRuleReason =
  | 'ConditionRuleEvaluated'
  | 'ConditionRuleInvalid'
  | 'ConditionRuleExpressionError'
  | 'ConditionRuleInternalError';
export const CONDITION_RULES_AGGREGATED = 'ConditionRulesAggregated';

interface ClusterOutcomes {
  HubAcceptedManagedCluster: Is<'True', 'HubClusterAdminAccepted'> | Is<'False', 'HubClusterAdminDenied' | 'Error'>;
  ManagedClusterJoined: Is<'True', 'ManagedClusterJoined'>;
  ManagedClusterConditionAvailable:
    | Is<'True', 'ManagedClusterAvailable'>
    | Is<'False', 'ManagedClusterKubeAPIServerUnavailable'>
    | Is<'Unknown', 'ManagedClusterLeaseUpdateStopped'>;
  ManagedClusterConditionClockSynced: Is<'True', 'ManagedClusterClockSynced'> | Is<'False', 'ManagedClusterClockOutOfSync'>;
  Deleting: Is<'True', 'NoResource'> | Is<'False', 'ResourceRemaining' | 'DeletingError'>;
  ClusterCertificateRotated: Is<'True', 'ClientCertificateUpdated'> | Is<'False', 'ClientCertificateUpdateFailed'>;
  /** The agent sets this condition while it cannot read a kind that it needs, on the hub or on its cluster. */
  AgentKindsReadable: Is<'False', 'KindsMissing'>;
}
/** The conditions of a ManagedCluster. */
export type ClusterCondition = Legal<ClusterOutcomes>;

interface PlacementOutcomes {
  PlacementSatisfied:
    | Is<'True', 'AllDecisionsScheduled'>
    | Is<
        'False',
        | 'NoManagedClusterSetBindings'
        | 'NoIntersection'
        | 'AllManagedClusterSetsEmpty'
        | 'NoManagedClusterMatched'
        | 'NotAllDecisionsScheduled'
      >;
  PlacementMisconfigured: Is<'True', 'Misconfigured'> | Is<'False', 'Succeedconfigured'>;
}
export type PlacementCondition = Legal<PlacementOutcomes>;

interface ReplicaSetOutcomes {
  PlacementVerified: Is<'True', 'AsExpected'> | Is<'False', 'PlacementDecisionNotFound' | 'PlacementDecisionEmpty' | 'NotAsExpected'>;
  PlacementRolledOut: Is<'True', 'Complete'> | Is<'False', 'Progressing'>;
  ManifestworkApplied:
    | Is<'True', 'AsExpected'>
    | Is<'False', 'Processing' | 'NotAsExpected' | 'PlacementDecisionEmpty' | 'InvalidManifestWorkName'>;
}
/** The conditions of a ManifestWorkReplicaSet. */
export type ReplicaSetCondition = Legal<ReplicaSetOutcomes>;

interface ClusterSetOutcomes {
  ClusterSetEmpty: Is<'True', 'NoClusterMatched'> | Is<'False', 'ClustersSelected'>;
}
export type ClusterSetCondition = Legal<ClusterSetOutcomes>;

interface ClusterSetBindingOutcomes {
  Bound: Is<'True', 'ClusterSetBound'> | Is<'False', 'ClusterSetNotFound'>;
}
export type ClusterSetBindingCondition = Legal<ClusterSetBindingOutcomes>;

/** The reasons of Events about one ManagedClusterAddOn. */
export type AddOnEventReason =
  | 'Installed'
  | 'Upgraded'
  | 'RolledBack'
  | 'Reconfigured'
  | 'Failed'
  | 'ApplyFailed'
  | 'RegistrationRefused'
  | 'DependencyNotSatisfied'
  | 'CSRDenied'
  | 'StatusNotGranted';

/** The reasons of Events that the hub writes about a ManagedCluster. */
export type ClusterEventReason = 'ClusterUnreachable' | 'ClusterReachable';

/** The reasons of Events about a ClusterManagementAddOn. */
export type FleetEventReason =
  | 'RolloutStarted'
  | 'RolloutHalted'
  | 'RolloutRolledBack'
  | 'RolloutCompleted'
  | 'RolloutWaiting'
  | 'RolloutGateOpened'
  | 'RemovalNeedsConfirmation';
