// A command that would change an object that is being deleted fails. Its message says when the deletion began and what to wait for. `get
// clusters` and `doctor` show which cluster is leaving.
import { clusterManagementAddOns, managedClusterAddOns, managedClusters } from '@outrigger/api';
import { installSamples } from '@outrigger/cli';
import type { Kind } from '@outrigger/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliWorld, startCliWorld } from './world.js';

const HOLD = 'example.com/hold';

describe('an object that is being deleted', () => {
  let world: CliWorld;
  /** Adds a finalizer to the object and deletes the object, which therefore stays. */
  const deleteHeld = async (kind: Kind, key: { readonly name: string; readonly namespace?: string }): Promise<void> => {
    const { metadata } = await world.fleet.hub.get(kind, key);
    const finalizers = [...(metadata.finalizers ?? []), HOLD];
    await world.fleet.hub.patch(kind, key, { type: 'merge', patch: { metadata: { finalizers } } });
    await world.fleet.hub.delete(kind, key);
  };
  /** Returns the message of a command that must fail. With `--plan`, it returns the plan, which names the obstacle. */
  const refusal = async (args: readonly string[]): Promise<string> => {
    const isPlan = args.includes('--plan');
    const { code, out, note } = await world.outrigger(...args);
    expect({ code, isSilent: isPlan || out === '' }).toEqual({ code: isPlan ? 5 : 1, isSilent: true });
    return isPlan ? out : note;
  };
  beforeAll(async () => {
    world = await startCliWorld(1);
    await installSamples(world.fleet.hub);
    expect(await world.outrigger('rollout', 'status', 'metrics', '--watch', '--timeout', '60')).toMatchObject({ code: 0 });
    await world.fleet.hub.create(managedClusters, {
      apiVersion: 'cluster.open-cluster-management.io/v1',
      kind: 'ManagedCluster',
      metadata: { name: 'old' },
      spec: { hubAcceptsClient: true },
    });
    await deleteHeld(managedClusters, { name: 'old' });
    await deleteHeld(managedClusterAddOns, { namespace: 'cluster1', name: 'metrics' });
    await deleteHeld(clusterManagementAddOns, { name: 'hello' });
  });
  afterAll(() => world.stop());

  it.each([
    'enable metrics --cluster old',
    'enable metrics --cluster old --plan',
    'upgrade metrics --to v1 --cluster old',
    'upgrade metrics --clear --cluster old',
    'upgrade metrics --to v1 --cluster old --plan',
    'accept old',
  ])('%s refuses a cluster that leaves the fleet', async (line) => {
    expect(await refusal(line.split(' '))).toMatch(
      /cluster old is leaving the fleet since 2\S+Z: wait until it is gone, then `outrigger join old` lets it join again/,
    );
  });

  it.each([
    'enable metrics --cluster cluster1',
    'upgrade metrics --to v1 --cluster cluster1',
    'upgrade metrics --clear --cluster cluster1',
    'upgrade metrics --to v1 --cluster cluster1 --plan',
    'config set metrics A=1 --cluster cluster1',
    'rollout skip metrics --cluster cluster1',
  ])('%s refuses an add-on that is being removed', async (line) => {
    expect(await refusal(line.split(' '))).toMatch(
      /metrics is being removed from cluster1 since 2\S+Z: wait until it is gone; `outrigger why metrics --cluster cluster1` shows what it waits for/,
    );
  });

  it.each([
    'enable hello --cluster cluster1',
    'enable hello --cluster cluster1 --plan',
    'upgrade hello --to v2',
    'upgrade hello --to v2 --plan',
    'config set hello A=1',
  ])('%s refuses a declaration that is being deleted', async (line) => {
    expect(await refusal(line.split(' '))).toMatch(
      /the declaration of hello is being deleted since 2\S+Z: wait until it is gone, then declare it again/,
    );
  });

  it('get clusters and doctor show that the cluster leaves', async () => {
    expect((await world.outrigger('get', 'clusters')).out).toMatch(/^old +true \(leaving\) /m);
    expect((await world.outrigger('doctor')).out).toMatch(/^clusters +warning +1, all accepted ones available; leaving the fleet: old$/m);
  });
});
