// Written by tools/gen from packages/api: change the definitions there and run `npm run gen`.
import type { Condition, JsonObject, KubeObject, LabelSelector } from '@outrigger/core';
import type { DeleteOption, ManifestConfig, RolloutStrategy, WorkExecutor } from './work.js';

/** An add-on of the fleet: what it is called, which configurations it takes, on which clusters it is installed. */
export interface ClusterManagementAddOn extends KubeObject {
  /** The desired state. */
  readonly spec: ClusterManagementAddOnSpec;
  /** What was observed; written by the add-on manager. */
  readonly status?: ClusterManagementAddOnStatus;
}

/** An add-on of the fleet: what it is called, which configurations it takes, on which clusters it is installed. */
export interface ClusterManagementAddOnV1beta1 extends KubeObject {
  /** The desired state. */
  readonly spec: ClusterManagementAddOnV1beta1Spec;
  /** What was observed; written by the add-on manager. */
  readonly status?: ClusterManagementAddOnV1beta1Status;
}

/** An add-on on one managed cluster; its namespace is the name of the cluster, its name that of the ClusterManagementAddOn. */
export interface ManagedClusterAddOn extends KubeObject {
  /** The desired state. Default: `{}`. */
  readonly spec: ManagedClusterAddOnSpec;
  /** What was observed; written by the add-on manager and the agent of the cluster. */
  readonly status?: ManagedClusterAddOnStatus;
}

/** An add-on on one managed cluster; its namespace is the name of the cluster, its name that of the ClusterManagementAddOn. */
export interface ManagedClusterAddOnV1beta1 extends KubeObject {
  /** The desired state. Default: `{}`. */
  readonly spec: ManagedClusterAddOnV1beta1Spec;
  /** What was observed; written by the add-on manager and the agent of the cluster. */
  readonly status?: ManagedClusterAddOnV1beta1Status;
}

/** A configuration many add-ons share: variables, nodes, images, proxy, namespace and resources of the agent. */
export interface AddOnDeploymentConfig extends KubeObject {
  /** The desired state. */
  readonly spec: AddOnDeploymentConfigSpec;
}

/** An add-on as data: the manifests of its agent and its credentials. The label `open-cluster-management.io/addon-version` makes it one version of the add-on. */
export interface AddOnTemplate extends KubeObject {
  /** The desired state. */
  readonly spec: AddOnTemplateSpec;
}

/** What the add-on is, where it is installed and what it needs. */
export interface ClusterManagementAddOnSpec {
  /** Name and description for people. */
  readonly addOnMeta?: AddOnMeta;
  /** Deprecated and ignored: use supportedConfigs. */
  readonly addOnConfiguration?: ConfigCoordinates;
  /** Kinds of configuration the add-on understands; no other kind may be referenced for it. */
  readonly supportedConfigs?: readonly SupportedConfig[];
  /** Add-ons that must be installed and available on the same cluster. They hold back nothing: what is missing is reported in the Degraded condition. */
  readonly dependencies?: readonly AddOnDependency[];
  /** On which clusters the add-on is installed. Default: `{"type":"Manual"}`. */
  readonly installStrategy?: InstallStrategy;
}

/** How the add-on is presented to people. */
export interface AddOnMeta {
  /** Name shown in lists. */
  readonly displayName?: string;
  /** What the add-on does. */
  readonly description?: string;
}

/** The first way of naming a configuration. Kept, never read. */
export interface ConfigCoordinates {
  /** Name of the CustomResourceDefinition of the configuration. */
  readonly crdName?: string;
  /** Name of the configuration object. */
  readonly crName?: string;
  /** Generation of the configuration that was last seen. */
  readonly lastObservedGeneration?: number;
}

/** A kind of configuration the add-on understands. */
export interface SupportedConfig {
  /** API group of the configuration; empty for the core group. Default: `""`. */
  readonly group?: string;
  /** Plural resource name of the configuration, such as `addondeploymentconfigs`. */
  readonly resource: string;
  /** The object used where nothing more specific is named. */
  readonly defaultConfig?: ConfigReferent;
}

/** Where a configuration object is found. */
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
  /** What does not work without it; shown in the Degraded condition. */
  readonly message?: string;
}

