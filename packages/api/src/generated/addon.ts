// Written by tools/gen from packages/api: change the definitions there and run `npm run gen`.
import type { Condition, JsonObject, KubeObject, LabelSelector } from '@outrigger/core';
import type { DeleteOption, ManifestConfig, RolloutStrategy, WorkExecutor } from './work.js';

/** An add-on of the fleet: its name, the configurations that it supports, and the clusters on which it is installed. */
export interface ClusterManagementAddOn extends KubeObject {
  /** The desired state. */
  readonly spec: ClusterManagementAddOnSpec;
  /** The observed state. Written by the add-on manager. */
  readonly status?: ClusterManagementAddOnStatus;
}

/** An add-on of the fleet: its name, the configurations that it supports, and the clusters on which it is installed. */
export interface ClusterManagementAddOnV1beta1 extends KubeObject {
  /** The desired state. */
  readonly spec: ClusterManagementAddOnV1beta1Spec;
  /** The observed state. Written by the add-on manager. */
  readonly status?: ClusterManagementAddOnV1beta1Status;
}

/** An add-on on one managed cluster; its namespace is the name of the cluster, its name that of the ClusterManagementAddOn. */
export interface ManagedClusterAddOn extends KubeObject {
  /** The desired state. Default: `{}`. */
  readonly spec: ManagedClusterAddOnSpec;
  /** The observed state. Written by the add-on manager and the agent of the cluster. */
  readonly status?: ManagedClusterAddOnStatus;
}

/** An add-on on one managed cluster; its namespace is the name of the cluster, its name that of the ClusterManagementAddOn. */
export interface ManagedClusterAddOnV1beta1 extends KubeObject {
  /** The desired state. Default: `{}`. */
  readonly spec: ManagedClusterAddOnV1beta1Spec;
  /** The observed state. Written by the add-on manager and the agent of the cluster. */
  readonly status?: ManagedClusterAddOnV1beta1Status;
}

/** A configuration that several add-ons can share: variables, nodes, images, proxy, namespace and resources of the agent. */
export interface AddOnDeploymentConfig extends KubeObject {
  /** The desired state. */
  readonly spec: AddOnDeploymentConfigSpec;
}

/** An add-on as data: the manifests of its agent and its credentials. The label `open-cluster-management.io/addon-version` makes it one version of the add-on. */
export interface AddOnTemplate extends KubeObject {
  /** The desired state. */
  readonly spec: AddOnTemplateSpec;
}

/** The description of the add-on, the clusters on which it is installed, and its dependencies. */
export interface ClusterManagementAddOnSpec {
  /** Name and description for users. */
  readonly addOnMeta?: AddOnMeta;
  /** Deprecated and ignored: use supportedConfigs. */
  readonly addOnConfiguration?: ConfigCoordinates;
  /** Kinds of configuration that the add-on supports. No other kind may be referenced for it. */
  readonly supportedConfigs?: readonly SupportedConfig[];
  /** Add-ons that must be installed and available on the same cluster. A missing dependency does not delay the add-on; the Degraded condition reports it. */
  readonly dependencies?: readonly AddOnDependency[];
  /** The clusters on which the add-on is installed. Default: `{"type":"Manual"}`. */
  readonly installStrategy?: InstallStrategy;
}

/** The name and description of the add-on for users. */
export interface AddOnMeta {
  /** Name shown in lists. */
  readonly displayName?: string;
  /** What the add-on does. */
  readonly description?: string;
}

/** The original form of a reference to a configuration. It is stored but not used. */
export interface ConfigCoordinates {
  /** Name of the CustomResourceDefinition of the configuration. */
  readonly crdName?: string;
  /** Name of the configuration object. */
  readonly crName?: string;
  /** The last observed generation of the configuration. */
  readonly lastObservedGeneration?: number;
}

