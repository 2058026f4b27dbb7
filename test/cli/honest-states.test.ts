import { ADDON_GROUP, clusterManagementAddOns, managedClusters } from '@outrigger/api';
import { installSamples } from '@outrigger/cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type } from '../examples/readme.js';
import { type CliWorld, startCliWorld } from './world.js';

describe('no state looks like success that is not', () => {
  let world: CliWorld;
  beforeAll(async () => {
    world = await startCliWorld(3);
    await installSamples(world.fleet.hub);
    expect(await world.outrigger('rollout', 'status', 'hello', '--watch', '--timeout', '60')).toMatchObject({ code: 0 });
  });
  afterAll(() => world.stop());

  it('clusters that are away are named, and fail a strict watch', { timeout: 60_000 }, async () => {
    const { hub } = world.fleet;
    await hub.create(managedClusters, {
      apiVersion: 'cluster.open-cluster-management.io/v1',
      kind: 'ManagedCluster',
      metadata: { name: 'edge9', labels: { away: 'yes' } },
      spec: { hubAcceptsClient: true },
    });
    await world.eventually('edge9 is away', async () => {
      const lost = {
        type: 'ManagedClusterConditionAvailable',
        status: 'Unknown',
        reason: 'Lost',
        message: 'no lease',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      };
      await hub.patch(
        managedClusters,
        { name: 'edge9' },
        { type: 'merge', patch: { status: { conditions: [lost] } } },
        { subresource: 'status' },
      );
      return true;
    });
    await hub.create(clusterManagementAddOns, {
      apiVersion: `${ADDON_GROUP}/v1alpha1`,
      kind: 'ClusterManagementAddOn',
      metadata: { name: 'slow' },
      spec: {
        supportedConfigs: [{ group: ADDON_GROUP, resource: 'addontemplates', defaultConfig: { name: 'hello-v1' } }],
        installStrategy: {
          type: 'ClusterLabelSelector',
          labelSelector: { matchExpressions: [{ key: 'away', operator: 'Exists' }] },
          rolloutStrategy: { type: 'Progressive', progressive: { maxConcurrency: 1 } },
        },
      },
    });
    await world.eventually('slow is completed', async () =>
      (await world.outrigger('rollout', 'status', 'slow')).out.startsWith('slow: Completed, 1 away') ? true : undefined,
    );
    const shown = await world.outrigger('rollout', 'status', 'slow');
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('away, and without the target: edge9') as string });
    expect((await world.outrigger('rollout', 'status', 'slow', '--watch', '--timeout', '20')).code).toBe(0);
    const strict = await world.outrigger('rollout', 'status', 'slow', '--watch', '--strict', '--timeout', '20');
    expect(strict).toMatchObject({ code: 5, note: expect.stringContaining('1 cluster away did not get it') as string });
    const json = JSON.parse((await world.outrigger('rollout', 'status', 'slow', '-o', 'json')).out) as { kind: string };
    expect(json.kind).toBe('AddOnRollout');
  });

  it('a halted rollout exits with 5, also without --watch', { timeout: 60_000 }, async () => {
    await type(world, 'kubectl apply -f examples/rollback');
    await world.outrigger('rollout', 'status', 'shaky', '--watch', '--timeout', '40');
    expect((await world.outrigger('upgrade', 'shaky', '--to', 'v2')).code).toBe(0);
    await world.eventually('shaky is halted', async () => {
      const { code, out } = await world.outrigger('rollout', 'status', 'shaky');
      if (!out.startsWith('shaky: Halted')) return undefined;
      return expect(code).toBe(5) ?? true;
    });
    const rows = (await world.outrigger('get', 'addons', 'shaky')).out;
    expect(rows).toContain('v1 → v2');
    expect(rows).not.toContain('unknown');
  });

  it('a removal that waits shows everywhere, and confirm lists the clusters', { timeout: 60_000 }, async () => {
    const strategy = { spec: { installStrategy: { labelSelector: { matchLabels: { none: 'such' } } } } };
    await world.fleet.hub.patch(clusterManagementAddOns, { name: 'hello' }, { type: 'merge', patch: strategy });
    await world.eventually('the removal waits', async () =>
      (await world.outrigger('get', 'addons')).out.match(/^hello .*removal waits/m) ? true : undefined,
    );
    expect((await world.outrigger('get', 'rollouts', 'hello')).out).toContain('removal waits');
    expect((await world.outrigger('rollout', 'status', 'hello')).out).toContain('`outrigger rollout confirm hello`');
    for (const args of [['hello'], ['hello', '--cluster', 'cluster1']])
      expect((await world.outrigger('why', ...args)).out).toContain('outrigger rollout confirm hello');
    expect(await world.outrigger('doctor')).toMatchObject({
      code: 5,
      out: expect.stringContaining('outrigger rollout confirm hello') as string,
    });
    const confirmed = await world.outrigger('rollout', 'confirm', 'hello');
    expect(confirmed).toMatchObject({ code: 0, note: expect.stringContaining('these add-ons require it: metrics') as string });
    expect(confirmed.out).toMatch(/removed from (\d) of \1 clusters: cluster1, cluster2, cluster3/);
  });
});
