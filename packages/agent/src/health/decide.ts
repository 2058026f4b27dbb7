import type { ManagedClusterAddOnStatus } from '@outrigger/api';
import { asJson, findCondition, isConditionTrue, setCondition, type ObjectKey } from '@outrigger/core';
import type { Decision, Now } from '@outrigger/kube';
import { statusPatch } from '../registration/status-patch.js';
import type { AddOnApiVersion, ClusterAddOnProjection } from '../resources/add-ons.js';
import type { OwnClusterProjection } from '../resources/own-cluster.js';
import type { LeaseView } from './leases.js';
import { graceMs, leaseAvailable, withDependencies } from './rules.js';

export interface HealthState {
  readonly clusterAddOn: ClusterAddOnProjection | undefined;
  readonly addOnName: string;
  readonly cluster: OwnClusterProjection | undefined;
  readonly installNamespace: string;
  readonly lease: LeaseView;
  /** The time since the last renewal; undefined if there was no renewal. */
  readonly leaseAgeMs: number | undefined;
  readonly isFollowing: boolean;
  /** The time since the add-on was created; undefined if unknown. */
  readonly addOnAgeMs: number | undefined;
  readonly addOnApiVersion: AddOnApiVersion;
}

type HealthMode = NonNullable<NonNullable<ManagedClusterAddOnStatus['healthCheck']>['mode']>;

export type HealthEffects = {
  /** Starts watching a lease. */
  readonly follow: Required<ObjectKey>;
  /** Stops watching the lease of the add-on with this name. */
  readonly leave: string;
};

/** Writes Available for add-ons in lease mode. In every other mode the hub or the add-on writes it. */
export function decide(state: HealthState, now: Now): Decision<never, HealthEffects> {
  const { clusterAddOn, addOnName: name, lease, installNamespace } = state;
  if (!clusterAddOn || clusterAddOn.isDeleting || !reportsLease(clusterAddOn.status.healthCheck?.mode)) {
    return state.isFollowing ? { stages: [[{ type: 'effect', effect: 'leave', id: 'leave', input: name }]] } : { stages: [] };
  }
  const waitMs = modeUnsettledForMs(clusterAddOn.status, state.addOnAgeMs);
  if (waitMs > 0) return { stages: [], requeueAfterMs: waitMs };
  if (lease.type === 'unwatched') {
    const input = { namespace: installNamespace, name };
    return { stages: [[{ type: 'effect', effect: 'follow', id: 'follow', input }]] };
  }
  if (lease.type === 'unknown' || !isOwnClusterAvailable(state)) return { stages: [] };
  const health =
    lease.type === 'absent' ? lease : { type: 'present' as const, ageMs: state.leaseAgeMs, durationSeconds: lease.lease.durationSeconds };
  const available = withDependencies(leaseAvailable(name, health), findCondition(clusterAddOn.status.conditions, 'Degraded'));
  const before = clusterAddOn.status.conditions ?? [];
  const next = setCondition(before, available, { generation: clusterAddOn.generation, now: now.time });
  const report = next === before ? [] : [statusPatch(state, clusterAddOn, 'available', { conditions: asJson(next) })];
  const expiresInMs = health.type === 'present' && health.ageMs !== undefined ? graceMs(health.durationSeconds) - health.ageMs : 0;
  return { stages: report.length > 0 ? [report] : [], ...(expiresInMs > 0 ? { requeueAfterMs: expiresInMs } : {}) };
}

/** The time, from the creation of an add-on without a mode, for which the agent waits for the hub's first status. */
const MODE_EXPECTED_WITHIN_MS = 30_000;

/**
 * Whether the agent writes Available, for each health mode. If the API gets a new mode, this table does not compile until it has a row for
 * the mode.
 */
const AGENT_REPORTS: { readonly [Mode in HealthMode]: boolean } = { Lease: true, Customized: false };

/**
 * Whether the agent reports in this mode. An add-on without a mode is in lease mode, as with upstream's agent. For an unknown mode, the
 * agent reports nothing.
 */
function reportsLease(mode: HealthMode | '' = 'Lease'): boolean {
  return mode === '' || (Object.hasOwn(AGENT_REPORTS, mode) && AGENT_REPORTS[mode]);
}

/** Whether the agent writes Available for an add-on with this status. It is false while the hub has not published the mode yet. */
export function isHealthOfAgent(status: ManagedClusterAddOnStatus): boolean {
  return reportsLease(status.healthCheck?.mode) && modeUnsettledForMs(status, undefined) === 0;
}

/**
 * Returns the time in milliseconds for which an empty mode may still mean that the hub has not published a mode yet. Outrigger's hub
 * publishes the mode with its first status, so an empty mode is final if the hub has written any other field. Other managers may write no
 * status at all, so there is a timeout.
 */
function modeUnsettledForMs(status: ManagedClusterAddOnStatus, ageMs: number | undefined): number {
  if (status.healthCheck?.mode || isWrittenByHub(status)) return 0;
  return ageMs === undefined ? MODE_EXPECTED_WITHIN_MS : Math.max(0, MODE_EXPECTED_WITHIN_MS - ageMs);
}

/** The conditions that this agent writes. The hub or the add-on's manager writes all others. */
const OWN_CONDITIONS: ReadonlySet<string> = new Set(['Available', 'ClusterCertificateRotated', 'TokenRefreshed']);

function isWrittenByHub(status: ManagedClusterAddOnStatus): boolean {
  const { conditions = [], ...others } = status;
  return Object.keys(others).length > 0 || conditions.some(({ type }) => !OWN_CONDITIONS.has(type));
}

/**
 * Whether the hub considers this cluster available. If not, the hub writes Available (Unknown) until the agent has reported the cluster
 * available.
 */
function isOwnClusterAvailable({ cluster }: HealthState): boolean {
  return isConditionTrue(cluster?.status.conditions, 'ManagedClusterConditionAvailable');
}