/** A kind of configuration that the add-on supports. */
export interface SupportedConfig {
  /** API group of the configuration; empty for the core group. Default: `""`. */
  readonly group?: string;
  /** Plural resource name of the configuration, such as `addondeploymentconfigs`. */
  readonly resource: string;
  /** The object that is used if no other one is referenced. */
  readonly defaultConfig?: ConfigReferent;
}

/** The location of a configuration object. */
export interface ConfigReferent {
  /** Namespace of the configuration; absent for a cluster-scoped one. */
  readonly namespace?: string;
  /** Name of the configuration. */
  readonly name: string;
}

/** Another add-on this one needs on the same cluster. */
export interface AddOnDependency {
  /** Name of the other add-on (its ClusterManagementAddOn). */
  readonly name: string;
  /** `Required`: the add-on is not available without it. `Optional`: it works with less. Default: `"Required"`. */
  readonly type?: 'Required' | 'Optional';
  /** What does not work without the dependency. The Degraded condition contains this text. */
  readonly message?: string;
}

/** The clusters on which the add-on is installed. */
export interface InstallStrategy {
  /** `Manual` installs nothing by itself; `Placements` follows Placements; `ClusterLabelSelector` takes every accepted cluster with matching labels. Default: `"Manual"`. */
  readonly type?: 'Manual' | 'Placements' | 'ClusterLabelSelector';
  /** With type `Placements`: the Placements that select the clusters. A cluster that several Placements select belongs to the last of them. */
  readonly placements?: readonly PlacementStrategy[];
  /** With type `ClusterLabelSelector`: selects ManagedClusters by label; `{}` selects every accepted cluster. */
  readonly labelSelector?: LabelSelector;
  /** With type `ClusterLabelSelector`. Fields of the ManagedClusterAddOns of these clusters. A change here also changes them, except for fields that a user overrides. */
  readonly addonTemplate?: InstallTemplate;
  /** With type `ClusterLabelSelector`. Configurations used on these clusters. They replace the defaults of the same kind. */
  readonly configs?: readonly AddOnConfig[];
  /** With type `ClusterLabelSelector`: how changes travel over these clusters; absent is all at once. There are no decision groups here. */
  readonly rolloutStrategy?: RolloutStrategy;
}

/** The clusters that one Placement selects, and the settings of the add-on on them. */
export interface PlacementStrategy {
  /** Namespace of the Placement. */
  readonly namespace: string;
  /** Name of the Placement. */
  readonly name: string;
  /** Fields of the ManagedClusterAddOns of these clusters. A change here also changes them, except for fields that a user overrides. */
  readonly addonTemplate?: InstallTemplate;
  /** Configurations used on these clusters. They replace the defaults of the same kind. */
  readonly configs?: readonly AddOnConfig[];
  /** How changes are rolled out to these clusters. Default: `{"type":"All"}`. */
  readonly rolloutStrategy?: RolloutStrategy;
}

/** Fields that the installer sets in the spec of each ManagedClusterAddOn of the entry. */
export interface InstallTemplate {
  /** Namespace on the managed cluster; written when the add-on is created and not changed later. */
  readonly installNamespace?: string;
  /** Version to install. If absent, the default version is installed. */
  readonly installVersion?: string;
  /** Configurations of the add-on on these clusters. They replace the defaults of the same kind. */
  readonly configs?: readonly AddOnConfig[];
}

/** A reference to one configuration object. */
export interface AddOnConfig {
  /** API group of the configuration; empty for the core group. Default: `""`. */
  readonly group?: string;
  /** Plural resource name of the configuration, such as `addondeploymentconfigs`. */
  readonly resource: string;
  /** Namespace of the configuration; absent for a cluster-scoped one. */
  readonly namespace?: string;
  /** Name of the configuration. */
  readonly name: string;
}

/** The observed state of the add-on in the whole fleet. */
export interface ClusterManagementAddOnStatus {
  /** Every version that can be installed. */
  readonly supportedVersions?: readonly string[];
  /** The version that is installed if none is requested. */
  readonly defaultVersion?: string;
  /** The last observed default configurations. */
  readonly defaultconfigReferences?: readonly DefaultConfigReference[];
  /** The progress of each Placement of the install strategy. */
  readonly installProgressions?: readonly InstallProgression[];
  /** `TargetsResolved`, `DependenciesValid`, and `Progressing` with a label selector. */
  readonly conditions?: readonly Condition[];
}

