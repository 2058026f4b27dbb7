import { namespaces, secrets } from '@outrigger/api';
import { expect, it } from 'vitest';
import { CLUSTER, found, tellsAboutItself } from './scenario.js';
import { VirtualWorld } from './world.js';

it('a cluster known to two hubs keeps the credentials of both: each agent sees its own', async () => {
  const world = await VirtualWorld.start(83);
  world.startManager();
  const cluster = await world.cluster();
  const labels = {
    'outrigger.dev/credential': 'add-on',
    'open-cluster-management.io/addon-name': 'theirs',
    'open-cluster-management.io/cluster-name': `${CLUSTER}-elsewhere`,
  };
  const key = { namespace: 'theirs', name: 'theirs-hub-kubeconfig' };
  await world.run(
    (async () => {
      await cluster.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'theirs' } });
      await cluster.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { ...key, labels } });
    })(),
  );
  const { story } = await world.run(world.join());
  await world.run(tellsAboutItself(story, 'zone', 'a'));
  expect(await world.run(found(cluster.get(secrets, key)))).toBeDefined();
});
