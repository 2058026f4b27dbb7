import { managedClusterSets, managedClusters, managedNamespaceLabel, namespaces } from '@outrigger/api';
import { isConditionTrue } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { CLUSTER, found } from './scenario.js';
import { VirtualWorld } from './world.js';

describe('namespaces that a cluster set requests', () => {
  it('exist on its clusters, are reported on the hub, and remain with another label when no set requests them', async () => {
    const world = await VirtualWorld.start(81);
    world.startManager();
    const { hub } = world;
    const { story } = await world.run(world.join());
    const label = managedNamespaceLabel(story.hubServer);
    const markOf = async (name: string): Promise<string | undefined> =>
      (await found(story.cluster.get(namespaces, { name })))?.metadata.labels?.[label];
    const ask = async (...names: readonly string[]): Promise<void> => {
      const patch = { spec: { managedNamespaces: names.map((name) => ({ name })) } };
      await hub.patch(managedClusterSets, { name: 'global' }, { type: 'merge', patch });
    };
    await world.run(
      (async () => {
        await story.cluster.create(namespaces, {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name: 'old', labels: { theirs: 'yes' } },
        });
        await ask('old', 'new');
        const listed = await story.eventually('both are reported', async () => {
          const { status } = await hub.get(managedClusters, { name: CLUSTER });
          const all = status?.managedNamespaces ?? [];
          return all.length === 2 && all.every(({ conditions }) => isConditionTrue(conditions, 'NamespaceAvailable')) ? all : undefined;
        });
        expect(listed.map(({ name, clusterSet }) => `${clusterSet}/${name}`)).toEqual(['global/new', 'global/old']);
        expect([await markOf('old'), await markOf('new')]).toEqual(['true', 'true']);
        expect((await story.cluster.get(namespaces, { name: 'old' })).metadata.labels).toMatchObject({ theirs: 'yes' });
        await ask('new');
        await story.eventually('old is marked as no longer managed', async () => ((await markOf('old')) === 'false' ? true : undefined));
        expect((await hub.get(managedClusters, { name: CLUSTER })).status?.managedNamespaces).toHaveLength(1);
        expect(await markOf('new')).toBe('true');
      })(),
    );
  });
});
