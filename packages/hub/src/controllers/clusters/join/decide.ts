import { type ClusterRole, type PolicyRule, type RoleBinding, clusterRoleBindings, clusterRoles, serviceAccounts } from '@outrigger/api';
import { type Kind, apiVersionOf, deepEqual, findCondition, isConditionTrue, parseTime } from '@outrigger/core';
import type { ApiAction, Decision, Now } from '@outrigger/kube';
import { deleteObserved, patchObserved } from '../../observed-actions.js';
import { HUB } from '../../../resources/base.js';
import type { LifecycleProjection } from '../../../resources/cluster-lifecycle.js';
import type { JoinAccountProjection, JoinBindingProjection, JoinRequestProjection, JoinRoleProjection } from '../../../resources/joins.js';
import { JOIN_NAMESPACE, JOIN_REQUEST_ANNOTATION, joinLabels, joinRoleName, joinRules } from '../../../resources/join-names.js';

/**
 * The time for which a token is kept while the caches do not contain its ManagedCluster. One cache may be older than another, so the hub
 * may observe a new token before its cluster.
 */
export const WITHOUT_CLUSTER_MS = 10_000;

/** The in-memory state of a join token. */
export interface JoinMemory {
  /** The monotonic time since which the caches have lacked the cluster of this token; undefined while they contain it. */
  readonly withoutClusterSince: number | undefined;
  readonly accountUid: string;
  /**
   * The time since which the cluster was available, in the pass that first observed a request with the token; `never` if the cluster was
   * not available in that pass.
   */
  readonly availableAtUse?: string | undefined;
}

/** All inputs of one pass over the join token of a cluster. */
export interface JoinState {
  readonly name: string;
  /** The ManagedCluster with the name of the token. The token may have been created for an earlier cluster of this name. */
  readonly cluster: LifecycleProjection | undefined;
  readonly account: JoinAccountProjection | undefined;
  readonly role: JoinRoleProjection | undefined;
  readonly binding: JoinBindingProjection | undefined;
  /** Certificate requests that were made with the token. */
  readonly requests: readonly JoinRequestProjection[];
  readonly remembered: JoinMemory | undefined;
}

/**
 * Decides one pass over a join token. The token gets the permissions it needs and can be used for one certificate request. It is deleted
 * when the cluster has joined, when the token has expired, or when the cluster is deleted. The ServiceAccount is deleted first, because
 * this invalidates every copy of the token at once. A token whose cluster is not observed has no permissions, and is deleted after
 * `WITHOUT_CLUSTER_MS`.
 */
export function decideJoin(state: JoinState, now: Now): Decision<JoinMemory> {
  const { name, account, role, binding, requests } = state;
  if (!account || hasExpired(account, now)) return ending(state);
  const cluster = clusterOf(account, state.cluster);
  if (!cluster) return waiting(state, account, now);
  if (cluster.isDeleting || hasServed(state, account, cluster)) return ending(state);
  const request = account.request ?? firstOf(requests, account)?.key.name;
  const pinned: readonly ApiAction[] =
    request === account.request
      ? []
      : [patch(serviceAccounts, account, { metadata: { annotations: { [JOIN_REQUEST_ANNOTATION]: request ?? null } } })];
  const rights = [...roleActions(name, role, joinRules(name, request, account.readsRequests)), ...(binding ? [] : [createBinding(name)])];
  return {
    stages: [pinned, rights].filter((stage) => stage.length > 0),
    requeueAfterMs: Math.max(1, (account.expiresAt ?? now.wall) - now.wall),
    remember: {
      withoutClusterSince: undefined,
      accountUid: account.uid,
      availableAtUse: request === undefined ? undefined : (availableAtUse(state, account) ?? availableSince(cluster) ?? 'never'),
    },
  };
}

/** Returns `availableAtUse` as an earlier pass over this token stored it. */
function availableAtUse({ remembered }: JoinState, { uid }: JoinAccountProjection): string | undefined {
  return remembered?.accountUid === uid ? remembered.availableAtUse : undefined;
}

function availableSince({ conditions }: LifecycleProjection): string | undefined {
  const available = findCondition(conditions, 'ManagedClusterConditionAvailable');
  return available?.status === 'True' ? available.lastTransitionTime : undefined;
}

function hasExpired({ expiresAt }: JoinAccountProjection, now: Now): boolean {
  return expiresAt === undefined || expiresAt <= now.wall;
}

