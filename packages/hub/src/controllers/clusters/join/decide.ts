import { clusterRoleBindings, clusterRoles, serviceAccounts } from '@outrigger/api';
import { type JsonObject, type Kind, deepEqual, isConditionTrue } from '@outrigger/core';
import { type Action, type Decision, NOTHING, type Now } from '@outrigger/kube';
import { HUB } from '../../../resources/base.js';
import type { ClusterLifecycleRecord } from '../../../resources/cluster-lifecycle.js';
import type { JoinAccountRecord, JoinBindingRecord, JoinRequestRecord, JoinRoleRecord } from '../../../resources/joins.js';
import { JOIN_REQUEST_ANNOTATION, joinRules } from './names.js';

/** Everything one pass over the join token of a cluster may look at. */
export interface JoinState {
  readonly name: string;
  readonly cluster: ClusterLifecycleRecord | undefined;
  readonly account: JoinAccountRecord | undefined;
  readonly role: JoinRoleRecord | undefined;
  readonly binding: JoinBindingRecord | undefined;
  /** Requests made with the token. */
  readonly requests: readonly JoinRequestRecord[];
}

/**
 * One pass over a join token: it serves one certificate request, and ends when the cluster has joined, when its time is up, or when the
 * cluster is no longer wanted. The account goes first: with it every copy of the token is worthless at once.
 */
export function decideJoin(state: JoinState, now: Now): Decision {
  const { name, account, role, requests } = state;
  if (!account || hasEnded(state, now)) return ending(state);
  const request = account.request ?? firstOf(requests)?.key.name;
  const rules = joinRules(name, request);
  const pinned: readonly Action[] =
    request === account.request
      ? []
      : [patch(serviceAccounts, account, { metadata: { annotations: { [JOIN_REQUEST_ANNOTATION]: request ?? null } } })];
  const narrowed = !role || deepEqual(role.rules, rules) ? [] : [patch(clusterRoles, role, { rules } as unknown as JsonObject)];
  return {
    stages: [pinned, narrowed].filter((stage) => stage.length > 0),
    requeueAfterMs: Math.max(1, (account.expiresAt ?? now.wall) - now.wall),
  };
}

function hasEnded({ account, cluster }: JoinState, now: Now): boolean {
  const isExpired = account?.expiresAt === undefined || account.expiresAt <= now.wall;
  return isExpired || !cluster || cluster.isDeleting || isConditionTrue(cluster.conditions, 'ManagedClusterJoined');
}

function firstOf(requests: readonly JoinRequestRecord[]): JoinRequestRecord | undefined {
  return [...requests].sort((a, b) => a.createdAt - b.createdAt || (a.key.name < b.key.name ? -1 : 1))[0];
}

function ending({ account, role, binding }: JoinState): Decision {
  const first = account && !account.isDeleting ? [remove(serviceAccounts, account)] : [];
  const then = [...(binding ? [remove(clusterRoleBindings, binding)] : []), ...(role ? [remove(clusterRoles, role)] : [])];
  return first.length + then.length === 0 ? NOTHING : { stages: [first, then].filter((stage) => stage.length > 0) };
}

type Target = JoinAccountRecord | JoinRoleRecord | JoinBindingRecord;

function patch(kind: Kind, { key, uid, resourceVersion }: Target, change: JsonObject): Action {
  return { type: 'patch', id: kind.plural, api: HUB, kind, key, patch: change, precondition: { uid, resourceVersion } };
}

function remove(kind: Kind, { key, uid }: Target): Action {
  return { type: 'delete', id: kind.plural, api: HUB, kind, key, precondition: { uid }, accept: ['NotFound'] };
}
