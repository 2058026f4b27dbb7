import {
  AUTO_ACCEPTED_ANNOTATION,
  CLUSTER_MESSAGES,
  CLUSTER_RBAC_FINALIZER,
  CLUSTER_RESOURCES_FINALIZER,
  type ClusterCondition,
} from '@outrigger/api';
import { type JsonObject, findCondition } from '@outrigger/core';
import type { Now } from '@outrigger/kube';
import type { LifecycleProjection } from '../../../resources/cluster-lifecycle.js';
import type { ClusterState } from '../state.js';

type Accepted = Extract<ClusterCondition, { type: 'HubAcceptedManagedCluster' }>;

/**
 * The finalizers that delay the deletion of a cluster until the hub has removed the agent's permissions and the objects in the cluster's
 * namespace.
 */
const FINALIZERS: readonly string[] = [CLUSTER_RBAC_FINALIZER, CLUSTER_RESOURCES_FINALIZER];

/** Whether the hub has ever accepted the cluster, according to its acceptance condition. */
export function wasEverAccepted({ conditions }: LifecycleProjection): boolean {
  return findCondition(conditions, 'HubAcceptedManagedCluster') !== undefined;
}

/**
 * Accepts a new cluster if auto-acceptance is enabled. Records the acceptance in an annotation, so that the hub does not accept a cluster
 * again after a user has denied it.
 */
export function autoAcceptance({ cluster, options }: ClusterState, now: Now): JsonObject {
  if (!options.autoAccept || cluster.wasAutoAccepted) return {};
  return { metadata: { annotations: { [AUTO_ACCEPTED_ANNOTATION]: now.time } }, spec: { hubAcceptsClient: true } };
}

/** Returns the finalizers of the cluster with those that an accepted cluster needs. Returns the same list if none is missing. */
export function guardedFinalizers({ accepts, finalizers }: LifecycleProjection): readonly string[] {
  const missing = accepts ? FINALIZERS.filter((finalizer) => !finalizers.includes(finalizer)) : [];
  return missing.length === 0 ? finalizers : [...finalizers, ...missing];
}

export function withoutGuards(finalizers: readonly string[]): readonly string[] {
  return finalizers.filter((finalizer) => !FINALIZERS.includes(finalizer));
}

/**
 * Reports acceptance when all objects that the agent needs exist, an error if a problem prevents acceptance, and a denial immediately.
 * Returns no condition for a cluster that was never accepted, or while its namespace and permissions are being created.
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