/** A default configuration with its current content. */
export interface DefaultConfigReference {
  /** API group of the configuration; empty for the core group. Default: `""`. */
  readonly group?: string;
  /** Plural resource name of the configuration, such as `addondeploymentconfigs`. */
  readonly resource: string;
  /** The configuration and the digest of its content. */
  readonly desiredConfig?: ConfigSpecHash;
}

/** A configuration object with the digest of its content. */
export interface ConfigSpecHash {
  /** Namespace of the configuration; absent for a cluster-scoped one. */
  readonly namespace?: string;
  /** Name of the configuration. */
  readonly name: string;
  /** SHA-256 of the content, in hex; empty while the object has not been read. */
  readonly specHash?: string;
}

/** The progress of the clusters of one Placement. */
export interface InstallProgression {
  /** Namespace of the Placement. */
  readonly namespace: string;
  /** Name of the Placement. */
  readonly name: string;
  /** The configurations of this entry. */
  readonly configReferences?: readonly InstallConfigReference[];
  /** `Progressing`, with the counters in its message. */
  readonly conditions?: readonly Condition[];
}

/** A configuration of one entry, and the progress of its rollout. */
export interface InstallConfigReference {
  /** API group of the configuration; empty for the core group. Default: `""`. */
  readonly group?: string;
  /** Plural resource name of the configuration, such as `addondeploymentconfigs`. */
  readonly resource: string;
  /** The content that the clusters of the entry should use. */
  readonly desiredConfig?: ConfigSpecHash | null;
  /** The content of the last completed rollout. */
  readonly lastKnownGoodConfig?: ConfigSpecHash | null;
  /** The content that every cluster of the entry uses. */
  readonly lastAppliedConfig?: ConfigSpecHash | null;
}

/** The description of the add-on, the clusters on which it is installed, and its dependencies. */
export interface ClusterManagementAddOnV1beta1Spec {
  /** Name and description for users. */
  readonly addOnMeta?: AddOnMeta;
  /** Kinds of configuration that the add-on supports, each with its default object. The name `__reserved_no_default__` means that there is no default. */
  readonly defaultConfigs?: readonly AddOnConfig[];
  /** Add-ons that must be installed and available on the same cluster. A missing dependency does not delay the add-on; the Degraded condition reports it. */
  readonly dependencies?: readonly AddOnDependency[];
  /** The clusters on which the add-on is installed. Default: `{"type":"Manual"}`. */
  readonly installStrategy?: InstallStrategy;
}

/** The observed state of the add-on in the whole fleet. */
export interface ClusterManagementAddOnV1beta1Status {
  /** Every version that can be installed. */
  readonly supportedVersions?: readonly string[];
  /** The version that is installed if none is requested. */
  readonly defaultVersion?: string;
  /** The last observed default configurations. */
  readonly defaultConfigReferences?: readonly DefaultConfigReference[];
  /** The progress of each Placement of the install strategy. */
  readonly installProgressions?: readonly InstallProgression[];
  /** `TargetsResolved`, `DependenciesValid`, and `Progressing` with a label selector. */
  readonly conditions?: readonly Condition[];
}

/** The desired state of the add-on on one cluster. */
export interface ManagedClusterAddOnSpec {
  /** Namespace on the managed cluster where the agent runs. Default: `"open-cluster-management-agent-addon"`. */
  readonly installNamespace?: string;
  /** Version to install on this cluster, one of the supported versions of the ClusterManagementAddOn. If absent, its default version is installed. */
  readonly installVersion?: string;
  /** Configurations for this cluster. They replace those of the fleet of the same kind. */
  readonly configs?: readonly AddOnConfig[];
}

