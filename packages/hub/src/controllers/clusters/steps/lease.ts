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

/** The time after which a cluster is reported as unreachable if its agent has not renewed the Lease. */
export function graceMs({ leaseSeconds }: LifecycleProjection): number {
  return MISSED_RENEWALS * leaseSeconds * 1000;
}

/**
 * Creates the Lease that the agent renews. The first renewal time is the current time, so that a new agent has the full grace period to
 * start.
 */
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
 * Deletes the Lease as the last object of the cluster. Otherwise the hub would apply the old Lease to a later cluster of the same name and
 * report that cluster as unreachable.
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
  /** The time in milliseconds after which the cluster becomes unreachable unless the agent renews the Lease. */
  readonly expiresInMs: number | undefined;
  readonly remember: LeaseMemory | undefined;
}

/**
 * Derives conditions from the Lease: whether the agent has stopped renewing it, and whether the agent's clock agrees with the API server's.
 * Only the agent itself reports that the cluster is available again. After a jump of the hub's wall clock a Lease does not look old,
 * because this process uses the wall clock only for the first renewal that it observes.
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
 * Whether a renewal only moves the expiry of the Lease to a later time. Such a renewal needs no pass, because the pass that is due at the
 * earlier expiry time finds the later one. While the cluster is not available, there may be no such pass, so no renewal is routine.
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
 * Returns the time at which the agent renewed the Lease. If the agent's clock is far ahead, returns the time of the last write on the API
 * server's clock, so that a wrong clock cannot hide a stopped agent.
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
 * Compares the renewal time on the agent's clock with the time at which the API server stored the renewal. Does not use the time of this
 * pass: long after the last renewal, the agent's clock would seem to be wrong although only renewals are missing.
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
