import {
  CLUSTER_NAME_LABEL,
  type ClusterRole,
  MANIFEST_WORK_FINALIZER,
  type PolicyRule,
  REGISTRATION_ROLE,
  type RbacSubject,
  type RoleBinding,
  WORK_ROLE,
  clusterAgentBindingGroups,
  clusterRoleBindings,
  clusterRoleName,
  clusterRoles,
  registrationBindingName,
  roleBindings,
  workBindingName,
} from '@outrigger/api';
import { type Kind, apiVersionOf, deepEqual } from '@outrigger/core';
import type { ApiAction } from '@outrigger/kube';
import { deleteObserved, patchObserved } from '../../observed-actions.js';
import { HUB } from '../../../resources/base.js';
import type { RightsBindingProjection, RoleProjection } from '../../../resources/cluster-rights.js';
import type { ClusterAction } from '../actions.js';
import { REGISTRATION_RULES, WORK_RULES, acceptedRules, deniedRules } from '../rules.js';
import type { ClusterState } from '../state.js';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

export interface RightsPlan {
  /** A check against the server that must succeed before any object in the namespace is changed. */
  readonly guard?: ClusterAction;
  /** The actions on objects outside the cluster's namespace. */
  readonly clusterWide: readonly ApiAction[];
  /** The actions on objects in the cluster's namespace. */
  readonly namespaced: readonly ApiAction[];
}

type InsideNamespace = Pick<RightsPlan, 'guard' | 'namespaced'>;

/** Plans the permissions that the agent of an accepted cluster has on its ManagedCluster and in its namespace. */
export function acceptedRights(state: ClusterState): RightsPlan {
  const { rights, works, cluster } = state;
  const { name } = cluster.key;
  const isReplaced = rights.workBinding?.isDeleting === true && works.length > 0;
  return {
    ...(isReplaced ? { guard: namespaceStays(name) } : {}),
    clusterWide: [
      ...role(rights.registrationRole, REGISTRATION_ROLE, '', REGISTRATION_RULES),
      ...role(rights.workRole, WORK_ROLE, '', WORK_RULES),
      ...role(rights.role, clusterRoleName(name), name, acceptedRules(name)),
      ...binding(clusterRoleBindings, rights.binding, clusterBinding(name)),
    ],
    namespaced: [
      ...binding(roleBindings, rights.registrationBinding, namespacedBinding(name, registrationBindingName(name), REGISTRATION_ROLE, [])),
      ...binding(roleBindings, rights.workBinding, namespacedBinding(name, workBindingName(name), WORK_ROLE, [MANIFEST_WORK_FINALIZER])),
    ],
  };
}

/**
 * Plans the permissions that remain after a denial. The permission to access works is removed only when no work is left, so that the agent
 * can clean up works that are being deleted.
 */
export function deniedRights(state: ClusterState): RightsPlan {
  const { rights, cluster } = state;
  const { name } = cluster.key;
  const workBinding = removeWorkBinding(state);
  return {
    clusterWide: [
      ...role(rights.role, clusterRoleName(name), name, deniedRules(name)),
      ...binding(clusterRoleBindings, rights.binding, clusterBinding(name)),
    ],
    namespaced: [...remove(roleBindings, rights.registrationBinding), ...workBinding],
    ...(rights.workBinding?.isDeleting && workBinding.length > 0 ? { guard: noWorksLeft(name) } : {}),
  };
}

/**
 * Plans the last change in a namespace that is being deleted. When no work is left, removes the finalizer of the binding with which the
 * agent accesses works, because the finalizer would keep the namespace forever.
 */
export function terminatingRights({ rights, works }: Pick<ClusterState, 'rights' | 'works'>, cluster: string): InsideNamespace {
  const namespaced = rights.workBinding?.isDeleting ? removeWorkBinding({ rights, works }) : [];
  return { namespaced, ...(namespaced.length > 0 ? { guard: noWorksLeft(cluster) } : {}) };
}

/** Removes all objects that were created for the agent. Roles that all clusters share are removed with the last cluster. */
export function removedRights(state: ClusterState): readonly ApiAction[] {
  const { rights, isLast } = state;
  return [
    ...remove(roleBindings, rights.registrationBinding),
    ...removeWorkBinding(state),
    ...remove(clusterRoleBindings, rights.binding),
    ...remove(clusterRoles, rights.role),
    ...(isLast ? [...remove(clusterRoles, rights.registrationRole), ...remove(clusterRoles, rights.workRole)] : []),
  ];
}

/**
 * Works and bindings arrive through different watches, so this effect checks on the API server that no work is left before the permission
 * to access works is removed.
 */
function noWorksLeft(cluster: string): ClusterAction {
  return { type: 'effect', effect: 'no-works-left', id: 'no-works-left', input: cluster };
}

