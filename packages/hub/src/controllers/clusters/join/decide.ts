import { type ClusterRole, type PolicyRule, type RoleBinding, clusterRoleBindings, clusterRoles, serviceAccounts } from '@outrigger/api';
import { type Kind, apiVersionOf, deepEqual, findCondition, isConditionTrue, parseTime } from '@outrigger/core';
import type { ApiAction, Decision, Now } from '@outrigger/kube';
import { deleteObserved, patchObserved } from '../../observed-actions.js';
import { HUB } from '../../../resources/base.js';
import type { LifecycleProjection } from '../../../resources/cluster-lifecycle.js';
import type { JoinAccountProjection, JoinBindingProjection, JoinRequestProjection, JoinRoleProjection } from '../../../resources/joins.js';
import { JOIN_NAMESPACE, JOIN_REQUEST_ANNOTATION, joinLabels, joinRoleName, joinRules } from '../../../resources/join-names.js';

/** All inputs of one pass over the join token of a cluster. */
export interface JoinState {
  readonly name: string;
  readonly cluster: LifecycleProjection | undefined;
  readonly account: JoinAccountProjection | undefined;
  readonly role: JoinRoleProjection | undefined;
  readonly binding: JoinBindingProjection | undefined;
  /** Certificate requests that were made with the token. */
  readonly requests: readonly JoinRequestProjection[];
}

/**
 * Decides one pass over a join token. The token gets the permissions it needs and can be used for one certificate request. It is deleted
 * when the cluster has joined, when the token has expired, or when the cluster is deleted. The ServiceAccount is deleted first, because
 * this invalidates every copy of the token at once.
 */
export function decideJoin(state: JoinState, now: Now): Decision {
  const { name, account, role, binding, requests } = state;
  if (!account || hasEnded(state, now)) return ending(state);
  const request = account.request ?? firstOf(requests, account)?.key.name;
  const pinned: readonly ApiAction[] =
    request === account.request
      ? []
      : [patch(serviceAccounts, account, { metadata: { annotations: { [JOIN_REQUEST_ANNOTATION]: request ?? null } } })];
  const rights = [...roleActions(name, role, joinRules(name, request, account.readsRequests)), ...(binding ? [] : [createBinding(name)])];
  return {
    stages: [pinned, rights].filter((stage) => stage.length > 0),
    requeueAfterMs: Math.max(1, (account.expiresAt ?? now.wall) - now.wall),
  };
}

function hasEnded({ account, cluster }: JoinState, now: Now): boolean {
  if (account?.expiresAt === undefined || account.expiresAt <= now.wall) return true;
  return !cluster || cluster.isDeleting || hasServed(account, cluster);
}

/**
 * Whether the cluster has joined with the token. A cluster that joins again was reported as joined before; it has joined when it became
 * available after the token was created.
 */
function hasServed(account: JoinAccountProjection, { conditions }: LifecycleProjection): boolean {
  if (!account.isAgain) return isConditionTrue(conditions, 'ManagedClusterJoined');
  const available = findCondition(conditions, 'ManagedClusterConditionAvailable');
  return available?.status === 'True' && (parseTime(available.lastTransitionTime) ?? 0) > account.createdAt;
}

function firstOf(requests: readonly JoinRequestProjection[], account: JoinAccountProjection): JoinRequestProjection | undefined {
  const own = requests.filter(({ accountUid }) => accountUid === account.uid);
  return own.sort((a, b) => a.createdAt - b.createdAt || (a.key.name < b.key.name ? -1 : 1))[0];
}

function ending({ account, role, binding }: JoinState): Decision {
  const first = account && !account.isDeleting ? [remove(serviceAccounts, account)] : [];
  const then = [...(binding ? [remove(clusterRoleBindings, binding)] : []), ...(role ? [remove(clusterRoles, role)] : [])];
  return first.length + then.length === 0 ? { stages: [] } : { stages: [first, then].filter((stage) => stage.length > 0) };
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
