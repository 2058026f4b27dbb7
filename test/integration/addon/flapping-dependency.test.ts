import { addOnTemplates, clusterManagementAddOns, managedClusterAddOns, manifestWorks } from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';
import { afterEach, describe, expect, it } from 'vitest';
import { addCluster, eventuallyIs, install, templateOf } from './objects.js';
import { startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

describe('a dependency that flaps', () => {
  it('AT-33 reinstalls nothing, rewrites no work, and costs at most one status write a second', async () => {
    const world = await startWorld();
    const { hub, runtime } = world;
    await addCluster(world, 'c1');
    // No manager renders `base`, so the test itself reports the health of `base`, which it changes often.
    await hub.create(addOnTemplates, templateOf('needy', { version: 'v1' }));
    for (const [name, dependencies] of [
      ['base', []],
      ['needy', [{ name: 'base' }]],
    ] as const) {
      const spec = { dependencies };
      await hub.create(clusterManagementAddOns, {
        apiVersion: 'addon.open-cluster-management.io/v1alpha1',
        kind: 'ClusterManagementAddOn',
        metadata: { name },
        spec,
      });
      await install(world, 'c1', name);
    }
    const report = async (status: 'True' | 'False'): Promise<void> => {
      const { status: current } = await hub.get(managedClusterAddOns, { namespace: 'c1', name: 'base' });
      const others = (current?.conditions ?? []).filter(({ type }) => type !== 'Available');
      const available = { type: 'Available', status, reason: 'Mine', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
      const patch = { status: { conditions: [...others, available] } };
      await hub.patch(
        managedClusterAddOns,
        { namespace: 'c1', name: 'base' },
        { type: 'merge', patch: patch as never },
        { subresource: 'status' },
      );
    };
    await eventuallyIs(world, 'c1', 'needy', 'Available', 'False RequiredDependencyNotSatisfied');
    await world.quiet();
    world.writes.length = 0;

    const start = runtime.clock.monotonic();
    for (let i = 0; i < 30; i++) {
      await report(i % 2 === 0 ? 'True' : 'False');
      await runtime.timers.sleep(100);
    }
    const seconds = Math.ceil((runtime.clock.monotonic() - start) / 1000);
    // The manager limits the rate of writes to the rollout's status separately, so those writes are not counted here.
    const about = world.writes.filter((write) => write.includes('needy') && !write.includes(' addonrollouts/'));
    expect(about.filter((write) => !write.startsWith('PATCH managedclusteraddons/status '))).toEqual([]);
    expect(about.length).toBeLessThanOrEqual(seconds + 1);
    expect(about.length).toBeGreaterThan(0);

    await report('True');
    await eventuallyIs(world, 'c1', 'needy', 'Available', 'True ProbeAvailable');
  });

  it('costs one status write a second for the dependency too, if the agent reports its workload as up and down', async () => {
    const world = await startWorld();
    const { hub, runtime } = world;
    await addCluster(world, 'c1');
    for (const [name, dependencies] of [
      ['base', []],
      ['needy', [{ name: 'base' }]],
    ] as const) {
      await hub.create(addOnTemplates, templateOf(name, { version: 'v1' }));
      await hub.create(clusterManagementAddOns, {
        apiVersion: 'addon.open-cluster-management.io/v1alpha1',
        kind: 'ClusterManagementAddOn',
        metadata: { name },
        spec: { dependencies },
      });
      await install(world, 'c1', name);
    }
    await eventuallyIs(world, 'c1', 'needy', 'Available', 'True ProbeAvailable');
    await world.quiet();
    world.writes.length = 0;

    const work = { namespace: 'c1', name: 'addon-base-deploy-0' };
    const report = async (isUp: boolean): Promise<void> => {
      const { status } = await hub.get(manifestWorks, work);
      const available = { name: 'AvailableCondition', fieldValue: { type: 'String', string: isUp ? 'True' : 'False' } };
      const manifests = (status?.resourceStatus?.manifests ?? []).map((manifest) => {
        const values = manifest.statusFeedback?.values ?? [];
        const next = values.map((value) => (value.name === available.name ? available : value));
        return { ...manifest, ...(values.length === 0 ? {} : { statusFeedback: { values: next } }) };
      });
      const patch = { status: { resourceStatus: { manifests } } } as unknown as JsonObject;
      await hub.patch(manifestWorks, work, { type: 'merge', patch }, { subresource: 'status' });
    };
    const start = runtime.clock.monotonic();
    for (let i = 0; i < 30; i++) {
      await report(i % 2 === 1);
      await runtime.timers.sleep(100);
    }
    const seconds = Math.ceil((runtime.clock.monotonic() - start) / 1000);
    for (const name of ['base', 'needy']) {
      const about = world.writes.filter((write) => write.startsWith('PATCH managedclusteraddons/status ') && write.includes(`c1/${name}`));
      expect(about.length, name).toBeGreaterThan(0);
      expect(about.length, name).toBeLessThanOrEqual(seconds + 1);
    }
    await report(false);
    await eventuallyIs(world, 'c1', 'base', 'Available', 'False ProbeUnavailable');
    await eventuallyIs(world, 'c1', 'needy', 'Available', 'False RequiredDependencyNotSatisfied');
    await report(true);
    await eventuallyIs(world, 'c1', 'needy', 'Available', 'True ProbeAvailable');
  });
});
