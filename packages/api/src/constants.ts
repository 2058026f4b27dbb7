/** Strings that other programs read and write. Changing one of them breaks those programs. */

// Labels and annotations of add-ons.

/** Label of works, certificate requests and bindings: the add-on to which they belong. */
export const ADDON_NAME_LABEL = 'open-cluster-management.io/addon-name';
/** Label of AddOnTemplates and works: the version of the add-on. */
export const ADDON_VERSION_LABEL = 'open-cluster-management.io/addon-version';
/** Label of the bindings that upstream's manager creates for a template. Its value is empty. */
export const ADDON_TEMPLATE_NAME_LABEL = 'open-cluster-management.io/addon-template-name';
/** Label of works: the ManifestWorkReplicaSet that created them, as `<namespace>.<name>`. */
export const REPLICA_SET_LABEL = 'work.open-cluster-management.io/manifestworkreplicaset';
/** Label of works of a ManifestWorkReplicaSet: the Placement that selected the cluster. */
export const REPLICA_SET_PLACEMENT_LABEL = 'work.open-cluster-management.io/placementname';
/** Finalizer of ManifestWorkReplicaSets. */
export const REPLICA_SET_FINALIZER = 'work.open-cluster-management.io/manifest-work-cleanup';
/** Annotation of works of a ManifestWorkReplicaSet: the digest of the template from which they were written. */
export const TEMPLATE_DIGEST_ANNOTATION = 'outrigger.dev/template-digest';
/** Annotation of works of a ManifestWorkReplicaSet: when the hub last wrote the spec. */
export const TEMPLATE_WRITTEN_ANNOTATION = 'outrigger.dev/template-written-at';
/** Label of certificate requests, bindings and the cluster's namespace: the name of the cluster. */
export const CLUSTER_NAME_LABEL = 'open-cluster-management.io/cluster-name';
/** Annotation of deploy works: a JSON map from `configKey` to the digest of the config from which they were rendered. */
export const CONFIG_SPEC_HASH_ANNOTATION = 'open-cluster-management.io/config-spec-hash';
/** Annotation of ManagedClusters: image mirrors, as JSON `{"registries":[{"source","mirror"}]}`. */
export const IMAGE_REGISTRIES_ANNOTATION = 'open-cluster-management.io/image-registries';
/** Annotation of certificate requests that upstream's gRPC server creates. Outrigger never trusts it, because any client can write it. */
export const CSR_USER_ANNOTATION = 'open-cluster-management.io/csr-user';
/**
 * Annotation of works and ManagedClusterAddOns: a number from 0 to 100. When the cluster is deleted, objects with lower numbers are deleted
 * first.
 */
export const CLEANUP_PRIORITY_ANNOTATION = 'open-cluster-management.io/cleanup-priority';

/** Annotation of a Job or Pod in a template. The Job or Pod runs before the add-on is deleted. */
export const PRE_DELETE_ANNOTATION = 'addon.open-cluster-management.io/addon-pre-delete';
/** Annotation of manifests whose objects are kept when the add-on is removed. The value is ignored. */
export const DELETION_ORPHAN_ANNOTATION = 'addon.open-cluster-management.io/deletion-orphan';
/** Annotation of ManagedClusters. With the value `true`, the installer creates no add-on on the cluster. */
export const DISABLE_AUTOMATIC_INSTALLATION_ANNOTATION = 'addon.open-cluster-management.io/disable-automatic-installation';
/** Annotation of v1beta1 ManagedClusterAddOns: the value of `spec.installNamespace` in v1alpha1. */
export const INSTALL_NAMESPACE_ANNOTATION = 'addon.open-cluster-management.io/v1alpha1-install-namespace';
/** Annotation of ClusterManagementAddOns: which program manages the add-on. The value is `addon-manager` (the default) or `self`. */
export const LIFECYCLE_ANNOTATION = 'addon.open-cluster-management.io/lifecycle';
export const LIFECYCLE_ADDON_MANAGER = 'addon-manager';
/** Label of the ServiceAccount, Role and RoleBinding that the hub creates for an add-on's agent that uses tokens. The value is `true`. */
export const TOKEN_INFRASTRUCTURE_LABEL = 'addon.open-cluster-management.io/token-infrastructure';
/**
 * Label of the ServiceAccount, Role and RoleBinding that the hub creates for an add-on's agent that uses tokens: the name of the add-on.
 */
