/** The built-in kinds that the system uses, with the fields that it uses. Other fields of an object are preserved by read-modify-write. */
import type { Condition, JsonObject, Kind, KubeObject, LabelSelector } from '@outrigger/core';

export interface Namespace extends KubeObject {
  readonly status?: { readonly phase?: 'Active' | 'Terminating' };
}

export interface Secret extends KubeObject {
  readonly type?: string;
  /** The values in base64. */
  readonly data?: Readonly<Record<string, string>>;
  /** Plain values. The field is write-only: the API server merges the values into `data`. */
  readonly stringData?: Readonly<Record<string, string>>;
}

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  /** The values in base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
}

export interface ServiceAccount extends KubeObject {
  readonly automountServiceAccountToken?: boolean;
}

export interface Lease extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

/** An Event of `events.k8s.io/v1`. */
export interface Event extends KubeObject {
  readonly eventTime: string;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly action: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
  readonly regarding: ObjectReference;
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
}

export interface RoleRef {
  readonly apiGroup: string;
  readonly kind: 'Role' | 'ClusterRole';
  readonly name: string;
}

export interface RbacSubject {
  readonly kind: 'User' | 'Group' | 'ServiceAccount';
  readonly apiGroup?: string;
  readonly namespace?: string;
  readonly name: string;
}

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface Role extends KubeObject {
  readonly rules?: readonly PolicyRule[];
}

export interface ClusterRole extends KubeObject {
  readonly rules?: readonly PolicyRule[];
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] };
}

export interface RoleBinding extends KubeObject {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly RbacSubject[];
}

export type ClusterRoleBinding = RoleBinding;

export interface CertificateSigningRequest extends KubeObject {
  readonly spec: {
    /** The PEM certificate request in base64. */
    readonly request: string;
    readonly signerName: string;
    readonly expirationSeconds?: number;
    readonly usages?: readonly string[];
    readonly username?: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  readonly status?: {
    readonly conditions?: readonly CertificateSigningRequestCondition[];
    /** The PEM certificate in base64. */
    readonly certificate?: string;
  };
}

export interface CertificateSigningRequestCondition {
  readonly type: 'Approved' | 'Denied' | 'Failed';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

export interface ControllerRevision extends KubeObject {
  readonly revision: number;
  readonly data?: JsonObject;
}

export interface PodTemplate {
  readonly metadata?: KubeObject['metadata'];
  readonly spec?: PodSpec;
}

export interface PodSpec {
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly (JsonObject & { readonly name: string })[];
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly JsonObject[];
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly env?: readonly (JsonObject & { readonly name: string; readonly value?: string })[];
  readonly volumeMounts?: readonly (JsonObject & { readonly name: string; readonly mountPath: string })[];
  readonly resources?: JsonObject;
}

/** A condition of a workload, which needs neither a reason nor a message. */
export interface WorkloadCondition {
  readonly type: string;
  readonly status: Condition['status'];
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export interface Deployment extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly selector?: LabelSelector; readonly template?: PodTemplate };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    readonly unavailableReplicas?: number;
    readonly conditions?: readonly WorkloadCondition[];
  };
}

export interface Pod extends KubeObject {
  readonly spec?: PodSpec & { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
    readonly conditions?: readonly WorkloadCondition[];
  };
}

export interface Node extends KubeObject {
  readonly spec?: { readonly unschedulable?: boolean };
  readonly status?: {
    readonly capacity?: Readonly<Record<string, string>>;
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly conditions?: readonly WorkloadCondition[];
  };
}

export interface ResourceAttributes {
  readonly verb: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Asks the API server which user sends the request, as `kubectl auth whoami` does. */
export interface SelfSubjectReview extends KubeObject {
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

export interface SubjectAccessReview extends KubeObject {
  readonly spec: {
    readonly user?: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
    readonly resourceAttributes?: ResourceAttributes;
  };
  readonly status?: { readonly allowed: boolean; readonly denied?: boolean; readonly reason?: string; readonly evaluationError?: string };
}

function builtIn<T extends KubeObject>(apiVersion: string, kind: string, plural: string, namespaced: boolean): Kind<T> {
  const slash = apiVersion.indexOf('/');
  return { group: slash < 0 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1), kind, plural, namespaced };
}

const RBAC = 'rbac.authorization.k8s.io/v1';

export const namespaces: Kind<Namespace> = builtIn('v1', 'Namespace', 'namespaces', false);
export const secrets: Kind<Secret> = builtIn('v1', 'Secret', 'secrets', true);
export const configMaps: Kind<ConfigMap> = builtIn('v1', 'ConfigMap', 'configmaps', true);
export const serviceAccounts: Kind<ServiceAccount> = builtIn('v1', 'ServiceAccount', 'serviceaccounts', true);
export const pods: Kind<Pod> = builtIn('v1', 'Pod', 'pods', true);
export const nodes: Kind<Node> = builtIn('v1', 'Node', 'nodes', false);
export const leases: Kind<Lease> = builtIn('coordination.k8s.io/v1', 'Lease', 'leases', true);
export const events: Kind<Event> = builtIn('events.k8s.io/v1', 'Event', 'events', true);
export const roles: Kind<Role> = builtIn(RBAC, 'Role', 'roles', true);
export const roleBindings: Kind<RoleBinding> = builtIn(RBAC, 'RoleBinding', 'rolebindings', true);
export const clusterRoles: Kind<ClusterRole> = builtIn(RBAC, 'ClusterRole', 'clusterroles', false);
export const clusterRoleBindings: Kind<ClusterRoleBinding> = builtIn(RBAC, 'ClusterRoleBinding', 'clusterrolebindings', false);
export const certificateSigningRequests: Kind<CertificateSigningRequest> = builtIn(
  'certificates.k8s.io/v1',
  'CertificateSigningRequest',
  'certificatesigningrequests',
  false,
);
export const controllerRevisions: Kind<ControllerRevision> = builtIn('apps/v1', 'ControllerRevision', 'controllerrevisions', true);
export const deployments: Kind<Deployment> = builtIn('apps/v1', 'Deployment', 'deployments', true);
export const customResourceDefinitions: Kind = builtIn(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
  false,
);
export const selfSubjectReviews: Kind<SelfSubjectReview> = builtIn(
  'authentication.k8s.io/v1',
  'SelfSubjectReview',
  'selfsubjectreviews',
  false,
);
export const subjectAccessReviews: Kind<SubjectAccessReview> = builtIn(
  'authorization.k8s.io/v1',
  'SubjectAccessReview',
  'subjectaccessreviews',
  false,
);