/** On which clusters the add-on is installed. */
export interface InstallStrategy {
  /** `Manual` installs nothing by itself; `Placements` follows Placements; `ClusterLabelSelector` takes every accepted cluster with matching labels. Default: `"Manual"`. */
  readonly type?: 'Manual' | 'Placements' | 'ClusterLabelSelector';
  /** With type `Placements`: the Placements to follow. A cluster chosen by several belongs to the last of them. */
  readonly placements?: readonly PlacementStrategy[];
  /** With type `ClusterLabelSelector`: the labels of the ManagedClusters; `{}` is every accepted cluster. */
  readonly labelSelector?: LabelSelector;
  /** With type `ClusterLabelSelector`. Fields of the ManagedClusterAddOns of these clusters. They follow a change here, except where a person has edited them. */
  readonly addonTemplate?: InstallTemplate;
  /** With type `ClusterLabelSelector`. Configurations used on these clusters, replacing the defaults of the same kind. */
  readonly configs?: readonly AddOnConfig[];
  /** With type `ClusterLabelSelector`: how changes travel over these clusters; absent is all at once. There are no decision groups here. */
  readonly rolloutStrategy?: RolloutStrategy;
}

/** Clusters chosen by one Placement, and how the add-on stands there. */
export interface PlacementStrategy {
  /** Namespace of the Placement. */
  readonly namespace: string;
  /** Name of the Placement. */
  readonly name: string;
  /** Fields of the ManagedClusterAddOns of these clusters. They follow a change here, except where a person has edited them. */
  readonly addonTemplate?: InstallTemplate;
  /** Configurations used on these clusters, replacing the defaults of the same kind. */
  readonly configs?: readonly AddOnConfig[];
  /** How changes travel over these clusters. Default: `{"type":"All"}`. */
  readonly rolloutStrategy?: RolloutStrategy;
}

