import { type Lease, type ManagedCluster, leases } from '@outrigger/api';
import { ApiError, type Kind, parseTime } from '@outrigger/core';
import type { Client, EffectContext } from '@outrigger/kube';
import { createRealRuntime } from '@outrigger/kube/node';
import { nowAt, passOf, viewOf } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { ownCluster } from '../resources/own-cluster.js';
import { leaseController } from './lease.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const KEY = { name: 'c1' };

function clusterOf(isAccepted: boolean, leaseDurationSeconds = 60): ManagedCluster {
  const condition = { type: 'HubAcceptedManagedCluster', reason: 'r', message: 'm', lastTransitionTime: '' };
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: KEY,
    spec: { leaseDurationSeconds },
    status: { conditions: [{ ...condition, status: isAccepted ? 'True' : 'False' }] },
  };
}

/** A hub with one Lease that counts the requests it gets. */
function fixture(): { calls: string[]; lease: () => Lease; context: (monotonic: number, conflict?: boolean) => EffectContext } {
  const calls: string[] = [];
  let revision = 1;
  let lease: Lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'managed-cluster-lease', resourceVersion: '1' },
  };
  const real = createRealRuntime();
  const context = (monotonic: number, conflict = false): EffectContext => {
    const client = {
      get: async (kind: Kind) => {
        calls.push(`get ${kind.plural}`);
        return lease;
      },
      replace: async (kind: Kind, object: Lease) => {
        calls.push(`replace ${kind.plural}`);
        if (conflict) throw new ApiError('Conflict', 'changed');
        lease = { ...object, metadata: { ...object.metadata, resourceVersion: String(++revision) } };
        return lease;
      },
    };
    return {
      runtime: { ...real, clock: { now: () => START + monotonic, monotonic: () => monotonic } },
      signal: new AbortController().signal,
      remember: () => undefined,
      client: () => client as unknown as Client,
    };
  };
  return { calls, lease: () => lease, context };
}

describe('the lease of the cluster', () => {
  const resource = ownCluster('c1');
  const decided = (controller: ReturnType<typeof leaseController>, cluster: ManagedCluster, monotonic: number): string => {
    const decision = passOf(controller, viewOf([resource, [cluster]]), KEY, nowAt(START + monotonic, monotonic));
    const [action] = decision?.stages.flat() ?? [];
    return action ? action.id : `rest ${decision?.requeueAfterMs ?? 'for good'}`;
  };

  it('is renewed at once and then every 1 to 1.25 durations, with one request each', async () => {
    const controller = leaseController({ clusterName: 'c1', ownCluster: resource });
    const { calls, lease, context } = fixture();
    expect(decided(controller, clusterOf(true), 0)).toBe('renew');
    await controller.effects?.['renew']?.(undefined, context(0));
    expect(parseTime(lease().spec?.renewTime)).toBe(START);
    expect(decided(controller, clusterOf(true), 59_999)).toMatch(/^rest /);
    expect(decided(controller, clusterOf(true), 75_000)).toBe('renew');
    await controller.effects?.['renew']?.(undefined, context(75_000));
    expect(calls).toEqual([`get ${leases.plural}`, `replace ${leases.plural}`, `replace ${leases.plural}`]);
  });

  it('follows a changed duration from the last renewal on', async () => {
    const controller = leaseController({ clusterName: 'c1', ownCluster: resource });
    await controller.effects?.['renew']?.(undefined, fixture().context(0));
    expect(decided(controller, clusterOf(true, 10), 12_500)).toBe('renew');
  });

  it('is read anew after somebody else wrote it', async () => {
    const controller = leaseController({ clusterName: 'c1', ownCluster: resource });
    const { calls, context } = fixture();
    await expect(controller.effects?.['renew']?.(undefined, context(0, true))).rejects.toThrow('changed');
    await controller.effects?.['renew']?.(undefined, context(1));
    expect(calls.filter((call) => call.startsWith('get'))).toHaveLength(2);
  });

  it('is left alone while the hub does not accept the cluster', () => {
    expect(decided(leaseController({ clusterName: 'c1', ownCluster: resource }), clusterOf(false), 0)).toBe('rest for good');
  });
});
