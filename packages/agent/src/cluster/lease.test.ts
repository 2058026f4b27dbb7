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

/** Returns a hub that contains one Lease and records the requests that it gets. */
function fixture(): {
  calls: string[];
  lease: () => Lease;
  context: (monotonic: number, conflict?: boolean) => Omit<EffectContext, 'remember'>;
} {
  const calls: string[] = [];
  let revision = 1;
  let lease: Lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'managed-cluster-lease', resourceVersion: '1' },
  };
  const real = createRealRuntime();
  const context = (monotonic: number, conflict = false): Omit<EffectContext, 'remember'> => {
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
      client: () => client as unknown as Client,
    };
  };
  return { calls, lease: () => lease, context };
}

describe('the lease of the cluster', () => {
  const resource = ownCluster('c1');

  /** Returns a process that runs passes. Each pass executes the effect of its decision and returns the decision. */
  function process({
    context,
  }: ReturnType<typeof fixture>): (cluster: ManagedCluster, monotonic: number, conflict?: boolean) => Promise<string> {
    const controller = leaseController({ clusterName: 'c1', ownCluster: resource });
    let remembered: Parameters<typeof controller.observe>[2]['remembered'];
    return async (cluster, monotonic, conflict) => {
      const view = viewOf([resource, [cluster]]);
      const decision = passOf(controller, view, KEY, nowAt(START + monotonic, monotonic), undefined, remembered);
      const [action] = decision?.stages.flat() ?? [];
      if (action?.type !== 'effect') return `rest ${decision?.requeueAfterMs ?? 'for good'}`;
      await controller.effects?.renew(action.input, {
        ...context(monotonic, conflict),
        remember: (update) => {
          remembered = update(remembered);
        },
      });
      return action.id;
    };
  }

  it('is renewed at once and then every 1 to 1.25 durations, with one request each', async () => {
    const given = fixture();
    const pass = process(given);
    expect(await pass(clusterOf(true), 0)).toBe('renew');
    expect(parseTime(given.lease().spec?.renewTime)).toBe(START);
    expect(await pass(clusterOf(true), 59_999)).toMatch(/^rest /);
    expect(await pass(clusterOf(true), 75_000)).toBe('renew');
    expect(given.calls).toEqual([`get ${leases.plural}`, `replace ${leases.plural}`, `replace ${leases.plural}`]);
  });

  it('is renewed by a changed duration from the last renewal on', async () => {
    const pass = process(fixture());
    await pass(clusterOf(true), 0);
    expect(await pass(clusterOf(true, 10), 12_500)).toBe('renew');
  });

  it('is renewed soon, but not without pauses, while the hub reports that renewals stopped', async () => {
    const pass = process(fixture());
    await pass(clusterOf(true), 0);
    const [accepted] = clusterOf(true).status?.conditions ?? [];
    if (!accepted) throw new Error('the cluster has no condition');
    const missed: ManagedCluster = {
      ...clusterOf(true),
      status: { conditions: [accepted, { ...accepted, type: 'ManagedClusterConditionAvailable', status: 'Unknown' }] },
    };
    expect(await pass(missed, 4_999)).toMatch(/^rest /);
    expect(await pass(missed, 6_250)).toBe('renew');
    expect(await pass(missed, 6_251)).toMatch(/^rest /);
  });

  it('is tried again within its duration however often renewals failed', () => {
    const controller = leaseController({ clusterName: 'c1', ownCluster: resource });
    const decision = passOf(controller, viewOf([resource, [clusterOf(true)]]), KEY, nowAt(START, 0), undefined, undefined);
    expect(decision?.requeueAfterMs).toBe(60_000);
  });

  it('is read again after another client wrote it', async () => {
    const given = fixture();
    const pass = process(given);
    await pass(clusterOf(true), 0);
    await expect(pass(clusterOf(true), 75_000, true)).rejects.toThrow('changed');
    expect(await pass(clusterOf(true), 75_001)).toBe('renew');
    expect(given.calls.filter((call) => call.startsWith('get'))).toHaveLength(2);
  });

  it('is not renewed while the hub does not accept the cluster', async () => {
    expect(await process(fixture())(clusterOf(false), 0)).toBe('rest for good');
  });
});
