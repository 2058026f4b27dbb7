import {
  ADDON_GROUP,
  BINDABLE_ROLES_ROLE,
  CLUSTER_GROUP,
  CLUSTER_LEASE_NAME,
  CONFIG_READER_ROLE,
  OUTRIGGER_GROUP,
  type PolicyRule,
  REGISTER_GROUP,
  SIGNERS_ROLE,
  WORK_GROUP,
} from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { LEFT_BEHIND_NAME, WEBHOOK_AUTHORITY } from '@outrigger/hub';
import { UPSTREAM_DEPLOYMENTS } from '../upstream/detect.js';

const RBAC = 'rbac.authorization.k8s.io';
const READ = ['get', 'list', 'watch'];

/**
 * The manager's permissions in all namespaces. The manager has every permission that it grants to agents, because RBAC prevents escalation.
 * An administrator adds three things through aggregated roles: the roles that the manager may bind for add-ons, the signers for which it
 * may sign, and the kinds that it may read as configs. The manager has no `escalate`, no unrestricted `bind`, and no access to Secrets, to
 * tokens, or to webhook configurations except its own two. `guard.ts` adds limits that RBAC cannot express, for objects whose names are not
 * known when the role is written.
 */
export const MANAGER_RULES: readonly PolicyRule[] = [
  { apiGroups: [ADDON_GROUP], resources: ['clustermanagementaddons', 'addontemplates', 'addondeploymentconfigs'], verbs: READ },
  { apiGroups: [ADDON_GROUP], resources: ['clustermanagementaddons/status'], verbs: ['patch', 'update'] },
  { apiGroups: [ADDON_GROUP], resources: ['clustermanagementaddons/finalizers', 'managedclusteraddons/finalizers'], verbs: ['update'] },
  { apiGroups: [ADDON_GROUP], resources: ['managedclusteraddons'], verbs: [...READ, 'create', 'update', 'patch', 'delete'] },
  { apiGroups: [ADDON_GROUP], resources: ['managedclusteraddons/status'], verbs: ['patch', 'update'] },
  { apiGroups: [OUTRIGGER_GROUP], resources: ['addonrollouts'], verbs: [...READ, 'create', 'update', 'patch', 'delete'] },
  { apiGroups: [OUTRIGGER_GROUP], resources: ['rolloutpolicies', 'rolloutapprovals'], verbs: READ },
  // The manager patches RolloutApprovals to make the AddOnRollout their owner. It cannot change a decision, because the spec is immutable.
  { apiGroups: [OUTRIGGER_GROUP], resources: ['rolloutapprovals'], verbs: ['patch'] },
  { apiGroups: [OUTRIGGER_GROUP], resources: ['addonrollouts/status'], verbs: ['patch', 'update'] },
  { apiGroups: [WORK_GROUP], resources: ['manifestworks'], verbs: [...READ, 'create', 'update', 'patch', 'delete'] },
  // Admission webhooks of other programs, such as upstream's, ask for this permission before the manager may write a work with an executor.
  // It adds nothing: a work without an executor, which the manager may write too, has all permissions of the agent.
  { apiGroups: [WORK_GROUP], resources: ['manifestworks'], verbs: ['execute-as'] },
  { apiGroups: [WORK_GROUP], resources: ['manifestworks/status'], verbs: ['patch', 'update'] },
  { apiGroups: [WORK_GROUP], resources: ['manifestworkreplicasets'], verbs: [...READ, 'patch'] },
  { apiGroups: [WORK_GROUP], resources: ['manifestworkreplicasets/status'], verbs: ['patch'] },
  { apiGroups: [CLUSTER_GROUP], resources: ['managedclusters'], verbs: [...READ, 'update', 'patch'] },
  { apiGroups: [CLUSTER_GROUP], resources: ['managedclusters/status'], verbs: ['patch', 'update'] },
  { apiGroups: [CLUSTER_GROUP], resources: ['managedclusters/finalizers'], verbs: ['update'] },
  { apiGroups: [CLUSTER_GROUP], resources: ['managedclustersets'], verbs: [...READ, 'create', 'update', 'patch'] },
  { apiGroups: [CLUSTER_GROUP], resources: ['placements', 'addonplacementscores', 'managedclustersetbindings'], verbs: READ },
  {
    apiGroups: [CLUSTER_GROUP],
    resources: ['placements/status', 'managedclustersets/status', 'managedclustersetbindings/status', 'placementdecisions/status'],
    verbs: ['patch', 'update'],
  },
  { apiGroups: [CLUSTER_GROUP], resources: ['placementdecisions'], verbs: [...READ, 'create', 'update', 'patch', 'delete'] },
  { apiGroups: [CLUSTER_GROUP], resources: ['placements/finalizers'], verbs: ['update'] },
  { apiGroups: [REGISTER_GROUP], resources: ['managedclusters/accept'], verbs: ['update'] },
  { apiGroups: [REGISTER_GROUP], resources: ['managedclusters/clientcertificates'], verbs: ['renew'] },
  { apiGroups: [''], resources: ['namespaces'], verbs: [...READ, 'create', 'patch'] },
  { apiGroups: [''], resources: ['serviceaccounts'], verbs: READ },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
  { apiGroups: [''], resources: ['configmaps'], resourceNames: [LEFT_BEHIND_NAME], verbs: [...READ, 'patch'] },
  { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch', 'update'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: [...READ, 'create'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], resourceNames: [CLUSTER_LEASE_NAME], verbs: ['update', 'delete'] },
  { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], verbs: [...READ, 'create'] },
  {
    apiGroups: ['certificates.k8s.io'],
    resources: ['certificatesigningrequests/approval', 'certificatesigningrequests/status'],
    verbs: ['update', 'patch'],
  },
  {
    apiGroups: ['certificates.k8s.io'],
    resources: ['signers'],
    resourceNames: ['kubernetes.io/kube-apiserver-client'],
    verbs: ['approve'],
  },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  {
    apiGroups: [RBAC],
    resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
    verbs: [...READ, 'create', 'update', 'patch', 'delete'],
  },
  // The manager detects whether another manager runs on the hub.
  { apiGroups: ['apps'], resources: ['deployments'], resourceNames: UPSTREAM_DEPLOYMENTS, verbs: ['get', 'list'] },
  // The manager distinguishes a config whose kind is not served from a config that does not exist.
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: READ },
  // The manager publishes the webhook that converts to v1beta1, and the CA of its certificate.
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    resourceNames: [`clustermanagementaddons.${ADDON_GROUP}`, `managedclusteraddons.${ADDON_GROUP}`],
    verbs: ['patch'],
  },
  // The manager checks whether the API server verifies who approves rollouts. If the API server does not, the manager ignores approvals.
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
    verbs: READ,
  },
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
    resourceNames: ['outrigger'],
    verbs: ['get', 'patch', 'update'],
  },
];