/** What the installer writes into the spec of each ManagedClusterAddOn of the entry. */
export interface InstallTemplate {
  /** Namespace on the managed cluster; written when the add-on is created and not changed later. */
  readonly installNamespace?: string;
  /** Version to install; absent follows the default version. */
  readonly installVersion?: string;
  /** Configurations of the add-on on these clusters, replacing the defaults of the same kind. */
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

/** What is known about the add-on across the fleet. */
export interface ClusterManagementAddOnStatus {
  /** Every version that can be installed. */
  readonly supportedVersions?: readonly string[];
  /** The version installed where none is asked for. */
  readonly defaultVersion?: string;
  /** The default configurations as last seen. */
  readonly defaultconfigReferences?: readonly DefaultConfigReference[];
  /** How far each Placement of the install strategy has got. */
  readonly installProgressions?: readonly InstallProgression[];
  /** `TargetsResolved`, `DependenciesValid`, and `Progressing` with a label selector. */
  readonly conditions?: readonly Condition[];
}

/** A default configuration with the content it has now. */
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

/** How far the clusters of one Placement have got. */
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

/** A configuration of one entry, with how far it has got. */
export interface InstallConfigReference {
  /** API group of the configuration; empty for the core group. Default: `""`. */
  readonly group?: string;
  /** Plural resource name of the configuration, such as `addondeploymentconfigs`. */
  readonly resource: string;
  /** What the clusters of the entry should use. */
  readonly desiredConfig?: ConfigSpecHash | null;
  /** What the last completed rollout used. */
  readonly lastKnownGoodConfig?: ConfigSpecHash | null;
  /** What every cluster of the entry uses. */
  readonly lastAppliedConfig?: ConfigSpecHash | null;
}

/** What the add-on is, where it is installed and what it needs. */
export interface ClusterManagementAddOnV1beta1Spec {
  /** Name and description for people. */
  readonly addOnMeta?: AddOnMeta;
  /** Kinds of configuration the add-on understands, each with the object used by default; the name `__reserved_no_default__` means there is none. */
  readonly defaultConfigs?: readonly AddOnConfig[];
  /** Add-ons that must be installed and available on the same cluster. They hold back nothing: what is missing is reported in the Degraded condition. */
  readonly dependencies?: readonly AddOnDependency[];
  /** On which clusters the add-on is installed. Default: `{"type":"Manual"}`. */
  readonly installStrategy?: InstallStrategy;
}

/** What is known about the add-on across the fleet. */
export interface ClusterManagementAddOnV1beta1Status {
  /** Every version that can be installed. */
  readonly supportedVersions?: readonly string[];
  /** The version installed where none is asked for. */
  readonly defaultVersion?: string;
  /** The default configurations as last seen. */
  readonly defaultConfigReferences?: readonly DefaultConfigReference[];
  /** How far each Placement of the install strategy has got. */
  readonly installProgressions?: readonly InstallProgression[];
  /** `TargetsResolved`, `DependenciesValid`, and `Progressing` with a label selector. */
  readonly conditions?: readonly Condition[];
}

/** The desired state of the add-on on one cluster. */
export interface ManagedClusterAddOnSpec {
  /** Namespace on the managed cluster where the agent runs. Default: `"open-cluster-management-agent-addon"`. */
  readonly installNamespace?: string;
  /** Version to install on this cluster, one of the supported versions of the ClusterManagementAddOn; absent follows its default. */
  readonly installVersion?: string;
  /** Configurations for this cluster, replacing those of the fleet that are of the same kind. */
  readonly configs?: readonly AddOnConfig[];
}

/** What is known about the add-on on this cluster. */
export interface ManagedClusterAddOnStatus {
  /** `Available`, `Degraded`, `Progressing`, `Configured`, `ManifestApplied`, `RegistrationApplied`, and those of other writers. */
  readonly conditions?: readonly Condition[];
  /** The version that is completely installed; `unknown` while one is in motion. */
  readonly currentVersion?: string;
  /** The version acted on before this one; empty after a fresh install, `unknown` if it was never installed. */
  readonly lastVersion?: string;
  /** The version the manager last acted on. */
  readonly installVersion?: string;
  /** Objects that matter to the add-on. */
  readonly relatedObjects?: readonly RelatedObject[];
  /** Name and description for people. */
  readonly addOnMeta?: AddOnMeta;
  /** Kinds of configuration this add-on understands. */
  readonly supportedConfigs?: readonly ConfigGroupResource[];
  /** Namespace on the managed cluster where the agent runs and finds its secrets and its Lease; decided by the hub. */
  readonly namespace?: string;
  /** How the health of the add-on is found out. */
  readonly healthCheck?: HealthCheck;
  /** Deprecated and ignored: see configReferences. */
  readonly addOnConfiguration?: ConfigCoordinates;
  /** The configurations in use, sorted by group and resource. */
  readonly configReferences?: readonly ConfigReference[];
  /** The certificates the cluster's agent requests for the add-on, computed by the hub. */
  readonly registrations?: readonly RegistrationConfig[];
  /** How the add-on signs in to the hub: with a certificate or with a ServiceAccount token. Written by the cluster's agent. */
  readonly kubeClientDriver?: 'csr' | 'token';
}

/** An object that matters to the add-on. */
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

/** How the health of the add-on is found out. */
export interface HealthCheck {
  /** `Lease`: the cluster's agent watches a Lease the add-on renews. `Customized`: the hub probes the add-on's workloads, or the add-on reports itself. Default: `"Lease"`. */
  readonly mode?: 'Lease' | 'Customized';
}

/** A configuration this add-on uses. */
export interface ConfigReference {
  /** API group of the configuration; empty for the core group. Default: `""`. */
  readonly group?: string;
  /** Plural resource name of the configuration, such as `addondeploymentconfigs`. */
  readonly resource: string;
  /** Namespace of the configuration; absent for a cluster-scoped one. */
  readonly namespace?: string;
  /** Name of the configuration. */
  readonly name: string;
  /** Generation of the referenced object that was last seen. */
  readonly lastObservedGeneration?: number;
  /** What should be in use, with the digest of its content. */
  readonly desiredConfig?: ConfigSpecHash;
  /** What is in use: the last that was completely rolled out here. */
  readonly lastAppliedConfig?: ConfigSpecHash;
}

/** One client certificate the cluster's agent requests for the add-on. */
export interface RegistrationConfig {
  /** Signer that issues the certificate. */
  readonly signerName: string;
  /** Whom the certificate names, computed by the hub. */
  readonly subject?: RegistrationSubject;
}

/** Whom the certificate names. */
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
  /** Version to install on this cluster, one of the supported versions of the ClusterManagementAddOn; absent follows its default. */
  readonly installVersion?: string;
  /** Configurations for this cluster, replacing those of the fleet that are of the same kind. */
  readonly configs?: readonly AddOnConfig[];
}