/** The observed state of the add-on on this cluster. */
export interface ManagedClusterAddOnStatus {
  /** `Available`, `Degraded`, `Progressing`, `Configured`, `ManifestApplied`, `RegistrationApplied`, and those of other writers. */
  readonly conditions?: readonly Condition[];
  /** The version that is completely installed; `unknown` while the add-on moves. */
  readonly currentVersion?: string;
  /** The version before the current one; empty after a fresh install, `unknown` if it was never installed. */
  readonly lastVersion?: string;
  /** The last version that the manager processed. */
  readonly installVersion?: string;
  /** Objects that are related to the add-on. */
  readonly relatedObjects?: readonly RelatedObject[];
  /** Name and description for users. */
  readonly addOnMeta?: AddOnMeta;
  /** Kinds of configuration that this add-on supports. */
  readonly supportedConfigs?: readonly ConfigGroupResource[];
  /** Namespace on the managed cluster in which the agent runs and which contains its Secrets and its Lease. The hub sets it. */
  readonly namespace?: string;
  /** How the health of the add-on is determined. */
  readonly healthCheck?: HealthCheck;
  /** Deprecated and ignored: see configReferences. */
  readonly addOnConfiguration?: ConfigCoordinates;
  /** The configurations in use, sorted by group and resource. */
  readonly configReferences?: readonly ConfigReference[];
  /** The certificates that the cluster's agent requests for the add-on, computed by the hub. */
  readonly registrations?: readonly RegistrationConfig[];
  /** How the add-on authenticates to the hub: with a certificate or with a ServiceAccount token. Written by the cluster's agent. */
  readonly kubeClientDriver?: 'csr' | 'token';
}

/** An object that is related to the add-on. */
export interface RelatedObject {
  /** API group of the object. */
  readonly group: string;
  /** Plural resource name of the object. */
  readonly resource: string;
  /** Namespace of the object; absent for a cluster-scoped one. */
  readonly namespace?: string;
  /** Name of the object. */
  readonly name: string;
}

/** A kind of configuration. */
export interface ConfigGroupResource {
  /** API group of the configuration; empty for the core group. Default: `""`. */
  readonly group?: string;
  /** Plural resource name of the configuration, such as `addondeploymentconfigs`. */
  readonly resource: string;
}

/** How the health of the add-on is determined. */
export interface HealthCheck {
  /** `Lease`: the cluster's agent watches a Lease the add-on renews. `Customized`: the hub probes the add-on's workloads, or the add-on reports itself. Default: `"Lease"`. */
  readonly mode?: 'Lease' | 'Customized';
}

/** A configuration that this add-on uses. */
export interface ConfigReference {
  /** API group of the configuration; empty for the core group. Default: `""`. */
  readonly group?: string;
  /** Plural resource name of the configuration, such as `addondeploymentconfigs`. */
  readonly resource: string;
  /** Namespace of the configuration; absent for a cluster-scoped one. */
  readonly namespace?: string;
  /** Name of the configuration. */
  readonly name: string;
  /** The last observed generation of the referenced object. */
  readonly lastObservedGeneration?: number;
  /** The object that should be in use, with the digest of its content. */
  readonly desiredConfig?: ConfigSpecHash;
  /** The object in use: the last one whose rollout completed on this cluster. */
  readonly lastAppliedConfig?: ConfigSpecHash;
}

/** One client certificate the cluster's agent requests for the add-on. */
export interface RegistrationConfig {
  /** Signer that issues the certificate. */
  readonly signerName: string;
  /** The subject of the certificate, computed by the hub. */
  readonly subject?: RegistrationSubject;
}

/** The subject of the certificate. */
export interface RegistrationSubject {
  /** User name: the common name of the certificate. */
  readonly user?: string;
  /** Groups: the organizations of the certificate. */
  readonly groups?: readonly string[];
  /** Organizational units of the certificate. */
  readonly organizationUnit?: readonly string[];
}

