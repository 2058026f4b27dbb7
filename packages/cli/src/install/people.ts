import {
  ADDON_GROUP,
  CLUSTER_GROUP,
  JOIN_NAMESPACE,
  OUTRIGGER_GROUP,
  type PolicyRule,
  REGISTER_GROUP,
  WORK_GROUP,
  aggregationLabel,
} from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { aggregatedRole, clusterRole } from './cluster-role.js';

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'update', 'patch', 'delete'];

const ADDON_KINDS = ['clustermanagementaddons', 'managedclusteraddons', 'addontemplates', 'addondeploymentconfigs'];
const CLUSTER_KINDS = [
  'managedclusters',
  'managedclustersets',
  'managedclustersetbindings',
  'placements',
  'placementdecisions',
  'addonplacementscores',
];

const EVENTS: PolicyRule = { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: READ };

/** Read access, except to ManifestWorks, because a work can contain the content of Secrets. */
const VIEW_RULES: readonly PolicyRule[] = [
  { apiGroups: [ADDON_GROUP], resources: ADDON_KINDS, verbs: READ },
  { apiGroups: [OUTRIGGER_GROUP], resources: ['addonrollouts', 'rolloutpolicies', 'rolloutapprovals'], verbs: READ },
  { apiGroups: [CLUSTER_GROUP], resources: CLUSTER_KINDS, verbs: READ },
  // `plan`, `diff --revisions` and `rollout history --revision` read the stored content of revisions and the records of targets. The
  // built-in ClusterRole `view` includes the same permission.
  { apiGroups: ['apps'], resources: ['controllerrevisions'], verbs: ['get', 'list'] },
  EVENTS,
  // `outrigger doctor` reads the manager's Lease, and the fields and versions that the hub serves.
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: READ },
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: READ },
  // `outrigger doctor` checks whether the API server verifies who approves rollouts.
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
    verbs: READ,
  },
];

const STEER_RULES: readonly PolicyRule[] = [
  { apiGroups: [ADDON_GROUP], resources: ['clustermanagementaddons', 'managedclusteraddons', 'addondeploymentconfigs'], verbs: WRITE },
  { apiGroups: [OUTRIGGER_GROUP], resources: ['addonrollouts'], verbs: ['create', 'update', 'patch'] },
  { apiGroups: [OUTRIGGER_GROUP], resources: ['rolloutpolicies'], verbs: [...WRITE, 'approve', 'override'] },
  { apiGroups: [OUTRIGGER_GROUP], resources: ['rolloutapprovals'], verbs: ['create', 'delete'] },
  { apiGroups: [CLUSTER_GROUP], resources: ['placements', 'managedclustersets', 'managedclustersetbindings'], verbs: WRITE },
  { apiGroups: [CLUSTER_GROUP], resources: ['managedclustersets/join', 'managedclustersets/bind'], verbs: ['create'] },
  { apiGroups: [CLUSTER_GROUP], resources: ['managedclusters'], verbs: ['update', 'patch'] },
  { apiGroups: [WORK_GROUP], resources: ['manifestworks', 'manifestworkreplicasets'], verbs: READ },
];

const AUTHOR_RULES: readonly PolicyRule[] = [
  // Users who may write templates may also write ManifestWorkReplicaSets, because both determine the content of many clusters.
  { apiGroups: [WORK_GROUP], resources: ['manifestworkreplicasets'], verbs: [...READ, ...WRITE] },
  { apiGroups: [ADDON_GROUP], resources: ['clustermanagementaddons', 'addontemplates', 'addondeploymentconfigs'], verbs: WRITE },
];

/** Rules to declare, accept and detach clusters. To create a join token, a user also needs JOIN_RULES. */
const APPROVE_RULES: readonly PolicyRule[] = [
  { apiGroups: [CLUSTER_GROUP], resources: ['managedclusters'], verbs: [...READ, ...WRITE] },
  // `outrigger join` checks whether certificates of a detached cluster with the same name are still valid.
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
  { apiGroups: [REGISTER_GROUP], resources: ['managedclusters/accept'], verbs: ['update'] },
  { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], verbs: READ },
  { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests/approval'], verbs: ['update', 'patch'] },
  {
    apiGroups: ['certificates.k8s.io'],
    resources: ['signers'],
    resourceNames: ['kubernetes.io/kube-apiserver-client'],
    verbs: ['approve'],
  },
  EVENTS,
];