/** What is known about the add-on on this cluster. */
export interface ManagedClusterAddOnV1beta1Status {
  /** `Available`, `Degraded`, `Progressing`, `Configured`, `ManifestApplied`, `RegistrationApplied`, and those of other writers. */
  readonly conditions?: readonly Condition[];
  /** The version that is completely installed; `unknown` while one is in motion. */
  readonly currentVersion?: string;
  /** The version acted on before this one; empty after a fresh install, `unknown` if it was never installed. */
  readonly lastVersion?: string;
  /** The version the manager last acted on. */
  readonly installVersion?: string;
  /** Objects that matter to the add-on. */
  readonly relatedObjects?: readonly RelatedObject[];
  /** Name and description for people. */
  readonly addOnMeta?: AddOnMeta;
  /** Kinds of configuration this add-on understands. */
  readonly supportedConfigs?: readonly ConfigGroupResource[];
  /** Namespace on the managed cluster where the agent runs and finds its secrets and its Lease; decided by the hub. */
  readonly namespace?: string;
  /** How the health of the add-on is found out. */
  readonly healthCheck?: HealthCheck;
  /** The configurations in use, sorted by group and resource. */
  readonly configReferences?: readonly ConfigReferenceV1beta1[];
  /** The credentials the cluster's agent requests for the add-on, computed by the hub. */
  readonly registrations?: readonly RegistrationConfigV1beta1[];
}

/** A configuration this add-on uses. */
export interface ConfigReferenceV1beta1 {
  /** API group of the configuration; empty for the core group. Default: `""`. */
  readonly group?: string;
  /** Plural resource name of the configuration, such as `addondeploymentconfigs`. */
  readonly resource: string;
  /** Generation of the referenced object that was last seen. */
  readonly lastObservedGeneration?: number;
  /** What should be in use, with the digest of its content. */
  readonly desiredConfig?: ConfigSpecHash;
  /** What is in use: the last that was completely rolled out here. */
  readonly lastAppliedConfig?: ConfigSpecHash;
}

/** One credential the cluster's agent requests for the add-on. */
export interface RegistrationConfigV1beta1 {
  /** `kubeClient`: a sign-in to the hub's API. `customSigner`: a certificate from an authority of its own. */
  readonly type: 'kubeClient' | 'customSigner';
  /** With type `kubeClient`. */
  readonly kubeClient?: KubeClientRegistrationStatus;
  /** With type `customSigner`. */
  readonly customSigner?: CustomSignerRegistrationStatus;
}

/** A sign-in to the hub's API. */
export interface KubeClientRegistrationStatus {
  /** Whom the credential names, computed by the hub. */
  readonly subject?: KubeClientSubject;
  /** How the add-on signs in: with a certificate or with a ServiceAccount token. Written by the cluster's agent. */
  readonly driver?: 'csr' | 'token';
}

/** Whom the credential names. */
export interface KubeClientSubject {
  /** User name: the common name of the certificate. */
  readonly user?: string;
  /** Groups: the organizations of the certificate. */
  readonly groups?: readonly string[];
}

/** A certificate from an authority of its own. */
export interface CustomSignerRegistrationStatus {
  /** Signer that issues the certificate. */
  readonly signerName: string;
  /** Whom the certificate names, computed by the hub. */
  readonly subject?: CustomSignerSubject;
}

/** Whom the certificate names. */
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
  /** On which nodes the pods run; absent leaves the template as it is. */
  readonly nodePlacement?: NodePlacement;
  /** Where images are pulled from instead; the last entry that matches an image is used. */
  readonly registries?: readonly ImageMirror[];
  /** How the add-on reaches the hub through a proxy. */
  readonly proxyConfig?: ProxyConfig;
  /** Namespace on the managed cluster; empty leaves the namespaces of the template as they are. Default: `"open-cluster-management-agent-addon"`. */
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

/** On which nodes the pods of the add-on run. Either part is used on its own. */
export interface NodePlacement {
  /** Labels a node must carry. */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Taints the pods put up with. */
  readonly tolerations?: readonly PodToleration[];
}

