import {
  ADDON_GROUP,
  BINDABLE_ROLES_ROLE,
  CLUSTER_GROUP,
  CONFIG_READER_ROLE,
  OUTRIGGER_GROUP,
  type PolicyRule,
  REGISTER_GROUP,
  SIGNERS_ROLE,
  WORK_GROUP,
  aggregationLabel,
} from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';

const RBAC = 'rbac.authorization.k8s.io';
const READ = ['get', 'list', 'watch'];

/**
 * What the manager may do everywhere. It holds every right it hands to agents, because it may not escalate; what it binds for add-ons,
 * signs with and reads as configuration is listed by the administrator in the three aggregated roles. No `escalate`, no `bind` on
 * everything, no Secrets.
 */
export const MANAGER_RULES: readonly PolicyRule[] = [
  { apiGroups: [ADDON_GROUP], resources: ['clustermanagementaddons', 'addontemplates', 'addondeploymentconfigs'], verbs: READ },
  { apiGroups: [ADDON_GROUP], resources: ['clustermanagementaddons/status'], verbs: ['patch', 'update'] },
  { apiGroups: [ADDON_GROUP], resources: ['clustermanagementaddons/finalizers', 'managedclusteraddons/finalizers'], verbs: ['update'] },
  { apiGroups: [ADDON_GROUP], resources: ['managedclusteraddons'], verbs: [...READ, 'create', 'update', 'patch', 'delete'] },
  { apiGroups: [ADDON_GROUP], resources: ['managedclusteraddons/status'], verbs: ['patch', 'update'] },
  { apiGroups: [OUTRIGGER_GROUP], resources: ['addonrollouts'], verbs: [...READ, 'create', 'update', 'patch', 'delete'] },
  { apiGroups: [OUTRIGGER_GROUP], resources: ['addonrollouts/status'], verbs: ['patch', 'update'] },
  { apiGroups: [WORK_GROUP], resources: ['manifestworks'], verbs: [...READ, 'create', 'update', 'patch', 'delete'] },
  { apiGroups: [WORK_GROUP], resources: ['manifestworks/status'], verbs: ['patch', 'update'] },
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
  { apiGroups: [''], resources: ['namespaces'], verbs: [...READ, 'create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['serviceaccounts'], verbs: [...READ, 'create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create', 'subscribe'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: READ },
  { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch', 'update'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: [...READ, 'create', 'update', 'patch', 'delete'] },
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
  // To see whether another manager runs here.
  { apiGroups: ['apps'], resources: ['deployments'], verbs: READ },
  // To tell a configuration of a kind that is not served from one that does not exist.
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: READ },
  // To say who converts to v1beta1, and by what authority it is to be trusted.
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    resourceNames: [`clustermanagementaddons.${ADDON_GROUP}`, `managedclusteraddons.${ADDON_GROUP}`],
    verbs: ['patch'],
  },
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
    resourceNames: ['outrigger'],
    verbs: ['get', 'patch', 'update'],
  },
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
    verbs: ['create'],
  },
];

/** What it may do in its own namespace only: contents of revisions, and its own Secrets (the webhook's authority, signing CAs). */
export const MANAGER_NAMESPACE_RULES: readonly PolicyRule[] = [
  { apiGroups: ['apps'], resources: ['controllerrevisions'], verbs: [...READ, 'create', 'update', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create', 'update'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
];

/** Empty until an administrator labels ClusterRoles for them; docs/guides/security.md shows how. */
export const AGGREGATED_ROLES: readonly string[] = [CONFIG_READER_ROLE, BINDABLE_ROLES_ROLE, SIGNERS_ROLE];

export function aggregatedRole(name: string): KubeObject {
  return clusterRole(name, [], { clusterRoleSelectors: [{ matchLabels: { [aggregationLabel(name)]: 'true' } }] });
}

export function clusterRole(name: string, rules: readonly PolicyRule[], aggregationRule?: object): KubeObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name },
    rules,
    ...(aggregationRule ? { aggregationRule } : {}),
  } as KubeObject;
}

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