/** Returns the observed cluster if the token is for it; undefined if it is another cluster of the same name. */
function clusterOf({ clusterUid }: JoinAccountProjection, observed: LifecycleProjection | undefined): LifecycleProjection | undefined {
  return clusterUid === undefined || clusterUid === observed?.uid ? observed : undefined;
}

/** Decides a pass while the caches do not contain the cluster of the token, because it was deleted or has not been observed yet. */
function waiting(state: JoinState, account: JoinAccountProjection, now: Now): Decision<JoinMemory> {
  const { remembered } = state;
  const since = (remembered?.accountUid === account.uid ? remembered.withoutClusterSince : undefined) ?? now.monotonic;
  const leftMs = since + WITHOUT_CLUSTER_MS - now.monotonic;
  if (leftMs <= 0) return ending(state);
  return {
    stages: [removedRights(state)].filter((stage) => stage.length > 0),
    requeueAfterMs: leftMs,
    remember: { withoutClusterSince: since, accountUid: account.uid },
  };
}

/**
 * Whether the cluster has joined with the token. For a cluster that joins for the first time, the condition Joined shows this. A cluster
 * that joins again has joined if it became available after its agent sent the request, because the agent uses the token only if the hub
 * does not accept its certificate. A cluster that became available earlier still uses its earlier certificate, and may need the token
 * later. Stored times have whole seconds: if the time of Available equals the time of the request, the cluster has joined only if the time
 * of Available has changed since the request was first observed.
 */
function hasServed(state: JoinState, account: JoinAccountProjection, cluster: LifecycleProjection): boolean {
  if (!account.isAgain) return isConditionTrue(cluster.conditions, 'ManagedClusterJoined');
  const since = availableSince(cluster);
  if (account.request === undefined || since === undefined) return false;
  // If the request was deleted, its time is not known, so use the time at which the token was created. The token permits no other request.
  const usedAt = state.requests.find(({ key }) => key.name === account.request)?.createdAt ?? account.createdAt;
  const availableAt = parseTime(since) ?? 0;
  if (availableAt !== usedAt) return availableAt > usedAt;
  const before = availableAtUse(state, account);
  return before !== undefined && before !== since;
}

function firstOf(requests: readonly JoinRequestProjection[], account: JoinAccountProjection): JoinRequestProjection | undefined {
  const own = requests.filter(({ accountUid }) => accountUid === account.uid);
  return own.sort((a, b) => a.createdAt - b.createdAt || (a.key.name < b.key.name ? -1 : 1))[0];
}

function ending(state: JoinState): Decision<JoinMemory> {
  const { account } = state;
  const token = account && !account.isDeleting ? [remove(serviceAccounts, account)] : [];
  return { stages: [token, removedRights(state)].filter((stage) => stage.length > 0) };
}

function removedRights({ role, binding }: JoinState): readonly ApiAction[] {
  return [...(binding ? [remove(clusterRoleBindings, binding)] : []), ...(role ? [remove(clusterRoles, role)] : [])];
}

function roleActions(cluster: string, role: JoinRoleProjection | undefined, rules: readonly PolicyRule[]): readonly ApiAction[] {
  if (role) return deepEqual(role.rules, rules) ? [] : [patch(clusterRoles, role, { rules })];
  const metadata = { name: joinRoleName(cluster), labels: joinLabels(cluster) };
  const object: ClusterRole = { apiVersion: apiVersionOf(clusterRoles), kind: clusterRoles.kind, metadata, rules };
  return [{ type: 'create', id: clusterRoles.plural, api: HUB, kind: clusterRoles, object }];
}

function createBinding(cluster: string): ApiAction {
  const object: RoleBinding = {
    apiVersion: apiVersionOf(clusterRoleBindings),
    kind: clusterRoleBindings.kind,
    metadata: { name: joinRoleName(cluster), labels: joinLabels(cluster) },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: joinRoleName(cluster) },
    subjects: [{ kind: 'ServiceAccount', namespace: JOIN_NAMESPACE, name: cluster }],
  };
  return { type: 'create', id: clusterRoleBindings.plural, api: HUB, kind: clusterRoleBindings, object };
}

type Target = JoinAccountProjection | JoinRoleProjection | JoinBindingProjection;

function patch(kind: Kind, target: Target, change: object): ApiAction {
  return patchObserved(target, kind, kind.plural, change);
}

function remove(kind: Kind, target: Target): ApiAction {
  return deleteObserved(target, kind, kind.plural);
}