export const TOKEN_ADDON_NAME_LABEL = 'addon.open-cluster-management.io/name';
/**
 * The prefix of a label of ManagedClusters; the name of an add-on follows the prefix. The value of the label is `available`, `unhealthy` or
 * `unreachable`.
 */
export const FEATURE_LABEL_PREFIX = 'feature.open-cluster-management.io/addon-';

/** Annotation of the ManagedClusterAddOns that the installer created: the digest of the fields that it applied. */
export const INSTALLED_SPEC_ANNOTATION = 'outrigger.dev/installed-spec';
/** Annotation of ManagedClusterAddOns: the rendered manifests of the hooks that run before the add-on is removed, as a JSON list. */
export const PRE_DELETE_MANIFESTS_ANNOTATION = 'outrigger.dev/pre-delete-manifests';
/** Annotation of AddOnRollouts: the user who last changed the spec. Admission, if it is enabled, sets the annotation. */
export const SPEC_CHANGED_BY_ANNOTATION = 'outrigger.dev/spec-changed-by';

/**
 * Annotation of a ManagedClusterAddOn: the number of the revision that its cluster has. Only the hub writes it; agents may write only the
 * status.
 */
export const REVISION_ANNOTATION = 'outrigger.dev/revision';
/**
 * Annotation of stored content: the configs that have this content and that add-ons reference in their own spec, each as
 * `group/resource/namespace/name`, separated by spaces.
 */
export const CONTENT_OF_ANNOTATION = 'outrigger.dev/content-of';
/** Annotation of the stored content of a template: its version. */
export const CONTENT_VERSION_ANNOTATION = 'outrigger.dev/content-version';
/** Annotation of works: the digest of everything that rendering reads. If the digest is unchanged, the work need not be rendered again. */
export const RENDER_INPUTS_ANNOTATION = 'outrigger.dev/render-inputs';
/**
 * Annotation of works: the digest of the written spec and the resulting generation. The manager uses it to detect edits and lost content
 * without rendering.
 */
export const WRITTEN_ANNOTATION = 'outrigger.dev/written';
/** Annotation of works: the namespace for which the add-on was rendered. */
export const WORK_INSTALL_NAMESPACE_ANNOTATION = 'outrigger.dev/install-namespace';
/**
 * Annotation of the Namespace of a cluster, the identity record, as JSON: which agent uses the name of the cluster, and how long the
 * agent's certificates are valid.
 */
export const AGENT_IDENTITY_ANNOTATION = 'outrigger.dev/agent-identity';
/**
 * Annotation of ManagedClusters: the digest of the key with which the agent was last certified. It is used if the Namespace has no identity
 * record yet.
 */
export const AGENT_KEY_ANNOTATION = 'outrigger.dev/agent-key';
/** Annotation of the Namespaces that the hub created for a cluster: the uid of the ManagedCluster. */
export const MADE_NAMESPACE_ANNOTATION = 'outrigger.dev/made-for-cluster';
/**
 * Annotation on a ManagedCluster that is being deleted, or on the Namespace of a ManagedCluster that no longer exists. `forced` means that
 * the agent will never return, so the hub cleans up without it. On the Namespace, `confirmed` means that a user confirms that the deletion
 * of this cluster, together with many others, was intended.
 */
export const DETACH_ANNOTATION = 'outrigger.dev/detach';
/**
 * Annotation of AppliedManifestWorks: the keys of the labels that were copied from the work, separated by commas. The agent removes a
 * copied label when the work no longer has that label.
 */