/** The manager's permissions in the namespace of join tokens. It deletes a token's account when the cluster has joined. */
export const JOIN_NAMESPACE_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['patch', 'delete'] },
];

/**
 * The permissions for add-ons that authenticate with tokens. The permission to create tokens for every ServiceAccount includes the
 * permissions of all of them, so only an administrator grants it: everywhere (`install hub --token-registration`), or by a RoleBinding in
 * the namespace of one cluster.
 */
export const TOKEN_ROLE = 'outrigger:token-registration';
export const TOKEN_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create', 'subscribe'] },
];

/** The name of the Lease that the leading manager holds. */
export const LEADER_LEASE_NAME = 'outrigger-hub';

/**
 * The manager's permissions in its own namespace: stored content, the Secret with the webhook's CA, and the leader's Lease. The manager
 * reads other Secrets for signing CAs but changes none, because other programs may share the namespace.
 */
export const MANAGER_NAMESPACE_RULES: readonly PolicyRule[] = [
  { apiGroups: ['apps'], resources: ['controllerrevisions'], verbs: [...READ, 'create', 'update', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create'] },
  { apiGroups: [''], resources: ['secrets'], resourceNames: [WEBHOOK_AUTHORITY], verbs: ['update'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], resourceNames: [LEADER_LEASE_NAME], verbs: ['update'] },
];

/** Aggregated roles that are empty until an administrator labels ClusterRoles for them; docs/guides/security.md shows how. */
export const AGGREGATED_ROLES: readonly string[] = [CONFIG_READER_ROLE, BINDABLE_ROLES_ROLE, SIGNERS_ROLE];

export function clusterRoleBinding(name: string, role: string, account: { readonly namespace: string; readonly name: string }): KubeObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    ...binding('ClusterRole', role, account),
  };
}

export function role(name: string, namespace: string, rules: readonly PolicyRule[]): KubeObject {
  return { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: { name, namespace }, rules } as KubeObject;
}

export function roleBinding(name: string, roleName: string, account: { readonly namespace: string; readonly name: string }): KubeObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: { name, namespace: account.namespace },
    ...binding('Role', roleName, account),
  };
}

function binding(kind: string, name: string, account: { readonly namespace: string; readonly name: string }): object {
  return { roleRef: { apiGroup: RBAC, kind, name }, subjects: [{ kind: 'ServiceAccount', ...account }] };
}
