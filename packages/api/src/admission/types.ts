import type { JsonObject } from '@outrigger/core';
import type { TemplateRegistration } from '../generated/addon.js';
import type { ResourceAttributes } from '../kubernetes.js';

/**
 * A permission that the writer must have. The caller checks the permission with a SubjectAccessReview. If the writer lacks it, the caller
 * rejects the write with the message `denied`.
 */
export interface AccessCheck {
  readonly attributes: ResourceAttributes;
  readonly denied: string;
  /** The reason in the error response if the permission is missing. The default is Forbidden. */
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
  /** The changes that `mutate` makes, as an RFC 6902 patch. */
  readonly patch?: readonly JsonPatchOperation[];
  /** The permissions that the writer must have for the write to be allowed. */
  readonly requires?: readonly AccessCheck[];
}

export interface Refused {
  readonly allowed: false;
  /** The error message, which names the field, the problem and the remedy. */
  readonly message: string;
  readonly reason: 'Invalid' | 'BadRequest' | 'Forbidden';
}

/** The facts about other objects that the rules need. */
export interface AdmissionLookup {
  addOn(name: string): AddOnView | undefined;
  addOns(): Iterable<AddOnView>;
  template(name: string): TemplateView | undefined;
  templatesOf(addOn: string): Iterable<TemplateView>;
  /** Returns the names of the add-ons that reference a template, in their declaration or on a cluster. */
  templateUsers(name: string): Iterable<string>;
  /** Returns the kinds that the ManagedClusterAddOns of an add-on list in `status.supportedConfigs`. */
  publishedConfigs(addOn: string): Iterable<{ readonly group: string; readonly resource: string }>;
  deploymentConfig(namespace: string, name: string): { readonly agentInstallNamespace: string | undefined } | undefined;
  /** Returns the names of the add-ons that reference a deployment config, in their declaration or on a cluster. */
  deploymentConfigUsers(namespace: string, name: string): Iterable<string>;
  /** Whether only some of the hub's objects are known. If so, an object that is not found may still exist. */
  readonly isPartial?: boolean;
  /** Returns the number of clusters on which the add-on is installed. */
  installations(addOn: string): number;
  /** Returns the names of the add-ons that are installed on a cluster. */
  addOnsOn(cluster: string): Iterable<string>;
  isTerminating(namespace: string): boolean;
}

/** The part of a ClusterManagementAddOn that the rules use. */
export interface AddOnView {
  readonly name: string;
  readonly dependencies: readonly string[];
  readonly supportedConfigs: readonly { readonly group: string; readonly resource: string }[];
  /** The names of all AddOnTemplates that the declaration references. */
  readonly templates: readonly string[];
}

/** The part of an AddOnTemplate that the rules use. */
export interface TemplateView {
  readonly name: string;
  readonly addonName: string;
  /** The version in the template's label; undefined if there is none. */
  readonly version: string | undefined;
  /** The namespace of the agent in the template's manifests. */
  readonly installNamespace: string;
  readonly registration: readonly TemplateRegistration[];
}

export interface AdmissionSettings {
  /** The default namespace for a signing CA reference that does not specify one. */
  readonly managerNamespace: string;
  /**
   * Users whose references are not checked: the hub's own controllers, which only copy references that another user was allowed to write.
   */
  readonly trustedUsers: readonly string[];
  /** The prefixes of the labels that agents may write on the ManagedCluster of their cluster. The default is none. */
  readonly agentLabelPrefixes?: readonly string[];
  /** The maximum lifetime of a certificate that a cluster or add-on requests. The default is a day. */
  readonly maxCertificateSeconds?: number;
  /** Further users and groups whose credentials clusters use to join, in addition to the built-in ones. */
  readonly bootstrapUsers?: readonly string[];
  readonly bootstrapGroups?: readonly string[];
  /** The metrics providers that analyses may name; undefined if they are unknown. */
  readonly analysisProviders?: readonly string[];
  /** The addresses that `notify` may name; undefined if they are unknown. */
  readonly notificationUrls?: readonly string[];
  /**
   * Whether webhooks of other programs, such as those of Open Cluster Management, may change an object before this admission sees it. The
   * default is no.
   */
  readonly followsOtherWebhooks?: boolean;
  /** Whether creating a work without an executor requires the permission to act as the agent itself. */
  readonly checkMissingExecutor: boolean;
}
