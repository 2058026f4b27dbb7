import { type Kind, type KubeObject, type ObjectKey, toMicroTime } from '@outrigger/core';

export const LEASES: Kind<Lease> = { group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', plural: 'leases', namespaced: true };

export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  /** The number of times that the holder changed. It identifies a term. */
  readonly leaseTransitions?: number;
}

export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec;
}

export interface Candidate {
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly now: number;
}

export function newLease({ namespace, name }: ObjectKey, candidate: Candidate): Lease {
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: acquired(undefined, candidate) };
}

/**
 * The spec that a candidate writes to take or keep a lease. Its times are informational, because no candidate relies on another machine's
 * clock.
 */
export function acquired(old: LeaseSpec | undefined, { identity, leaseDurationMs, now }: Candidate): LeaseSpec {
  const isRenewal = old?.holderIdentity === identity;
  const time = toMicroTime(now);
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
    acquireTime: isRenewal ? (old.acquireTime ?? time) : time,
    renewTime: time,
    leaseTransitions: (old?.leaseTransitions ?? 0) + (isRenewal || old === undefined ? 0 : 1),
  };
}

/** Returns the lease with these annotations set. Removes those whose value is undefined. */
export function annotated(lease: Lease, changes: Readonly<Record<string, string | undefined>>): Lease {
  if (Object.keys(changes).length === 0) return lease;
  const wanted = Object.entries({ ...lease.metadata.annotations, ...changes }).filter((entry): entry is [string, string] => !!entry[1]);
  const { annotations: _, ...metadata } = lease.metadata;
  return { ...lease, metadata: wanted.length === 0 ? metadata : { ...metadata, annotations: Object.fromEntries(wanted) } };
}

export function released(old: LeaseSpec | undefined, now: number): LeaseSpec {
  const time = toMicroTime(now);
  return { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time, leaseTransitions: old?.leaseTransitions ?? 0 };
}
