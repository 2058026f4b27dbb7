import { managedClusters } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { expectPlacementStory } from './expectations.js';
import { DecisionReader, chosen, declareFleet, declarePlacement, managedCluster, placementStory } from './scenario.js';
import { FAULTY_NETWORK } from '../../world/simulated.js';
import { onVirtualHub, seeds } from './world.js';

describe('placement on the embedded server, under a virtual clock', () => {
  it('selects, pages, moves, keeps its decisions while misconfigured, repairs them and leaves nothing behind', async () => {
    expectPlacementStory(await onVirtualHub({ manager: { clusters: false } }, placementStory));
  });

  it.each(seeds(2))('reaches the same state under faults and crashes (seed %i)', async (seed) => {
    expectPlacementStory(await onVirtualHub({ seed, faults: FAULTY_NETWORK, crashes: 5, manager: { clusters: false } }, placementStory));
  });

  it('writes nothing at rest, also after a restart', async () => {
    await onVirtualHub({}, async (world) => {
      await declareFleet(world, 3);
      await declarePlacement(world, { numberOfClusters: 2 });
      await chosen(world, 2);
      await world.pass(10_000);
      const { revision } = world.server.store;
      world.restartManager();
      await world.pass(60_000);
      expect(world.server.store.revision).toBe(revision);
    });
  });

  it('changed conditions of a cluster cause no new scheduling', async () => {
    await onVirtualHub({ manager: { clusters: false } }, async (world) => {
      await declareFleet(world, 3);
      await declarePlacement(world, { numberOfClusters: 2 });
      const before = await chosen(world, 2);
      const reader = await DecisionReader.start(world.hub);
      const condition = { type: 'Noise', status: 'True', reason: 'Beat', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
      await world.hub.patch(
        managedClusters,
        { name: 'c000' },
        { type: 'merge', patch: { status: { conditions: [condition] } } },
        { subresource: 'status' },
      );
      await world.pass(5_000);
      await reader.stop();
      expect(reader.least).toBe(Number.POSITIVE_INFINITY);
      expect(await chosen(world, 2)).toEqual(before);
    });
  });

  it('a toleration for a time ends on time', async () => {
    await onVirtualHub({ manager: { clusters: false } }, async (world) => {
      await declareFleet(world, 1);
      const timeAdded = new Date(world.now()).toISOString().replace(/\.\d+Z/, 'Z');
      const cluster = managedCluster('tainted');
      await world.hub.create(managedClusters, { ...cluster, spec: { taints: [{ key: 'x', effect: 'NoSelect', timeAdded }] } });
      await declarePlacement(world, { tolerations: [{ operator: 'Exists', tolerationSeconds: 120 }] });
      await chosen(world, 2);
      await world.pass(110_000);
      await chosen(world, 2);
      await world.pass(11_000);
      await chosen(world, 1);
    });
  });
});