/** The desired state of the add-on on one cluster. */
export interface ManagedClusterAddOnV1beta1Spec {
  /** Version to install on this cluster, one of the supported versions of the ClusterManagementAddOn. If absent, its default version is installed. */
  readonly installVersion?: string;
  /** Configurations for this cluster. They replace those of the fleet of the same kind. */
  readonly configs?: readonly AddOnConfig[];
}

/** The observed state of the add-on on this cluster. */
export interface ManagedClusterAddOnV1beta1Status {
  /** `Available`, `Degraded`, `Progressing`, `Configured`, `ManifestApplied`, `RegistrationApplied`, and those of other writers. */
  readonly conditions?: readonly Condition[];
  /** The version that is completely installed; `unknown` while the add-on moves. */
  readonly currentVersion?: string;
  /** The version before the current one; empty after a fresh install, `unknown` if it was never installed. */
  readonly lastVersion?: string;
  /** The last version that the manager processed. */
  readonly installVersion?: string;
  /** Objects that are related to the add-on. */
  readonly relatedObjects?: readonly RelatedObject[];
  /** Name and description for users. */
  readonly addOnMeta?: AddOnMeta;
  /** Kinds of configuration that this add-on supports. */
  readonly supportedConfigs?: readonly ConfigGroupResource[];
  /** Namespace on the managed cluster in which the agent runs and which contains its Secrets and its Lease. The hub sets it. */
  readonly namespace?: string;
  /** How the health of the add-on is determined. */
  readonly healthCheck?: HealthCheck;
  /** The configurations in use, sorted by group and resource. */
  readonly configReferences?: readonly ConfigReferenceV1beta1[];
  /** The credentials that the cluster's agent requests for the add-on, computed by the hub. */
  readonly registrations?: readonly RegistrationConfigV1beta1[];
}

/** A configuration that this add-on uses. */
export interface ConfigReferenceV1beta1 {
  /** API group of the configuration; empty for the core group. Default: `""`. */
  readonly group?: string;
  /** Plural resource name of the configuration, such as `addondeploymentconfigs`. */
  readonly resource: string;
  /** The last observed generation of the referenced object. */
  readonly lastObservedGeneration?: number;
  /** The object that should be in use, with the digest of its content. */
  readonly desiredConfig?: ConfigSpecHash;
  /** The object in use: the last one whose rollout completed on this cluster. */
  readonly lastAppliedConfig?: ConfigSpecHash;
}

/** A credential that the cluster's agent requests for the add-on. */
export interface RegistrationConfigV1beta1 {
  /** `kubeClient`: a sign-in to the hub's API. `customSigner`: a certificate from an authority of its own. */
  readonly type: 'kubeClient' | 'customSigner';
  /** With type `kubeClient`. */
  readonly kubeClient?: KubeClientRegistrationStatus;
  /** With type `customSigner`. */
  readonly customSigner?: CustomSignerRegistrationStatus;
}

/** A credential for the hub's API. */
export interface KubeClientRegistrationStatus {
  /** The subject of the credential, computed by the hub. */
  readonly subject?: KubeClientSubject;
  /** How the add-on authenticates: with a certificate or with a ServiceAccount token. Written by the cluster's agent. */
  readonly driver?: 'csr' | 'token';
}

/** The subject of the credential. */
export interface KubeClientSubject {
  /** User name: the common name of the certificate. */
  readonly user?: string;
  /** Groups: the organizations of the certificate. */
  readonly groups?: readonly string[];
}

/** A certificate from a certificate authority of the add-on. */
export interface CustomSignerRegistrationStatus {
  /** Signer that issues the certificate. */
  readonly signerName: string;
  /** The subject of the certificate, computed by the hub. */
  readonly subject?: CustomSignerSubject;
}

/** The subject of the certificate. */
export interface CustomSignerSubject {
  /** User name: the common name of the certificate. */
  readonly user?: string;
  /** Groups: the organizations of the certificate. */
  readonly groups?: readonly string[];
  /** Organizational units of the certificate. */
  readonly organizationUnits?: readonly string[];
}