/**
 * Namespaces and bindings arrive through different watches, so this effect checks on the API server that the namespace is not being deleted
 * before a binding in it is replaced. Otherwise the old binding would be deleted, no new one could be created, and the agent could not
 * clean up its works.
 */
function namespaceStays(cluster: string): ClusterAction {
  return { type: 'effect', effect: 'namespace-stays', id: 'namespace-stays', input: cluster };
}

function removeWorkBinding({ rights, works }: Pick<ClusterState, 'rights' | 'works'>): readonly ApiAction[] {
  const { workBinding: found } = rights;
  if (!found) return [];
  if (!found.isDeleting) return remove(roleBindings, found);
  const finalizers = found.finalizers.filter((finalizer) => finalizer !== MANIFEST_WORK_FINALIZER);
  return works.length > 0 || finalizers.length === found.finalizers.length
    ? []
    : [patch(roleBindings, found, { metadata: { finalizers } })];
}

function role(found: RoleProjection | undefined, name: string, cluster: string, rules: readonly PolicyRule[]): readonly ApiAction[] {
  if (found) return deepEqual(found.rules, rules) ? [] : [patch(clusterRoles, found, { rules })];
  const metadata = { name, labels: { [CLUSTER_NAME_LABEL]: cluster } };
  const object: ClusterRole = { apiVersion: apiVersionOf(clusterRoles), kind: clusterRoles.kind, metadata, rules };
  // Passes over several clusters may create the shared roles at the same time. The roles are identical, so it does not matter which create
  // request succeeds.
  return [
    {
      type: 'create',
      id: `role/${name}`,
      api: HUB,
      kind: clusterRoles,
      object,
      ...(cluster === '' ? { accept: ['AlreadyExists'] as const } : {}),
    },
  ];
}

/**
 * Plans one binding. A binding that is being deleted is created again after the deletion. The role of a binding cannot be changed, so a
 * binding to another role is deleted and created again.
 */
function binding(kind: Kind<RoleBinding>, found: RightsBindingProjection | undefined, wanted: RoleBinding): readonly ApiAction[] {
  if (!found) return [{ type: 'create', id: actionId(kind, wanted.metadata), api: HUB, kind, object: wanted }];
  if (found.isDeleting) return releaseFinalizer(kind, found);
  if (!deepEqual(found.roleRef, wanted.roleRef)) return remove(kind, found);
  const finalizers = wanted.metadata.finalizers ?? [];
  const isGuarded = finalizers.every((finalizer) => found.finalizers.includes(finalizer));
  if (isGuarded && deepEqual(found.subjects, wanted.subjects)) return [];
  return [
    patch(kind, found, {
      subjects: wanted.subjects,
      metadata: { finalizers: [...new Set([...found.finalizers, ...finalizers])] },
    }),
  ];
}

/**
 * Removes the finalizer of the old binding, so that a new one can be created. This is needed if the cluster is accepted again before its
 * permission to access works has been removed.
 */
function releaseFinalizer(kind: Kind<RoleBinding>, found: RightsBindingProjection): readonly ApiAction[] {
  const finalizers = found.finalizers.filter((finalizer) => finalizer !== MANIFEST_WORK_FINALIZER);
  return finalizers.length === found.finalizers.length ? [] : [patch(kind, found, { metadata: { finalizers } })];
}

function clusterBinding(cluster: string): RoleBinding {
  return {
    apiVersion: apiVersionOf(clusterRoleBindings),
    kind: clusterRoleBindings.kind,
    metadata: { name: clusterRoleName(cluster), labels: { [CLUSTER_NAME_LABEL]: cluster } },
    roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: clusterRoleName(cluster) },
    subjects: subjectsOf(cluster),
  };
}

function namespacedBinding(cluster: string, name: string, roleName: string, finalizers: readonly string[]): RoleBinding {
  return {
    apiVersion: apiVersionOf(roleBindings),
    kind: roleBindings.kind,
    metadata: { name, namespace: cluster, labels: { [CLUSTER_NAME_LABEL]: cluster }, ...(finalizers.length > 0 ? { finalizers } : {}) },
    roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: roleName },
    subjects: subjectsOf(cluster),
  };
}

function subjectsOf(cluster: string): readonly RbacSubject[] {
  return clusterAgentBindingGroups(cluster).map((name) => ({ kind: 'Group', apiGroup: RBAC_GROUP, name }));
}

function patch(kind: Kind, found: RightsBindingProjection | RoleProjection, change: object): ApiAction {
  return patchObserved(found, kind, actionId(kind, found.key), change);
}

function remove(kind: Kind, found: RightsBindingProjection | RoleProjection | undefined): readonly ApiAction[] {
  if (!found || ('isDeleting' in found && found.isDeleting)) return [];
  return [deleteObserved(found, kind, actionId(kind, found.key))];
}

function actionId(kind: Kind, { name = '' }: { readonly name?: string }): string {
  return `${kind.plural}/${name}`;
}