/**
 * Rules to approve or reject rollouts. An administrator who wants different approvers per policy grants `approve` by resourceNames instead.
 */
const APPROVE_ROLLOUT_RULES: readonly PolicyRule[] = [
  { apiGroups: [OUTRIGGER_GROUP], resources: ['rolloutpolicies'], verbs: ['approve'] },
  { apiGroups: [OUTRIGGER_GROUP], resources: ['rolloutapprovals'], verbs: ['create'] },
];

/** Rules for a RoleBinding in the namespace of one cluster. They grant no access outside of this namespace. */
const OWNER_RULES: readonly PolicyRule[] = [
  { apiGroups: [ADDON_GROUP], resources: ['managedclusteraddons', 'addondeploymentconfigs'], verbs: [...READ, ...WRITE] },
  { apiGroups: [WORK_GROUP], resources: ['manifestworks'], verbs: READ },
  EVENTS,
];

/**
 * Rules for a RoleBinding in the namespace of join tokens. They are not part of a role for all namespaces, because the permission to create
 * tokens for every ServiceAccount includes the permissions of all of them.
 */
const JOIN_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['create', 'delete'] },
  { apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create'] },
];

export const CLUSTER_OWNER_ROLE = 'outrigger:cluster-owner';

export const JOINER_ROLE = 'outrigger:joiner';

/** The roles that are bound by a RoleBinding in one namespace, with a description of that namespace. */
export const NAMESPACED_ROLES: Readonly<Record<string, string>> = {
  [CLUSTER_OWNER_ROLE]: 'the namespace of your cluster',
  [JOINER_ROLE]: `the namespace ${JOIN_NAMESPACE}`,
};

/** The roles that an administrator binds to users, each with the parts that it aggregates. */
const PARTS: readonly { readonly part: string; readonly rules: readonly PolicyRule[]; readonly roles: readonly string[] }[] = [
  {
    part: 'view',
    rules: VIEW_RULES,
    roles: ['outrigger:viewer', 'outrigger:fleet-admin', 'outrigger:addon-author', 'outrigger:rollout-approver'],
  },
  { part: 'steer', rules: STEER_RULES, roles: ['outrigger:fleet-admin'] },
  { part: 'author', rules: AUTHOR_RULES, roles: ['outrigger:addon-author'] },
  { part: 'approve', rules: APPROVE_RULES, roles: ['outrigger:approver'] },
  { part: 'approve-rollouts', rules: APPROVE_ROLLOUT_RULES, roles: ['outrigger:rollout-approver'] },
  { part: 'own', rules: OWNER_RULES, roles: [CLUSTER_OWNER_ROLE] },
  { part: 'join', rules: JOIN_RULES, roles: [JOINER_ROLE] },
];

export const ROLES_FOR_PEOPLE: readonly string[] = [...new Set(PARTS.flatMap(({ roles }) => roles))];

/** Returns the rules that a role has after the API server has aggregated it. */
export function rulesOf(role: string): readonly PolicyRule[] {
  return PARTS.filter(({ roles }) => roles.includes(role)).flatMap(({ rules }) => rules);
}

/**
 * Returns the ClusterRoles for users. Each is aggregated by its label, so that an administrator can add permissions, such as `bind` on the
 * roles that templates may name, without changing an installed object.
 */
export function rolesForPeople(): readonly KubeObject[] {
  const parts = PARTS.map(({ part, rules, roles }) => {
    const object = clusterRole(`outrigger:part:${part}`, rules);
    return {
      ...object,
      metadata: { ...object.metadata, labels: Object.fromEntries(roles.map((name) => [aggregationLabel(name), 'true'])) },
    };
  });
  return [...parts, ...ROLES_FOR_PEOPLE.map(aggregatedRole)];
}