export const COPIED_LABELS_ANNOTATION = 'outrigger.dev/copied-labels';
/**
 * The field manager with which the agent writes objects on managed clusters. A work may name another field manager, which must have this
 * prefix.
 */
export const WORK_FIELD_MANAGER = 'work-agent';
/** The feedback value in which the agent reports why a workload is not ready. Only works that an Outrigger manager rendered have it. */
export const NOT_READY_REASON = 'NotReadyReason';
/** The field manager of the ManagedClusterAddOn fields that the install strategy sets. */
export const INSTALLER_FIELD_MANAGER = 'outrigger-installer';

// Finalizers.

export const PRE_DELETE_FINALIZER = 'addon.open-cluster-management.io/addon-pre-delete';
/** Deprecated finalizers, which no other controller handles any more. The hub removes them from ManagedClusterAddOns. */
export const DEPRECATED_ADDON_FINALIZERS: readonly string[] = [
  'cluster.open-cluster-management.io/addon-pre-delete',
  'cluster.open-cluster-management.io/hosting-addon-pre-delete',
  'cluster.open-cluster-management.io/hosting-manifests-cleanup',
];
export const MANIFEST_WORK_FINALIZER = 'cluster.open-cluster-management.io/manifest-work-cleanup';
export const APPLIED_MANIFEST_WORK_FINALIZER = 'cluster.open-cluster-management.io/applied-manifest-work-cleanup';
export const CLUSTER_RBAC_FINALIZER = 'cluster.open-cluster-management.io/api-resource-cleanup';
export const CLUSTER_RESOURCES_FINALIZER = 'cluster.open-cluster-management.io/resource-cleanup';

// Clusters and placement.

export const CLUSTER_SET_LABEL = 'cluster.open-cluster-management.io/clusterset';
export const DEFAULT_CLUSTER_SET = 'default';
export const GLOBAL_CLUSTER_SET = 'global';
/** Annotation of the two built-in cluster sets. With the value `false`, the hub does not revert a user's changes to the selector. */
export const CLUSTER_SET_AUTO_UPDATE_ANNOTATION = 'cluster.open-cluster-management.io/autoupdate';
/** Annotation of ManagedClusters: when the hub accepted the cluster automatically. If a user denies the cluster later, it stays denied. */
export const AUTO_ACCEPTED_ANNOTATION = 'open-cluster-management.io/automatically-accepted-on';
export const SKIP_CLOCK_SYNC_ANNOTATION = 'registration.open-cluster-management.io/skip-clock-sync-check';
export const UNREACHABLE_TAINT = 'cluster.open-cluster-management.io/unreachable';
export const UNAVAILABLE_TAINT = 'cluster.open-cluster-management.io/unavailable';
/** Label of ClusterClaims that the agent does not report to the hub. */
export const SPOKE_ONLY_LABEL = 'open-cluster-management.io/spoke-only';
/** The name of the Lease that a cluster's agent renews in the namespace of the cluster on the hub. */
export const CLUSTER_LEASE_NAME = 'managed-cluster-lease';
/** The prefix of the only annotations that a joining agent may set. */
export const AGENT_ANNOTATION_PREFIX = 'agent.open-cluster-management.io';

export const PLACEMENT_LABEL = 'cluster.open-cluster-management.io/placement';
export const DECISION_GROUP_INDEX_LABEL = 'cluster.open-cluster-management.io/decision-group-index';
export const DECISION_GROUP_NAME_LABEL = 'cluster.open-cluster-management.io/decision-group-name';
/** Annotation of Placements. With the value `true`, the hub does not schedule the Placement. */
export const SCHEDULING_DISABLED_ANNOTATION = 'cluster.open-cluster-management.io/experimental-scheduling-disable';

/** Annotation of the Lease of a cluster: the version of the agent that renews it. */
export const AGENT_VERSION_ANNOTATION = 'outrigger.dev/agent-version';

/**
 * Annotation of the leading manager's Lease: a JSON list with one sentence for each kind that the manager cannot read. It is absent if the
 * manager can read all kinds.
 */
