import type { ManagedClusterAddOnStatus } from '@outrigger/api';
import { briefly, nowAt } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import type { ClusterAddOnProjection } from '../resources/add-ons.js';
import { type HealthState, decide } from './decide.js';

const NOW = nowAt(1_767_225_600_000);
const identity = { uid: 'u', resourceVersion: '1' };
const available = (status: 'True' | 'Unknown') => ({
  ...identity,
  key: { name: 'c1' },
  generation: 1,
  isDeleting: false,
  leaseDurationSeconds: 60,
  status: {
    conditions: [{ type: 'ManagedClusterConditionAvailable', status, reason: 'r', message: 'm', lastTransitionTime: '' }],
  },
});
const lease = { type: 'present' as const, lease: { ...identity, key: { name: 'hello' }, renewTime: 'x', durationSeconds: undefined } };

const rotated = { type: 'ClusterCertificateRotated', status: 'True', reason: 'r', message: 'm', lastTransitionTime: '' } as const;

function clusterAddOn(status: ManagedClusterAddOnStatus, changes: Partial<ClusterAddOnProjection> = {}): ClusterAddOnProjection {
  return {
    ...identity,
    key: { namespace: 'c1', name: 'hello' },
    generation: 3,
    createdAt: undefined,
    isDeleting: false,
    installNamespace: 'ns',
    status,
    ...changes,
  };
}

function state(changes: Partial<HealthState> = {}): HealthState {
  return {
    clusterAddOn: clusterAddOn({ healthCheck: { mode: 'Lease' } }),
    addOnName: 'hello',
    cluster: available('True'),
    installNamespace: 'ns',
    lease,
    leaseAgeMs: 1000,
    isFollowing: true,
    addOnAgeMs: 1_000,
    addOnApiVersion: 'v1alpha1',
    ...changes,
  };
}

describe('health: decide', () => {
  const cases: { name: string; state: HealthState; want: readonly string[] }[] = [
    { name: 'reports a renewed lease', state: state(), want: ['patch ManagedClusterAddOn/status c1/hello'] },
    { name: 'watches the lease first', state: state({ lease: { type: 'unwatched' }, isFollowing: false }), want: ['effect follow follow'] },
    { name: 'reports nothing before the lease was read', state: state({ lease: { type: 'unknown' } }), want: [] },
    {
      name: 'leaves Available alone while the hub may still publish a mode',
      state: state({ clusterAddOn: clusterAddOn({}), isFollowing: false }),
      want: [],
    },
    {
      name: 'does not write Available if only this agent has written the status so far',
      state: state({ clusterAddOn: clusterAddOn({ conditions: [rotated] }) }),
      want: [],
    },
    {
      name: 'takes an empty mode for Lease after the first status of the hub',
      state: state({ clusterAddOn: clusterAddOn({ conditions: [rotated, { ...rotated, type: 'Configured' }] }) }),
      want: ['patch ManagedClusterAddOn/status c1/hello'],
    },
    {
      name: 'takes a health check without a mode for Lease',
      state: state({ clusterAddOn: clusterAddOn({ healthCheck: {} }) }),
      want: ['patch ManagedClusterAddOn/status c1/hello'],
    },
    {
      name: 'treats an empty mode as Lease 30 s after the creation of the add-on, whatever its status',
      state: state({ clusterAddOn: clusterAddOn({}), addOnAgeMs: 30_000 }),
      want: ['patch ManagedClusterAddOn/status c1/hello'],
    },
    {
      name: 'follows the lease of an add-on without a mode',
      state: state({ clusterAddOn: clusterAddOn({ supportedConfigs: [] }), lease: { type: 'unwatched' }, isFollowing: false }),
      want: ['effect follow follow'],
    },
    {
      name: 'writes nothing for an empty mode while the cluster is not available',
      state: state({ clusterAddOn: clusterAddOn({}), addOnAgeMs: 60_000, cluster: available('Unknown') }),
      want: [],
    },
    {
      name: 'leaves Available alone in any other mode',
      state: state({ clusterAddOn: clusterAddOn({ healthCheck: { mode: 'Customized' } }), isFollowing: false }),
      want: [],
    },
    {
      name: 'stops watching when the mode changes',
      state: state({ clusterAddOn: clusterAddOn({ healthCheck: { mode: 'Customized' } }) }),
      want: ['effect leave leave'],
    },
    { name: 'stops watching when the add-on no longer exists', state: state({ clusterAddOn: undefined }), want: ['effect leave leave'] },
    {
      name: 'leaves Available alone while the cluster is not available',
      state: state({ cluster: available('Unknown') }),
      want: [],
    },
    { name: 'leaves Available alone before the cluster was seen', state: state({ cluster: undefined }), want: [] },
  ];
  it.each(cases)('$name', ({ state: given, want }) => expect(briefly(decide(given, NOW))).toEqual(want));

  it('looks again exactly when the lease would expire', () => {
    expect(decide(state({ leaseAgeMs: 1000 }), NOW).requeueAfterMs).toBe(299_000);
    expect(decide(state({ leaseAgeMs: 300_000 }), NOW).requeueAfterMs).toBeUndefined();
  });

  it('AT-35 writes nothing once the status is up to date', () => {
    const [action] = decide(state(), NOW).stages.flat();
    const status = action?.type === 'patch' ? (action.patch['status'] as ManagedClusterAddOnStatus) : {};
    const settled = state({ clusterAddOn: clusterAddOn({ healthCheck: { mode: 'Lease' }, ...status }) });
    expect(decide(settled, NOW).stages).toEqual([]);
  });
});