/** A taint of nodes the pods put up with. */
export interface PodToleration {
  /** Key of the taint; empty with operator `Exists` is every taint. */
  readonly key?: string;
  /** `Equal` (the default) compares the value, `Exists` only the key, `Lt` and `Gt` compare numbers. */
  readonly operator?: 'Exists' | 'Equal' | 'Lt' | 'Gt' | '';
  /** Value of the taint, with operator `Equal`. */
  readonly value?: string;
  /** Effect of the taint; empty is every effect. */
  readonly effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute' | '';
  /** With effect `NoExecute`: how long the taint is put up with. */
  readonly tolerationSeconds?: number;
}

/** Where images are pulled from instead. */
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
  /** Base64 of the PEM certificates the proxy is trusted by. */
  readonly caBundle?: string;
}

/** Compute resources for the containers a pattern names. */
export interface ContainerResourceRequirements {
  /** Which containers: `<workload resource>:<workload name>:<container name>`, each part may be `*`. */
  readonly containerID: string;
  /** The resources they get. */
  readonly resources: ContainerResources;
}

/** Compute resources of a container. */
export interface ContainerResources {
  /** The most the container may use. */
  readonly limits?: Readonly<Record<string, number | string>>;
  /** What is set aside for the container. */
  readonly requests?: Readonly<Record<string, number | string>>;
  /** Resource claims of the pod the container uses. */
  readonly claims?: readonly ContainerResourceClaim[];
}

/** A resource claim of the pod. */
export interface ContainerResourceClaim {
  /** Name of the claim in the pod. */
  readonly name: string;
  /** The request of the claim that is meant; absent is all of them. */
  readonly request?: string;
}

/** The agent of an add-on and its credentials. */
export interface AddOnTemplateSpec {
  /** The add-on this template belongs to (its ClusterManagementAddOn). */
  readonly addonName: string;
  /** What is applied on each managed cluster; `{{NAME}}` stands for a variable. */
  readonly agentSpec: TemplateWorkSpec;
  /** Credentials of the agent on the hub. */
  readonly registration?: readonly TemplateRegistration[];
}

/** Objects for one managed cluster and how they are treated. */
export interface TemplateWorkSpec {
  /** The objects. */
  readonly workload?: TemplateManifests;
  /** What becomes of the objects when the work is deleted. */
  readonly deleteOption?: DeleteOption;
  /** How some of the objects are treated. */
  readonly manifestConfigs?: readonly ManifestConfig[];
  /** In whose name the objects are applied; absent is the agent's own. */
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
  /** With type `KubeClient`: the rights that go with it; without it the agent can sign in and has no rights. */
  readonly kubeClient?: KubeClientRegistration;
  /** With type `CustomSigner`: signer, subject and authority. */
  readonly customSigner?: CustomSignerRegistration;
}

/** What the agent may do with the hub's API. */
export interface KubeClientRegistration {
  /** Rights of the agent on the hub. */
  readonly hubPermissions?: readonly HubPermission[];
}

/** A right of the agent on the hub, given to its own group by a RoleBinding. */
export interface HubPermission {
  /** Where the role is bound: `CurrentCluster` in the cluster's namespace, `SingleNamespace` in a namespace named here. */
  readonly type: 'CurrentCluster' | 'SingleNamespace';
  /** Role that is bound; either here or in the part that belongs to `type`. */
  readonly roleRef?: RoleReference;
  /** With type `CurrentCluster`: the ClusterRole, where it is not named by `roleRef`. */
  readonly currentCluster?: CurrentClusterBinding;
  /** With type `SingleNamespace`: the namespace, and the role where it is not named beside `type`. */
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
  /** Role that is bound; either here or beside `type`. */
  readonly roleRef?: RoleReference;
}

/** A certificate from an authority of your own. */
export interface CustomSignerRegistration {
  /** Name of the signer the certificate requests carry. */
  readonly signerName: string;
  /** Whom the certificate names; absent is the add-on's default user and groups. */
  readonly subject?: TemplateSubject;
  /** The authority that signs. */
  readonly signingCA: SigningCAReference;
}

/** Whom the certificate names, instead of the default. */
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
  /** Namespace of the Secret; absent is the hub manager's own. */
  readonly namespace?: string;
  /** Name of the Secret; it holds `ca.crt` and `ca.key`, or `tls.crt` and `tls.key`. */
  readonly name: string;
}