export const UNREADABLE_KINDS_ANNOTATION = 'outrigger.dev/unreadable-kinds';

// Namespaces, signers and roles.

/** Upstream's label of the namespaces that contain add-ons on a managed cluster. */
export const INSTALL_NAMESPACE_LABEL = 'addon.open-cluster-management.io/namespace';
/** The default of both `installNamespace` and `agentInstallNamespace`. */
export const DEFAULT_INSTALL_NAMESPACE = 'open-cluster-management-agent-addon';
export const HUB_NAMESPACE = 'open-cluster-management-hub';
export const AGENT_NAMESPACE = 'open-cluster-management-agent';
/** Kubernetes' signer for client certificates of its API. */
export const KUBE_CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';
/** The exact usages that an add-on's certificate request must have. */
export const CLIENT_CERTIFICATE_USAGES: readonly string[] = ['digital signature', 'key encipherment', 'client auth'];
export const APPROVED_REASON = 'AutoApprovedByHubCSRApprovingController';
export const APPROVED_MESSAGE = 'Auto approving addon agent certificate.';
export const DENIED_REASON = 'CSRDenied';

/** The aggregated ClusterRoles through which an administrator allows the manager to read configs, bind roles and use signing CAs. */
export const CONFIG_READER_ROLE = 'outrigger:config-reader';
export const BINDABLE_ROLES_ROLE = 'outrigger:bindable-roles';
export const SIGNERS_ROLE = 'outrigger:signers';

/** Returns the label that adds the rules of a ClusterRole to the given aggregated role. The value of the label is `true`. */
export function aggregationLabel(role: string): string {
  return `outrigger.dev/aggregate-to-${role.replace('outrigger:', '')}`;
}

// Values with a special meaning.

/** The value of `currentVersion` while the add-on moves to a version, and of `lastVersion` if no version was installed before. */
export const UNKNOWN_VERSION = 'unknown';
/** The name of a default config in v1beta1 that means "none". */
export const NO_DEFAULT_CONFIG = '__reserved_no_default__';
/** The wildcard admission, which admits every cluster of an entry, in the status of an AddOnRollout. */
export const EVERY_CLUSTER = '*';
/** The name of the only entry of a rollout whose strategy selects clusters by labels. */
export const LABEL_SELECTOR_ENTRY = 'labelSelector';
/** The name of the AddOnRollout that applies to all add-ons. While its `spec.paused` is true, no rollout admits a cluster. */
export const FLEET_ROLLOUT = 'fleet.outrigger.dev';
/** The format version in which this manager writes the status of AddOnRollouts. */
export const ROLLOUT_FORMAT_VERSION = 1;
/**
 * The format version of records of add-ons that a RolloutPolicy governs. A manager that does not support gates does not change such
 * records.
 */
export const GATED_ROLLOUT_FORMAT_VERSION = 2;

// Names of the volumes and variables that rendering adds to workloads.

export const HUB_KUBECONFIG_VARIABLE = 'HUB_KUBECONFIG';
export const CLUSTER_NAME_VARIABLE = 'CLUSTER_NAME';
export const INSTALL_NAMESPACE_VARIABLE = 'INSTALL_NAMESPACE';
export const HUB_KUBECONFIG_PATH = '/managed/hub-kubeconfig/kubeconfig';
export const HUB_KUBECONFIG_VOLUME = 'hub-kubeconfig';
export const HUB_KUBECONFIG_MOUNT = '/managed/hub-kubeconfig';
export const PROXY_CA_VOLUME = 'proxy-ca-bundle';
export const PROXY_CA_MOUNT = '/managed/proxy-ca';
export const PROXY_CA_KEY = 'ca-bundle.crt';
export const PROXY_CA_VARIABLE = 'CA_BUNDLE_FILE_PATH';

/** The maximum size of a work's manifests, in bytes of JSON. */
export const MAX_WORK_BYTES = 512_000;
