import { CLUSTER_LEASE_NAME, CLUSTER_MESSAGES, type ClusterCondition, type Lease, leases } from '@outrigger/api';
import { apiVersionOf, findCondition, toMicroTime } from '@outrigger/core';
import { type ApiAction, type Now, type SeenTime, ageOf, seeTime } from '@outrigger/kube';
import { HUB } from '../../../resources/base.js';
import type { ClusterLeaseProjection } from '../../../resources/cluster-leases.js';
import type { LifecycleProjection } from '../../../resources/cluster-lifecycle.js';
import type { ClusterState } from '../state.js';
import { wasEverAccepted } from './acceptance.js';

/** The number of renewals in succession that an agent may miss. */
const MISSED_RENEWALS = 5;

/** How long an agent may fail to renew its Lease before its cluster is reported as unreachable. */
export function graceMs({ leaseSeconds }: LifecycleProjection): number {
  return MISSED_RENEWALS * leaseSeconds * 1000;
}

/** Creates the Lease that the agent renews. Its renewal time is now, so that a new agent has the full grace period to start. */
export function missingLease({ cluster, lease, namespace }: ClusterState, now: Now): readonly ApiAction[] {
  if (lease || cluster.isDeleting || !wasEverAccepted(cluster) || !namespace || namespace.isDeleting) return [];
  const object: Lease = {
    apiVersion: apiVersionOf(leases),
    kind: leases.kind,
    metadata: { name: CLUSTER_LEASE_NAME, namespace: cluster.key.name },
    spec: { holderIdentity: CLUSTER_LEASE_NAME, leaseDurationSeconds: cluster.leaseSeconds, renewTime: toMicroTime(now.wall) },
  };
  return [{ type: 'create', id: 'lease', api: HUB, kind: leases, object, accept: ['AlreadyExists'] }];
}

/**
 * Deletes the Lease, as the last object of the cluster. A later cluster of the same name must not become unreachable because of its
 * predecessor's Lease.
 */
export function staleLease({ lease }: ClusterState): readonly ApiAction[] {
  if (!lease) return [];
  const { key, uid } = lease;
  return [{ type: 'delete', id: 'lease', api: HUB, kind: leases, key, precondition: { uid }, accept: ['NotFound', 'Forbidden'] }];
}

/** The data about a cluster's Lease that one pass keeps for the next. */
export interface LeaseMemory {
  readonly renewed: SeenTime;
  /** Whether the cluster was reported as unreachable because the agent had stopped renewing the Lease. */
  readonly isStopped: boolean;
}

export interface LeaseVerdict {
  readonly conditions: readonly ClusterCondition[];
  /** After how many milliseconds the cluster becomes unreachable unless the agent renews the Lease by then. */
  readonly expiresInMs: number | undefined;
  readonly remember: LeaseMemory | undefined;
}

/**
 * Derives conditions from the Lease: whether the agent has stopped renewing it, and whether the agent's clock agrees with the hub's. Only
 * the agent itself reports that the cluster is available again. A jump of the clock does not make a Lease look old, because the wall clock is
 * used only for the first renewal that this process observes.
 */
export function leaseVerdict({ cluster, lease, rememberedLease }: ClusterState, now: Now): LeaseVerdict {
  if (!lease) {
    const conditions = cluster.isDeleting && wasEverAccepted(cluster) ? [stopped()] : [];
    return { conditions, expiresInMs: undefined, remember: undefined };
  }
  const { renewedAt, writtenAt } = lease;
  const isStopped = isReportedStopped(cluster);
  const seen = seeTime(rememberedLease?.renewed, lease.uid, renewalOf(cluster, renewedAt, writtenAt), now);
  // The agent has reported that the cluster is available, so the agent has not stopped, even if the Lease has expired by the hub's clock.
  const hasReported = rememberedLease?.isStopped === true && !isStopped;
  const renewed = seen && (hasReported ? { ...seen, ageMs: 0, seenAt: now.monotonic } : seen);
  const leftMs = renewed === undefined ? 0 : graceMs(cluster) - ageOf(renewed, now);
  const clock = clockCondition(cluster, renewedAt, writtenAt);
  return {
    conditions: [...(leftMs <= 0 ? [stopped()] : []), ...(clock ? [clock] : [])],
    expiresInMs: leftMs > 0 ? leftMs : undefined,
    remember: renewed && { renewed, isStopped },
  };
}

function isReportedStopped({ conditions }: LifecycleProjection): boolean {
  const available = findCondition(conditions, 'ManagedClusterConditionAvailable');
  return available?.status === 'Unknown' && available.reason === stopped().reason;
}

/**
 * Whether a renewal changes only the time at which the Lease expires, and to a later time. The pass that is due when the Lease would have
 * expired without the renewal finds the later time, so the renewal itself needs no pass. While the cluster is not available, no such pass
 * may be due, so no renewal is routine.
 */
export function isRoutineRenewal(cluster: LifecycleProjection, before: ClusterLeaseProjection, after: ClusterLeaseProjection): boolean {
  if (findCondition(cluster.conditions, 'ManagedClusterConditionAvailable')?.status !== 'True') return false;
  const [was, is] = [before, after].map(({ renewedAt, writtenAt }) => ({
    renewedAt: renewalOf(cluster, renewedAt, writtenAt),
    clock: clockCondition(cluster, renewedAt, writtenAt)?.status,
  }));
  if (was?.renewedAt === undefined || is?.renewedAt === undefined) return false;
  return is.renewedAt >= was.renewedAt && is.clock === was.clock;
}

/**
 * Returns when the agent renewed the Lease. If the agent's clock is far ahead, uses the server's time of the last write, so that a wrong
 * clock cannot hide a stopped agent.
 */
function renewalOf(cluster: LifecycleProjection, renewedAt: number | undefined, writtenAt: number | undefined): number | undefined {
  if (renewedAt === undefined) return undefined;
  const isAhead = writtenAt !== undefined && renewedAt - writtenAt >= graceMs(cluster);
  return isAhead ? writtenAt : renewedAt;
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
 * Compares the agent's clock at the renewal with the server's clock when it stored the renewal. Does not use the clock of this pass,
 * because a pass long after the renewal would mistake a missing renewal for a wrong clock.
 */
function clockCondition(
  cluster: LifecycleProjection,
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
