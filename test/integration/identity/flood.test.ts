import { managedClusterAddOns, managedClusters } from '@outrigger/api';
import { type ApiRequest, type Condition, isConditionTrue } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { describe, expect, it } from 'vitest';
import { CLUSTER, createAddOn, declareBase, joined } from './scenario.js';
import { VirtualWorld } from './world.js';

const SECONDS = 8;
const PER_SECOND = 25;

describe('AT-45 a cluster that floods the hub with status', () => {
  interface Fleet {
    readonly world: VirtualWorld;
    /** The requests that the manager has sent. */
    readonly traffic: ApiRequest[];
    /** A client for the hub with the identity of the first cluster's agent. */
    readonly first: Client;
  }

  /** Starts two clusters and waits until they have joined. */
  async function fleet(seed: number): Promise<Fleet> {
    const world = await VirtualWorld.start(seed);
    const traffic: ApiRequest[] = [];
    world.startManager(traffic);
    return world.run(
      (async () => {
        const { story } = await world.join();
        await world.join('cluster2');
        await declareBase(story);
        await createAddOn(story, 'base', {});
        const own = await joined(story);
        const first = story.connect({ server: '', clientCertificate: { data: atob(own.data?.['tls.crt'] ?? '') } });
        return { world, traffic, first };
      })(),
    );
  }

  /** Installs an add-on on the second cluster. Returns the time in milliseconds until the add-on is available. */
  async function installOnSecond(world: VirtualWorld): Promise<number> {
    const before = world.simulator.now;
    await world.hub.create(managedClusterAddOns, {
      apiVersion: 'addon.open-cluster-management.io/v1alpha1',
      kind: 'ManagedClusterAddOn',
      metadata: { name: 'base', namespace: 'cluster2' },
      spec: {},
    });
    const story = await world.story('cluster2');
    await story.eventually('base is available on cluster2', async () => {
      const { status } = await world.hub.get(managedClusterAddOns, { namespace: 'cluster2', name: 'base' });
      return isConditionTrue(status?.conditions, 'Available') ? true : undefined;
    });
    return world.simulator.now - before;
  }

  async function flood({ world, first }: Fleet): Promise<void> {
    for (let i = 0; i < SECONDS * PER_SECOND; i++) {
      const mine: Condition = {
        type: 'example.com/Noise',
        status: i % 2 === 0 ? 'True' : 'False',
        reason: 'Noise',
        message: String(i),
        lastTransitionTime: '2026-01-01T00:00:00Z',
      };
      const key = { namespace: CLUSTER, name: 'base' };
      const { status } = await first.get(managedClusterAddOns, key);
      const conditions = [...(status?.conditions ?? []).filter(({ type }) => type !== mine.type), mine];
      await first.patch(
        managedClusterAddOns,
        key,
        { type: 'merge', patch: { status: { conditions: conditions as never } } },
        { subresource: 'status' },
      );
      const claims = { status: { clusterClaims: [{ name: 'noise', value: String(i) }] } };
      await first.patch(managedClusters, { name: CLUSTER }, { type: 'merge', patch: claims }, { subresource: 'status' });
      await world.person.timers.sleep(1_000 / PER_SECOND);
    }
  }

  it('costs the hub a bounded number of writes per second, and does not delay others', async () => {
    const calm = await fleet(61);
    const undisturbed = await calm.world.run(installOnSecond(calm.world));
    const noisy = await fleet(61);
    const { world, traffic } = noisy;
    await world.run(
      (async () => {
        const done = flood(noisy);
        await world.person.timers.sleep(2_000);
        traffic.length = 0;
        const disturbed = await installOnSecond(world);
        expect(disturbed).toBeLessThan(undisturbed + 1_000);
        await done;
      })(),
    );
    const writes = traffic.filter(({ method, path }) => method !== 'GET' && path.includes(`/${CLUSTER}`));
    expect(writes.length).toBeLessThanOrEqual(2 * SECONDS);
  });
});
