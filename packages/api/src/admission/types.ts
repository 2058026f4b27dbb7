import type { JsonObject, KubeObject } from '@outrigger/core';
import type { TemplateRegistration } from '../generated/addon.js';
import type { ResourceAttributes } from '../kubernetes.js';

/** The writer as the API server authenticated it; handed on whole to access reviews, `extra` included. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The part of an AdmissionReview's request the rules look at. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly subResource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly userInfo: UserInfo;
  /** Absent on a delete. */
  readonly object?: KubeObject;
  /** Absent on a create. */
  readonly oldObject?: KubeObject;
}

/** A right the writer must have. The caller asks for it (SubjectAccessReview) and refuses with `denied` if it is not there. */
export interface AccessCheck {
  readonly attributes: ResourceAttributes;
  readonly denied: string;
  /** How the lack of the right is answered. Default: Forbidden. */
  readonly reason?: 'BadRequest';
}

export interface JsonPatchOperation {
  readonly op: 'add' | 'replace';
  readonly path: string;
  readonly value: string | number | JsonObject;
}

export type AdmissionResult = Allowed | Refused;

export interface Allowed {
  readonly allowed: true;
  readonly warnings?: readonly string[];
  /** What `mutate` fills in, as an RFC 6902 patch. */
  readonly patch?: readonly JsonPatchOperation[];
  /** Allowed only if the writer has all of these rights. */
  readonly requires?: readonly AccessCheck[];
}

export interface Refused {
  readonly allowed: false;
  /** What is wrong, where, and what to do. */
  readonly message: string;
  readonly reason: 'Invalid' | 'BadRequest' | 'Forbidden';
}

/** The few things about other objects the rules need to know. */
export interface AdmissionLookup {
  addOn(name: string): AddOnView | undefined;
  addOns(): Iterable<AddOnView>;
  template(name: string): TemplateView | undefined;
  templatesOf(addOn: string): Iterable<TemplateView>;
  /** Kinds that the ManagedClusterAddOns of an add-on list in `status.supportedConfigs`. */
  publishedConfigs(addOn: string): Iterable<{ readonly group: string; readonly resource: string }>;
  deploymentConfig(namespace: string, name: string): { readonly agentInstallNamespace: string | undefined } | undefined;
  /** Names of the add-ons that refer to a deployment config, in their declaration or on a cluster. */
  deploymentConfigUsers(namespace: string, name: string): Iterable<string>;
  /** Only some of the hub's objects are known: nothing may be concluded from one that is not found. */
  readonly isPartial?: boolean;
  /** On how many clusters the add-on is installed. */
  installations(addOn: string): number;
  /** Names of the add-ons installed on a cluster. */
  addOnsOn(cluster: string): Iterable<string>;
  isTerminating(namespace: string): boolean;
}

/** A ClusterManagementAddOn as the rules see it. */
export interface AddOnView {
  readonly name: string;
  readonly dependencies: readonly string[];
  readonly supportedConfigs: readonly { readonly group: string; readonly resource: string }[];
  /** Names of the AddOnTemplates it references anywhere. */
  readonly templates: readonly string[];
}

/** An AddOnTemplate as the rules see it. */
export interface TemplateView {
  readonly name: string;
  readonly addonName: string;
  /** Undefined for a template that is no version of its add-on. */
  readonly version: string | undefined;
  /** Where its manifests put the agent. */
  readonly installNamespace: string;
  readonly registration: readonly TemplateRegistration[];
}

export interface AdmissionSettings {
  /** Where a signing CA without a namespace is. */
  readonly managerNamespace: string;
  /**
   * Identities whose references are not checked again: the hub's own controllers, which only copy what a person was
   * allowed to write.
   */
  readonly trustedUsers: readonly string[];
  /** Beginnings of the labels that agents may write on the ManagedCluster of their cluster. Default: none. */
  readonly agentLabelPrefixes?: readonly string[];
  /** Longest life of a certificate that a cluster or add-on asks for. Default: a day. */
  readonly maxCertificateSeconds?: number;
  /** Users and groups, besides the known ones, whose credentials clusters join with. */
  readonly bootstrapUsers?: readonly string[];
  readonly bootstrapGroups?: readonly string[];
  /** Whether a work without an executor needs the right to act as the agent itself. */
  readonly checkMissingExecutor: boolean;
}
