import { CLUSTER_LEASE_NAME, CLUSTER_MESSAGES, type ClusterCondition, type Lease, leases } from '@outrigger/api';
import { apiVersionOf, toMicroTime } from '@outrigger/core';
import type { Action, Now } from '@outrigger/kube';
import { HUB } from '../../../resources/base.js';
import type { ClusterLifecycleRecord } from '../../../resources/cluster-lifecycle.js';
import type { ClusterState } from '../state.js';
import { wasEverAccepted } from './acceptance.js';

/** An agent may miss this many renewals. */
const MISSED_RENEWALS = 5;

function graceMs({ leaseSeconds }: ClusterLifecycleRecord): number {
  return MISSED_RENEWALS * leaseSeconds * 1000;
}

/** The Lease the agent is to renew, made as if it had been renewed just now: it has as long as any other to show up. */
export function missingLease({ cluster, lease, namespace }: ClusterState, now: Now): readonly Action[] {
  if (lease || cluster.isDeleting || !wasEverAccepted(cluster) || !namespace || namespace.isDeleting) return [];
  const object: Lease = {
    apiVersion: apiVersionOf(leases),
    kind: leases.kind,
    metadata: { name: CLUSTER_LEASE_NAME, namespace: cluster.key.name },
    spec: { holderIdentity: CLUSTER_LEASE_NAME, leaseDurationSeconds: cluster.leaseSeconds, renewTime: toMicroTime(now.wall) },
  };
  return [{ type: 'create', id: 'lease', api: HUB, kind: leases, object, accept: ['AlreadyExists'] }];
}

/** Goes last, with the cluster: one that comes back under this name is not to be told silent by a lease of its predecessor. */
export function staleLease({ lease }: ClusterState): readonly Action[] {
  if (!lease) return [];
  const { key, uid } = lease;
  return [{ type: 'delete', id: 'lease', api: HUB, kind: leases, key, precondition: { uid }, accept: ['NotFound', 'Forbidden'] }];
}

export interface LeaseVerdict {
  readonly conditions: readonly ClusterCondition[];
  /** When the agent is silent for too long, if it stays silent. */
  readonly expiresAt: number | undefined;
}

/** What the Lease tells: whether the agent is silent, and whether its clock agrees with the hub's. Available again is the agent's to say. */
export function leaseVerdict({ cluster, lease }: ClusterState, now: Now): LeaseVerdict {
  if (!lease) return { conditions: cluster.isDeleting && wasEverAccepted(cluster) ? [stopped()] : [], expiresAt: undefined };
  const { renewedAt, writtenAt } = lease;
  const expiresAt = expiryOf(cluster, renewedAt, writtenAt);
  const isExpired = expiresAt === undefined || now.wall >= expiresAt;
  const clock = clockCondition(cluster, renewedAt, writtenAt);
  return { conditions: [...(isExpired ? [stopped()] : []), ...(clock ? [clock] : [])], expiresAt: isExpired ? undefined : expiresAt };
}

/** A clock far ahead must not hide that the agent fell silent: what the server says of the last write counts then. */
function expiryOf(cluster: ClusterLifecycleRecord, renewedAt: number | undefined, writtenAt: number | undefined): number | undefined {
  if (renewedAt === undefined) return undefined;
  const isAhead = writtenAt !== undefined && renewedAt - writtenAt >= graceMs(cluster);
  return (isAhead ? writtenAt : renewedAt) + graceMs(cluster);
}

function stopped(): ClusterCondition {
  return {
    type: 'ManagedClusterConditionAvailable',
    status: 'Unknown',
    reason: 'ManagedClusterLeaseUpdateStopped',
    message: CLUSTER_MESSAGES.leaseStopped,
  };
}

/**
 * The agent's clock at the renewal against the server's when it took the write. Not against the clock of this pass: a pass long after the
 * renewal would take silence for a wrong clock.
 */
function clockCondition(
  cluster: ClusterLifecycleRecord,
  renewedAt: number | undefined,
  writtenAt: number | undefined,
): ClusterCondition | undefined {
  const type = 'ManagedClusterConditionClockSynced';
  const synced: ClusterCondition = { type, status: 'True', reason: 'ManagedClusterClockSynced', message: CLUSTER_MESSAGES.clockSynced };
  if (cluster.skipsClockCheck) return synced;
  if (renewedAt === undefined || writtenAt === undefined) return undefined;
  if (Math.abs(writtenAt - renewedAt) < graceMs(cluster)) return synced;
  return { type, status: 'False', reason: 'ManagedClusterClockOutOfSync', message: CLUSTER_MESSAGES.clockOutOfSync };
}
