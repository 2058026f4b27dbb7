import { AVAILABLE_MESSAGES, type AddOnConditionOf } from '@outrigger/api';
import type { Condition } from '@outrigger/core';

export type Available = AddOnConditionOf<'Available'>;

/** The lease as one pass observes it: absent, or present with the age of its last renewal. */
export type LeaseHealth =
  | { readonly type: 'absent' }
  | {
      readonly type: 'present';
      /** The age of the last renewal; undefined if the lease was never renewed. Such a lease is treated as expired. */
      readonly ageMs: number | undefined;
      readonly durationSeconds: number | undefined;
    };

const DEFAULT_DURATION_SECONDS = 60;
/** A lease is stale once its holder has missed this many renewals. */
const MISSED_RENEWALS = 5;

export function graceMs(durationSeconds: number | undefined): number {
  return MISSED_RENEWALS * (durationSeconds || DEFAULT_DURATION_SECONDS) * 1000;
}

/** Returns the Available condition that follows from the lease alone, without dependencies. */
export function leaseAvailable(addOnName: string, lease: LeaseHealth): Available {
  if (lease.type === 'absent') {
    const message = AVAILABLE_MESSAGES.leaseNotFound(addOnName);
    return { type: 'Available', status: 'Unknown', reason: 'ManagedClusterAddOnLeaseNotFound', message };
  }
  const isFresh = lease.ageMs !== undefined && lease.ageMs < graceMs(lease.durationSeconds);
  return isFresh
    ? { type: 'Available', status: 'True', reason: 'ManagedClusterAddOnLeaseUpdated', message: AVAILABLE_MESSAGES.available(addOnName) }
    : {
        type: 'Available',
        status: 'False',
        reason: 'ManagedClusterAddOnLeaseUpdateStopped',
        message: AVAILABLE_MESSAGES.leaseStopped(addOnName),
      };
}

/**
 * Returns the Available condition that also considers dependencies. If the hub reports in Degraded that a required dependency is missing,
 * the add-on is not available even if its lease is fresh.
 */
export function withDependencies(available: Available, degraded: Condition | undefined): Available {
  if (degraded?.status !== 'True' || degraded.reason !== 'RequiredDependencyNotSatisfied') return available;
  return { type: 'Available', status: 'False', reason: 'RequiredDependencyNotSatisfied', message: degraded.message };
}
