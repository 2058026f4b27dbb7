/** Functions that compute names. Other programs compute the same names, so the results must not change. */
import { memoizeText } from '@outrigger/core';
import { sha256Hex } from '@outrigger/core/hash';
import { FEATURE_LABEL_PREFIX, LIFECYCLE_ADDON_MANAGER, LIFECYCLE_ANNOTATION } from './constants.js';

export interface Subject {
  readonly user: string;
  readonly groups: readonly string[];
}

// Identities.

/** Returns the group of an add-on's agents on one cluster. Hub permissions are bound to this group. */
export function addOnClusterGroup(cluster: string, addOn: string): string {
  return `system:open-cluster-management:cluster:${cluster}:addon:${addOn}`;
}

/** Returns the group of an add-on's agents on all clusters. */
export function addOnGroup(addOn: string): string {
  return `system:open-cluster-management:addon:${addOn}`;
}

export function addOnUser(cluster: string, addOn: string, agent: string): string {
  return `${addOnClusterGroup(cluster, addOn)}:agent:${agent}`;
}

/** Returns the subject of the certificate of an add-on's agent, unless the template specifies another subject. */
export function defaultSubject(cluster: string, addOn: string, agent: string = templateAgentName(addOn)): Subject {
  return { user: addOnUser(cluster, addOn, agent), groups: [addOnClusterGroup(cluster, addOn), addOnGroup(addOn)] };
}

/**
 * Returns the name of the agent of an add-on from a template. With the token driver, this is also the name of the agent's ServiceAccount.
 */
export function templateAgentName(addOn: string): string {
  return `${addOn}-agent`;
}

export function clusterAgentUser(cluster: string, agent: string): string {
  return `system:open-cluster-management:${cluster}:${agent}`;
}

export function clusterAgentGroup(cluster: string): string {
  return `system:open-cluster-management:${cluster}`;
}

export const ALL_CLUSTER_AGENTS_GROUP = 'system:open-cluster-management:managed-clusters';

/** Returns the groups to which upstream's roles for a cluster's agent are bound. */
export function clusterAgentBindingGroups(cluster: string): readonly string[] {
  return [clusterAgentGroup(cluster), `open-cluster-management:${cluster}`];
}

export function serviceAccountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** Returns the only DNS name that an add-on's certificate request may contain. */
export function addOnDnsName(addOn: string): string {
  return `${addOn}.addon.open-cluster-management.io`;
}

export function addOnCsrPrefix(cluster: string, addOn: string): string {
  return `addon-${cluster}-${addOn}-`;
}

// Secrets and volumes.

export function hubKubeconfigSecretName(addOn: string): string {
  return `${addOn}-hub-kubeconfig`;
}

export function clientCertSecretName(addOn: string, signer: string): string {
  return `${addOn}-${signer.replaceAll('/', '-')}-client-cert`;
}

export function signerVolumeName(signer: string): string {
  return `cert-${signer.replaceAll(/[/.]/g, '-')}`;
}

export function signerMountPath(signer: string): string {
  return `/managed/${signer.replaceAll('/', '-')}`;
}

export function proxyCaConfigMapName(addOn: string): string {
  return `${addOn}-proxy-ca`;
}

/** Returns the name of the Role and RoleBinding that allow a cluster's agent to request the token of an add-on. */
export function tokenRoleName(addOn: string): string {
  return `${addOn}-token-role`;
}

// Permissions on the hub.

/**
 * Returns the name of the binding for one permission of one add-on on one cluster. The name contains the cluster and a hash of the role,
 * because the role of an existing binding cannot be changed.
 */
export function hubPermissionBindingName(cluster: string, addOn: string, role: { readonly kind: string; readonly name: string }): string {
  return `${hubPermissionBindingPrefix(cluster, addOn)}${sha256Hex(`${role.kind}/${role.name}`).slice(0, 10)}`;
}

/**
 * Returns the prefix of the names of all bindings of an add-on on a cluster. The prefix is unambiguous, because names of clusters and
 * add-ons contain no colon.
 */
export function hubPermissionBindingPrefix(cluster: string, addOn: string): string {
  return `open-cluster-management:${addOn}:${cluster}:agent:`;
}

/** Returns the name of the binding that upstream's manager creates. The name is the same for all clusters and for all roles of one kind. */
export function upstreamPermissionBindingName(addOn: string, roleKind: string): string {
  return `open-cluster-management:${addOn}:${roleKind.toLowerCase()}:agent`;
}

// Works.

export function deployWorkName(addOn: string, index: number): string {
  return `addon-${addOn}-deploy-${index}`;
}

export function preDeleteWorkName(addOn: string): string {
  return `addon-${addOn}-pre-delete`;
}

/** Returns a hash that distinguishes hubs. `server` must be exactly as in the agent's kubeconfig, including a trailing slash. */
export const hubHash: (server: string) => string = memoizeText(sha256Hex);

/**
 * Returns the label of namespaces of a managed cluster. The value of the label is `true` if this hub manages the namespace, and `false` if
 * this hub managed it before.
 */
export function managedNamespaceLabel(server: string): string {
  return `clusterset.open-cluster-management.io/${hubHash(server).slice(0, 63)}`;
}

export function appliedManifestWorkName(server: string, work: string): string {
  return `${hubHash(server)}-${work}`;
}

// Roles of a cluster's agent on the hub.

export const REGISTRATION_ROLE = 'open-cluster-management:managedcluster:registration';
export const WORK_ROLE = 'open-cluster-management:managedcluster:work';

export function clusterRoleName(cluster: string): string {
  return `open-cluster-management:managedcluster:${cluster}`;
}

export function registrationBindingName(cluster: string): string {
  return `${clusterRoleName(cluster)}:registration`;
}

export function workBindingName(cluster: string): string {
  return `${clusterRoleName(cluster)}:work`;
}

// Keys.

/** Returns the key of a config in the config-spec-hash annotation: `<resource>[.<group>]/<namespace>/<name>`. */
export function configKey(config: {
  readonly group?: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
}): string {
  const { group = '', resource, namespace = '', name } = config;
  return `${group === '' ? resource : `${resource}.${group}`}/${namespace}/${name}`;
}

export function featureLabel(addOn: string): string {
  return `${FEATURE_LABEL_PREFIX}${addOn}`;
}

export function placementDecisionName(placement: string, number: number): string {
  return `${placement}-decision-${number}`;
}

/** Returns the name that an entry of the install strategy has in the status of the AddOnRollout. */
export function rolloutEntryName(placement: { readonly namespace: string; readonly name: string }): string {
  return `${placement.namespace}/${placement.name}`;
}

/**
 * Whether this manager is responsible for the add-on. If the annotation has a value other than `addon-manager`, another manager is
 * responsible.
 */
export function isManagedByAddOnManager(metadata: { readonly annotations?: Readonly<Record<string, string>> }): boolean {
  const lifecycle = metadata.annotations?.[LIFECYCLE_ANNOTATION];
  return lifecycle === undefined || lifecycle === LIFECYCLE_ADDON_MANAGER;
}
