import { findCondition, isConditionTrue, setCondition, type JsonObject } from '@outrigger/core';
import type { Decision, Now } from '@outrigger/kube';
import { statusPatch } from '../registration/status-patch.js';
import type { AddOnApiVersion, AddOnRecord } from '../resources/add-ons.js';
import type { OwnClusterRecord } from '../resources/own-cluster.js';
import type { LeaseView } from './leases.js';
import { graceMs, leaseAvailable, withDependencies } from './rules.js';

export interface HealthState {
  readonly addOn: AddOnRecord | undefined;
  readonly addOnName: string;
  readonly cluster: OwnClusterRecord | undefined;
  readonly installNamespace: string;
  readonly lease: LeaseView;
  /** Since the last renewal; undefined where there is none. */
  readonly leaseAgeMs: number | undefined;
  readonly isFollowing: boolean;
  readonly addOnApiVersion: AddOnApiVersion;
}

export interface FollowInput {
  readonly namespace: string;
  readonly name: string;
}

/** Writes Available for add-ons in lease mode; in every other mode it belongs to somebody else. */
export function decide(state: HealthState, now: Now): Decision {
  const { addOn, addOnName: name, lease, installNamespace } = state;
  if (!addOn || addOn.isDeleting || addOn.status.healthCheck?.mode !== 'Lease') {
    return state.isFollowing ? { stages: [[{ type: 'effect', effect: 'leave', id: 'leave', input: name }]] } : { stages: [] };
  }
  if (lease.type === 'unwatched') {
    const input: FollowInput = { namespace: installNamespace, name };
    return { stages: [[{ type: 'effect', effect: 'follow', id: 'follow', input }]] };
  }
  if (lease.type === 'unknown' || !isOwnClusterAvailable(state)) return { stages: [] };
  const health =
    lease.type === 'absent' ? lease : { type: 'present' as const, ageMs: state.leaseAgeMs, durationSeconds: lease.lease.durationSeconds };
  const available = withDependencies(leaseAvailable(name, health), findCondition(addOn.status.conditions, 'Degraded'));
  const before = addOn.status.conditions ?? [];
  const next = setCondition(before, available, { generation: addOn.generation, now: now.time });
  const report = next === before ? [] : [statusPatch(state, addOn, 'available', { conditions: next as unknown as JsonObject[] })];
  const expiresInMs = health.type === 'present' && health.ageMs !== undefined ? graceMs(health.durationSeconds) - health.ageMs : 0;
  return { stages: report.length > 0 ? [report] : [], ...(expiresInMs > 0 ? { requeueAfterMs: expiresInMs } : {}) };
}

/** While the hub thinks this cluster unreachable, Available is the hub's to write (Unknown), until we have told it otherwise. */
function isOwnClusterAvailable({ cluster }: HealthState): boolean {
  return isConditionTrue(cluster?.status.conditions, 'ManagedClusterConditionAvailable');
}