/** How the agent of an add-on is deployed. */
export interface AddOnDeploymentConfigSpec {
  /** Variables for the templates of the add-on. */
  readonly customizedVariables?: readonly CustomizedVariable[];
  /** The nodes on which the pods run. If absent, the template decides. */
  readonly nodePlacement?: NodePlacement;
  /** Other registries to pull images from. The last entry that matches an image is used. */
  readonly registries?: readonly ImageMirror[];
  /** How the add-on reaches the hub through a proxy. */
  readonly proxyConfig?: ProxyConfig;
  /** Namespace on the managed cluster. If empty, the namespaces of the template are used. Default: `"open-cluster-management-agent-addon"`. */
  readonly agentInstallNamespace?: string;
  /** Compute resources of containers; the last entry that matches a container is used. */
  readonly resourceRequirements?: readonly ContainerResourceRequirements[];
}

/** A variable for the templates of the add-on. */
export interface CustomizedVariable {
  /** Name of the variable, as in `{{NAME}}`. */
  readonly name: string;
  /** Text it stands for. */
  readonly value?: string;
}

/** The nodes on which the pods of the add-on run. Each part can be used without the other. */
export interface NodePlacement {
  /** Labels that a node must have. */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Taints that the pods tolerate. */
  readonly tolerations?: readonly PodToleration[];
}

/** A node taint that the pods tolerate. */
export interface PodToleration {
  /** Key of the taint. Empty with operator `Exists` means every taint. */
  readonly key?: string;
  /** `Equal` (the default) compares the value, `Exists` only the key, `Lt` and `Gt` compare numbers. */
  readonly operator?: 'Exists' | 'Equal' | 'Lt' | 'Gt' | '';
  /** Value of the taint, with operator `Equal`. */
  readonly value?: string;
  /** Effect of the taint. Empty means every effect. */
  readonly effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute' | '';
  /** With effect `NoExecute`: how long the taint is tolerated. */
  readonly tolerationSeconds?: number;
}

/** Another registry to pull images from. */
export interface ImageMirror {
  /** Registry, optionally with a path, to pull from. */
  readonly mirror: string;
  /** Registry or prefix that is replaced; empty replaces the registry of every image. */
  readonly source?: string;
}

/** How the add-on reaches the hub through a proxy. */
export interface ProxyConfig {
  /** Proxy for http addresses. */
  readonly httpProxy?: string;
  /** Proxy for https addresses. */
  readonly httpsProxy?: string;
  /** Hosts, domains and networks reached directly, separated by commas. */
  readonly noProxy?: string;
  /** The CA certificates of the proxy, in PEM, base64-encoded. */
  readonly caBundle?: string;
}

/** Compute resources of the containers that a pattern matches. */
export interface ContainerResourceRequirements {
  /** The containers, as `<workload resource>:<workload name>:<container name>`. Each part may be `*`. */
  readonly containerID: string;
  /** The resources they get. */
  readonly resources: ContainerResources;
}

/** Compute resources of a container. */
export interface ContainerResources {
  /** The maximum that the container may use. */
  readonly limits?: Readonly<Record<string, number | string>>;
  /** The amount that is reserved for the container. */
  readonly requests?: Readonly<Record<string, number | string>>;
  /** Resource claims of the pod that the container uses. */
  readonly claims?: readonly ContainerResourceClaim[];
}

/** A resource claim of the pod. */
export interface ContainerResourceClaim {
  /** Name of the claim in the pod. */
  readonly name: string;
  /** The request of the claim. If absent, all requests. */
  readonly request?: string;
}

/** The agent of an add-on and its credentials. */
export interface AddOnTemplateSpec {
  /** The add-on to which this template belongs (the name of its ClusterManagementAddOn). */
  readonly addonName: string;
  /** The manifests that are applied on each managed cluster. `{{NAME}}` is replaced by the value of a variable. */
  readonly agentSpec: TemplateWorkSpec;
  /** Credentials of the agent on the hub. */
  readonly registration?: readonly TemplateRegistration[];
}

