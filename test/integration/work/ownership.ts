import { appliedManifestWorkName, appliedManifestWorks, hubHash, manifestWorks } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import {
  CLUSTER_NAME,
  type Manifest,
  type AgentWorld,
  applied,
  configMap,
  configMaps,
  createWork,
  deleteWork,
  editWork,
  find,
  gone,
  appliedWorkOf,
  secrets,
  workOf,
} from './world.js';

async function ownersOf(world: AgentWorld, namespace: string, name: string): Promise<readonly string[]> {
  return ((await world.cluster.get(configMaps, { namespace, name })).metadata.ownerReferences ?? []).map((owner) => owner.name);
}

/** Defines the tests of which objects a work owns and when the agent deletes them. The tests run on any server. */
export function describeOwnership(worldOf: () => AgentWorld): void {
  describe('the applied work', () => {
    it('is named after the hub, carries the labels, and lists the objects in order with their uids', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const secret: Manifest = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: 'a' }, data: { k: 'dg==' } };
      const work = await createWork(world, [secret, configMap(namespace, 'b'), configMap(namespace, 'a')], {}, { labels: { team: 'x' } });
      await applied(world, work);
      const appliedWork = await appliedWorkOf(world, work);
      expect(appliedWork.metadata.name).toBe(`${hubHash(world.hubServer)}-${work}`);
      expect(appliedWork.metadata.labels).toEqual({ team: 'x' });
      expect(appliedWork.spec).toEqual({ hubHash: hubHash(world.hubServer), agentID: 'agent', manifestWorkName: work });
      const uids = await Promise.all([
        world.cluster.get(configMaps, { namespace, name: 'a' }),
        world.cluster.get(configMaps, { namespace, name: 'b' }),
        world.cluster.get(secrets, { namespace, name: 'a' }),
      ]);
      expect(appliedWork.status?.appliedResources).toEqual([
        { group: '', version: 'v1', resource: 'configmaps', namespace, name: 'a', uid: uids[0]?.metadata.uid },
        { group: '', version: 'v1', resource: 'configmaps', namespace, name: 'b', uid: uids[1]?.metadata.uid },
        { group: '', version: 'v1', resource: 'secrets', namespace, name: 'a', uid: uids[2]?.metadata.uid },
      ]);
      await world.hub.patch(
        manifestWorks,
        { namespace: CLUSTER_NAME, name: work },
        { type: 'merge', patch: { metadata: { labels: { team: 'y' } } } },
      );
      await world.eventually('the applied work follows the labels', async () =>
        (await appliedWorkOf(world, work)).metadata.labels?.['team'] === 'y' ? true : undefined,
      );
      const theirs = { type: 'merge', patch: { metadata: { labels: { theirs: 'z' } } } } as const;
      await world.cluster.patch(appliedManifestWorks, { name: appliedWork.metadata.name ?? '' }, theirs);
      const without = { type: 'merge', patch: { metadata: { labels: { team: null } } } } as const;
      await world.hub.patch(manifestWorks, { namespace: CLUSTER_NAME, name: work }, without);
      await world.eventually('the applied work loses what the work lost, and keeps what others gave it', async () =>
        JSON.stringify((await appliedWorkOf(world, work)).metadata.labels) === '{"theirs":"z"}' ? true : undefined,
      );
      await deleteWork(world, work);
    });

    it('is created again with its objects after a deletion by hand', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const work = await createWork(world, [configMap(namespace, 'settings')]);
      await applied(world, work);
      const before = await world.cluster.get(configMaps, { namespace, name: 'settings' });
      await world.cluster.delete(appliedManifestWorks, { name: appliedManifestWorkName(world.hubServer, work) });
      await world.eventually('a new object stands', async () => {
        const live = await find(world.cluster, configMaps, { namespace, name: 'settings' });
        return live && live.metadata.uid !== before.metadata.uid ? true : undefined;
      });
      await deleteWork(world, work);
      await gone(world, configMaps, { namespace, name: 'settings' });
    });
  });

  describe('two agents that share their records by mistake', () => {
    it('settle: each leaves an applied work to the other instead of taking it back at once', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const another = await world.startAnother('another');
      world.takeRequests();
      const work = await createWork(world, [configMap(namespace, 'settings')]);
      await applied(world, work);
      await world.settled();
      const written = world.takeRequests().filter((request) => !request.startsWith('GET'));
      const claims = written.filter((request) => request.startsWith('PATCH') && request.includes('/appliedmanifestworks/'));
      expect(claims.length, written.join('\n')).toBeLessThan(6);
      expect(written.length, written.join('\n')).toBeLessThan(30);
      await another.stop();
    });
  });

  describe('objects that a work no longer contains', () => {
    it('are deleted and removed from the list', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const work = await createWork(world, [configMap(namespace, 'stays'), configMap(namespace, 'goes')]);
      await applied(world, work);
      await editWork(world, work, [configMap(namespace, 'stays')]);
      await gone(world, configMaps, { namespace, name: 'goes' });
      const names = await world.eventually('the list is short', async () => {
        const listed = (await appliedWorkOf(world, work)).status?.appliedResources ?? [];
        return listed.length === 1 ? listed.map(({ name }) => name) : undefined;
      });
      expect(names).toEqual(['stays']);
      await deleteWork(world, work);
    });

    it('stay if another work owns them too', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const first = await createWork(world, [configMap(namespace, 'shared')]);
      const second = await createWork(world, [configMap(namespace, 'shared')]);
      await applied(world, first);
      await applied(world, second);
      await world.eventually('both own it', async () => ((await ownersOf(world, namespace, 'shared')).length === 2 ? true : undefined));
      await deleteWork(world, first);
      expect(await ownersOf(world, namespace, 'shared')).toEqual([appliedManifestWorkName(world.hubServer, second)]);
      await deleteWork(world, second);
      await gone(world, configMaps, { namespace, name: 'shared' });
    });

    it('are not deleted if another object now has the same name', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const key = { namespace, name: 'settings' };
      const work = await createWork(world, [configMap(namespace, 'settings')]);
      await applied(world, work);
      await editWork(world, work, [configMap(namespace, 'other')]);
      await gone(world, configMaps, key);
      await world.cluster.create(configMaps, configMap(namespace, 'settings'));
      await deleteWork(world, work);
      expect(await find(world.cluster, configMaps, key)).toBeDefined();
    });

    it('are waited for while they are being deleted', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const key = { namespace, name: 'settings' };
      const work = await createWork(world, [configMap(namespace, 'settings', {}, { finalizers: ['example.com/slow'] })]);
      await applied(world, work);
      await world.hub.delete(manifestWorks, { namespace: CLUSTER_NAME, name: work });
      const deleting = await world.eventually('the work says that it goes', async () => {
        const found = await workOf(world, work);
        return findCondition(found.status?.conditions, 'Deleting') ? found : undefined;
      });
      expect(findCondition(deleting.status?.conditions, 'Deleting')).toMatchObject({
        status: 'True',
        reason: 'WorkDeleting',
        message: 'ManifestWork is being deleted',
      });
      await world.eventually('the object is terminating', async () =>
        (await find(world.cluster, configMaps, key))?.metadata.deletionTimestamp ? true : undefined,
      );
      expect(await workOf(world, work)).toBeDefined();
      await world.cluster.patch(configMaps, key, { type: 'merge', patch: { metadata: { finalizers: null } } });
      await world.eventually('work and applied work are gone', async () => {
        const left = await find(world.hub, manifestWorks, { namespace: CLUSTER_NAME, name: work });
        const appliedWork = await find(world.cluster, appliedManifestWorks, { name: appliedManifestWorkName(world.hubServer, work) });
        return left || appliedWork ? undefined : true;
      });
    });
  });

  describe('delete options', () => {
    it('Orphan keeps all objects, also those removed from the work at the same time', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const work = await createWork(world, [configMap(namespace, 'a'), configMap(namespace, 'b')]);
      await applied(world, work);
      await editWork(world, work, [configMap(namespace, 'a')], { deleteOption: { propagationPolicy: 'Orphan' } });
      await world.eventually('they have no owner', async () => {
        const owners = [...(await ownersOf(world, namespace, 'a')), ...(await ownersOf(world, namespace, 'b'))];
        return owners.length === 0 ? true : undefined;
      });
      await deleteWork(world, work);
      expect(await ownersOf(world, namespace, 'a')).toEqual([]);
      expect(await ownersOf(world, namespace, 'b')).toEqual([]);
    });

    it('Orphan, set just before the deletion, still leaves all objects behind', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const work = await createWork(world, [configMap(namespace, 'a')]);
      await applied(world, work);
      await editWork(world, work, [configMap(namespace, 'a')], { deleteOption: { propagationPolicy: 'Orphan' } });
      await deleteWork(world, work);
      await world.settled();
      expect(await ownersOf(world, namespace, 'a')).toEqual([]);
    });

    it('SelectivelyOrphan keeps the listed objects, until a later change lists others', async () => {
      const world = worldOf();
      const namespace = await world.newNamespace();
      const rules = [{ group: '', resource: 'configmaps', name: 'stays', namespace }];
      const option = { propagationPolicy: 'SelectivelyOrphan', selectivelyOrphans: { orphaningRules: rules } } as const;
      const manifests = [configMap(namespace, 'stays'), configMap(namespace, 'goes'), configMap(namespace, 'back')];
      const work = await createWork(world, manifests, {
        deleteOption: { ...option, selectivelyOrphans: { orphaningRules: [...rules, { ...rules[0], name: 'back' } as (typeof rules)[0]] } },
      });
      await applied(world, work);
      expect(await ownersOf(world, namespace, 'back')).toEqual([]);
      await editWork(world, work, manifests, { deleteOption: option });
      await world.eventually('it is owned again', async () => ((await ownersOf(world, namespace, 'back')).length === 1 ? true : undefined));
      await deleteWork(world, work);
      await gone(world, configMaps, { namespace, name: 'goes' });
      await gone(world, configMaps, { namespace, name: 'back' });
      expect(await ownersOf(world, namespace, 'stays')).toEqual([]);
    });
  });
}
