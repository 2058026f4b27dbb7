import {
  APPLIED_MANIFEST_WORK_FINALIZER,
  type AppliedManifestWork,
  appliedManifestWorkName,
  appliedManifestWorks,
  hubHash,
  manifestWorks,
} from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { type SimulatedWorkWorld, createSimulatedWorld } from './simulated-world.js';
import { CLUSTER_NAME, applied, configMap, configMaps, createWork, find, gone, appliedWorkOf } from './world.js';

const MINUTE = 60_000;

/** Removes the work from the hub without the agent's cleanup, as when a hub is restored from a backup. */
async function lose({ hub }: SimulatedWorkWorld, name: string): Promise<void> {
  const key = { namespace: CLUSTER_NAME, name };
  await hub.patch(manifestWorks, key, { type: 'merge', patch: { metadata: { finalizers: null } } });
  await hub.delete(manifestWorks, key);
}

/** Creates an applied work as another hub's agent would, and makes the applied work the owner of an object. */
async function appliedWorkOfOtherHub(world: SimulatedWorkWorld, agentID: string, namespace: string): Promise<AppliedManifestWork> {
  const name = appliedManifestWorkName('https://old-hub', 'shared');
  const appliedWork = await world.cluster.create(appliedManifestWorks, {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'AppliedManifestWork',
    metadata: { name, finalizers: [APPLIED_MANIFEST_WORK_FINALIZER] },
    spec: { hubHash: hubHash('https://old-hub'), agentID, manifestWorkName: 'shared' },
  });
  const owner = {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'AppliedManifestWork',
    name,
    uid: appliedWork.metadata.uid ?? '',
  };
  const object = await world.cluster.create(configMaps, configMap(namespace, 'shared', { a: '1' }, { ownerReferences: [owner] }));
  const listed = { group: '', version: 'v1', resource: 'configmaps', namespace, name: 'shared', uid: object.metadata.uid ?? '' };
  await world.cluster.patch(
    appliedManifestWorks,
    { name },
    { type: 'merge', patch: { status: { appliedResources: [listed] } } },
    { subresource: 'status' },
  );
  return appliedWork;
}

describe('a work that is missing on the hub', () => {
  it.each([0, 1])(
    'keeps its objects for an hour and then deletes them, even if the clock jumps by %i h meanwhile (AT-48)',
    async (hours) => {
      const world = await createSimulatedWorld(1, false);
      await world.run(async () => {
        const namespace = await world.newNamespace();
        world.startAgent();
        const work = await createWork(world, [configMap(namespace, 'settings')]);
        await applied(world, work);
        await lose(world, work);
        await world.pause(MINUTE);
        world.skew(hours * 60 * MINUTE);
        await world.pause(58 * MINUTE);
        expect((await appliedWorkOf(world, work)).status?.evictionStartTime).toBeDefined();
        expect(await find(world.cluster, configMaps, { namespace, name: 'settings' })).toBeDefined();
        await world.pause(2 * MINUTE);
        await gone(world, configMaps, { namespace, name: 'settings' });
        world.crash();
      });
    },
  );

  it('keeps its objects if it comes back in time, also across a restart of the agent', async () => {
    const world = await createSimulatedWorld(2, false);
    await world.run(async () => {
      const namespace = await world.newNamespace();
      world.startAgent();
      const work = await createWork(world, [configMap(namespace, 'settings')]);
      await applied(world, work);
      const before = await world.cluster.get(configMaps, { namespace, name: 'settings' });
      await lose(world, work);
      await world.pause(30 * MINUTE);
      world.crash();
      world.startAgent();
      await world.pause(20 * MINUTE);
      await createWork(world, [configMap(namespace, 'settings')], {}, { name: work });
      await applied(world, work);
      await world.pause(120 * MINUTE);
      expect((await appliedWorkOf(world, work)).status?.evictionStartTime).toBeUndefined();
      expect((await world.cluster.get(configMaps, { namespace, name: 'settings' })).metadata.uid).toBe(before.metadata.uid);
      world.crash();
    });
  });
});

describe('the applied work of another hub', () => {
  it('of this agent is removed after the grace period, and shared objects lose only its owner reference', async () => {
    const world = await createSimulatedWorld(3, false);
    await world.run(async () => {
      const namespace = await world.newNamespace();
      await appliedWorkOfOtherHub(world, 'agent', namespace);
      world.startAgent();
      const work = await createWork(world, [configMap(namespace, 'shared')]);
      await applied(world, work);
      expect((await world.cluster.get(configMaps, { namespace, name: 'shared' })).metadata.ownerReferences).toHaveLength(2);
      await world.pause(61 * MINUTE);
      const owners = (await world.cluster.get(configMaps, { namespace, name: 'shared' })).metadata.ownerReferences ?? [];
      expect(owners.map(({ name }) => name)).toEqual([appliedManifestWorkName('https://hub', work)]);
      expect(
        await find(world.cluster, appliedManifestWorks, { name: appliedManifestWorkName('https://old-hub', 'shared') }),
      ).toBeUndefined();
      world.crash();
    });
  });

  it('of another agent is not changed', async () => {
    const world = await createSimulatedWorld(4, false);
    await world.run(async () => {
      const namespace = await world.newNamespace();
      const appliedWork = await appliedWorkOfOtherHub(world, 'somebody-else', namespace);
      world.startAgent();
      await world.pause(180 * MINUTE);
      const after = await world.cluster.get(appliedManifestWorks, { name: appliedWork.metadata.name ?? '' });
      expect(after.status?.evictionStartTime).toBeUndefined();
      expect(after.metadata.deletionTimestamp).toBeUndefined();
      world.crash();
    });
  });
});