/** Objects for one managed cluster and how they are treated. */
export interface TemplateWorkSpec {
  /** The objects. */
  readonly workload?: TemplateManifests;
  /** What happens to the objects when the work is deleted. */
  readonly deleteOption?: DeleteOption;
  /** How some of the objects are treated. */
  readonly manifestConfigs?: readonly ManifestConfig[];
  /** The identity with whose permissions the objects are applied. Defaults to the agent. */
  readonly executor?: WorkExecutor;
}

/** The objects of a template. */
export interface TemplateManifests {
  /** The objects; `{{NAME}}` stands for a variable. */
  readonly manifests?: readonly JsonObject[];
}

/** One credential of the agent. */
export interface TemplateRegistration {
  /** `KubeClient`: a kubeconfig for the hub's API. `CustomSigner`: a certificate from an authority of your own. */
  readonly type: 'KubeClient' | 'CustomSigner';
  /** With type `KubeClient`: the permissions of the agent. If absent, the agent can authenticate but has no permissions. */
  readonly kubeClient?: KubeClientRegistration;
  /** With type `CustomSigner`: signer, subject and authority. */
  readonly customSigner?: CustomSignerRegistration;
}

/** What the agent may do with the hub's API. */
export interface KubeClientRegistration {
  /** Permissions of the agent on the hub. */
  readonly hubPermissions?: readonly HubPermission[];
}

/** A permission of the agent on the hub. A RoleBinding grants it to the group of the agent. */
export interface HubPermission {
  /** Where the role is bound: `CurrentCluster` in the cluster's namespace, `SingleNamespace` in a namespace named here. */
  readonly type: 'CurrentCluster' | 'SingleNamespace';
  /** The role to bind. Set it here or in the field that belongs to `type`. */
  readonly roleRef?: RoleReference;
  /** With type `CurrentCluster`: the ClusterRole, if `roleRef` does not name it. */
  readonly currentCluster?: CurrentClusterBinding;
  /** With type `SingleNamespace`: the namespace, and the role if it is not set next to `type`. */
  readonly singleNamespace?: SingleNamespaceBinding;
}

/** A role on the hub. */
export interface RoleReference {
  /** API group of the role; always `rbac.authorization.k8s.io`. */
  readonly apiGroup?: 'rbac.authorization.k8s.io' | '';
  /** Whether it is a Role or a ClusterRole. */
  readonly kind: 'Role' | 'ClusterRole';
  /** Name of the role. */
  readonly name: string;
}

/** A binding in the cluster's own namespace. */
export interface CurrentClusterBinding {
  /** ClusterRole that is bound. */
  readonly clusterRoleName: string;
}

/** A binding in one namespace. */
export interface SingleNamespaceBinding {
  /** Namespace on the hub. */
  readonly namespace: string;
  /** The role to bind. Set it here or next to `type`. */
  readonly roleRef?: RoleReference;
}

/** A certificate from your own certificate authority. */
export interface CustomSignerRegistration {
  /** Name of the signer in the certificate requests. */
  readonly signerName: string;
  /** The subject of the certificate. Defaults to the default user and groups of the add-on. */
  readonly subject?: TemplateSubject;
  /** The certificate authority that signs. */
  readonly signingCA: SigningCAReference;
}

/** The subject of the certificate, instead of the default. */
export interface TemplateSubject {
  /** User name: the common name of the certificate. */
  readonly user: string;
  /** Groups: the organizations of the certificate. */
  readonly groups?: readonly string[];
  /** Organizational units of the certificate. */
  readonly organizationUnit?: readonly string[];
}

/** A Secret with the certificate and key of a certificate authority. */
export interface SigningCAReference {
  /** Namespace of the Secret. Defaults to the namespace of the hub manager. */
  readonly namespace?: string;
  /** Name of the Secret. It contains `ca.crt` and `ca.key`, or `tls.crt` and `tls.key`. */
  readonly name: string;
}
