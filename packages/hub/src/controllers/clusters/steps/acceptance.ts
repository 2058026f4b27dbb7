import {
  AUTO_ACCEPTED_ANNOTATION,
  CLUSTER_MESSAGES,
  CLUSTER_RBAC_FINALIZER,
  CLUSTER_RESOURCES_FINALIZER,
  type ClusterCondition,
} from '@outrigger/api';
import { type JsonObject, findCondition } from '@outrigger/core';
import type { Now } from '@outrigger/kube';
import type { ClusterLifecycleRecord } from '../../../resources/cluster-lifecycle.js';
import type { ClusterState } from '../state.js';

type Accepted = Extract<ClusterCondition, { type: 'HubAcceptedManagedCluster' }>;

/** What the hub guards before it lets go of a cluster: the agent's rights, and what it manages there. */
const FINALIZERS: readonly string[] = [CLUSTER_RBAC_FINALIZER, CLUSTER_RESOURCES_FINALIZER];

/** Whether the hub has ever let the cluster in; only then is there anything to keep or to take away. */
export function wasEverAccepted({ conditions }: ClusterLifecycleRecord): boolean {
  return findCondition(conditions, 'HubAcceptedManagedCluster') !== undefined;
}

/** Accepts a newcomer where the administrator wants that, and says so, so that it happens once. */
export function autoAcceptance({ cluster, options }: ClusterState, now: Now): JsonObject {
  if (!options.autoAccept || cluster.wasAutoAccepted) return {};
  return { metadata: { annotations: { [AUTO_ACCEPTED_ANNOTATION]: now.time } }, spec: { hubAcceptsClient: true } };
}

/** The finalizers an accepted cluster needs besides those it has; the same list if it has them all. */
export function guardedFinalizers({ accepts, finalizers }: ClusterLifecycleRecord): readonly string[] {
  const missing = accepts ? FINALIZERS.filter((finalizer) => !finalizers.includes(finalizer)) : [];
  return missing.length === 0 ? finalizers : [...finalizers, ...missing];
}

export function withoutGuards(finalizers: readonly string[]): readonly string[] {
  return finalizers.filter((finalizer) => !FINALIZERS.includes(finalizer));
}

/**
 * Accepted is said once everything the agent needs is there; denied at once. Nothing is said of a cluster nobody has decided about, nor
 * while its namespace and rights are on their way.
 */
export function acceptedCondition({ cluster }: ClusterState, isReady: boolean, refusal: string | undefined): Accepted | undefined {
  const type = 'HubAcceptedManagedCluster';
  if (!cluster.accepts) {
    if (!wasEverAccepted(cluster)) return undefined;
    return { type, status: 'False', reason: 'HubClusterAdminDenied', message: CLUSTER_MESSAGES.denied };
  }
  if (isReady) return { type, status: 'True', reason: 'HubClusterAdminAccepted', message: CLUSTER_MESSAGES.accepted };
  return refusal === undefined ? undefined : { type, status: 'False', reason: 'Error', message: refusal };
}
