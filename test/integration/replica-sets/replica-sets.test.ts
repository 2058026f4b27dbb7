import { manifestWorkReplicaSets } from '@outrigger/api';
import { isApiError } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { NAMESPACE } from '../placement/scenario.js';
import { FAULTY_NETWORK } from '../../world/simulated.js';
import { absentAsUndefined, onVirtualHub, seeds } from '../placement/world.js';
import { crds } from '../work/world.js';
import { expectReplicaSetStory, expectWholeSoaks } from './expectations.js';
import { declareClusters, declareReplicaSet, hasCondition, hasValues, replicaSetStory, worksOf } from './scenario.js';

describe('ManifestWorkReplicaSets on the embedded server, under a virtual clock', () => {
  it('moves clusters one at a time, follows its Placement, and deletes its works', async () => {
    const story = await onVirtualHub({ manager: { clusters: false } }, (world) => replicaSetStory(world, world.now));
    expectReplicaSetStory(story);
    expectWholeSoaks(story);
  });

  it.each(seeds(2))('does the same while requests and watches break and the manager crashes (seed %i)', async (seed) => {
    const options = { seed, faults: FAULTY_NETWORK, crashes: 5, manager: { clusters: false } } as const;
    expectReplicaSetStory(await onVirtualHub(options, (world) => replicaSetStory(world, world.now)));
  });

  it('writes nothing once it has settled, also after a restart', async () => {
    await onVirtualHub({ manager: { clusters: false } }, async (world) => {
      await declareClusters(world);
      await declareReplicaSet(world, { placementRefs: [{ name: 'p' }] });
      await hasValues(world, 'c000=one c001=one c002=one');
      await hasCondition(world, 'PlacementVerified', 'AsExpected');
      await world.pass(10_000);
      const { revision } = world.server.store;
      world.restartManager();
      await world.pass(60_000);
      expect(world.server.store.revision).toBe(revision);
    });
  });

  it('needs one write per work and few for itself', async () => {
    await onVirtualHub({ manager: { clusters: false } }, async (world) => {
      await declareClusters(world);
      await world.pass(10_000);
      const before = world.server.store.revision;
      await declareReplicaSet(world, { placementRefs: [{ name: 'p' }] });
      await hasCondition(world, 'PlacementVerified', 'AsExpected');
      await world.pass(10_000);
      // The expected writes are the set, its finalizer, three works and one status.
      expect(world.server.store.revision - before).toBe(6);
    });
  });

  it('leaves the kind to another controller if it is switched off', async () => {
    await onVirtualHub({ manager: { clusters: false, replicaSets: false } }, async (world) => {
      await declareClusters(world);
      await declareReplicaSet(world);
      await world.pass(60_000);
      const set = await world.hub.get(manifestWorkReplicaSets, { namespace: NAMESPACE, name: 'web' });
      expect([await worksOf(world), set.metadata.finalizers, set.status]).toEqual([[], undefined, undefined]);
    });
  });

  it('keeps the other controllers at work on a hub that does not serve the kind, and starts when it does', async () => {
    await onVirtualHub({ manager: { clusters: false } }, async (world) => {
      const name = `${manifestWorkReplicaSets.plural}.${manifestWorkReplicaSets.group}`;
      const definition = await world.hub.get(crds, { name });
      await world.hub.delete(crds, { name });
      await world.eventually('the kind to be gone', async () => {
        return (await absentAsUndefined(world.hub.get(crds, { name }))) === undefined ? true : undefined;
      });
      world.restartManager();
      await declareClusters(world);
      const { resourceVersion: _, uid: __, ...metadata } = definition.metadata;
      await world.hub.create(crds, { ...definition, metadata });
      await world.eventually('the set to be accepted', async () => {
        try {
          await declareReplicaSet(world, { placementRefs: [{ name: 'p' }] });
          return true;
        } catch (error) {
          if (isApiError(error, 'NotFound')) return undefined;
          throw error;
        }
      });
      await hasValues(world, 'c000=one c001=one c002=one');
    });
  });
});
