import { createAgent } from '@outrigger/agent';
import { createHub } from '@outrigger/hub';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TwoServers, startTwoServers } from '../integration/identity/two-servers.js';
import { PLACED, arrivesInItsNamespace, defaultNamespaceComesBack } from '../integration/thread/install-namespace.js';
import { CLUSTER_NAME, arrived, declare, editTemplate, remove } from '../integration/thread/scenario.js';

describe('the thread on two real API servers', () => {
  const stops: (() => Promise<void>)[] = [];
  let world: TwoServers;

  beforeAll(async () => {
    world = await startTwoServers({ hub: 'kube', cluster: 'kube' });
    stops.push(() => world.stop());
    const { runtime, hub, cluster, hubServer } = world;
    const managers = [
      createHub({ runtime, client: hub, namespace: 'default', placement: false, clusters: false }),
      createAgent({ runtime, hub: await world.hubClient('h2'), cluster, clusterName: CLUSTER_NAME, hubServer, agentId: 'agent' }),
    ];
    for (const manager of managers) {
      await manager.start();
      stops.push(() => manager.stop());
    }
  });
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  it('installs, follows an edit of its template, and leaves nothing behind', async () => {
    await declare(world);
    const installed = await arrived(world, 'example.com/hello:1');
    expect(installed).toMatchObject({
      conditions: { Configured: 'True ConfigurationsConfigured', Progressing: 'False Succeed', Available: 'True ProbeAvailable' },
      versions: { current: 'v1', last: '', install: 'v1' },
      args: ['--cluster=cluster1'],
      works: ['addon-hello-deploy-0'],
    });
    await editTemplate(world, 'example.com/hello:2');
    expect(await arrived(world, 'example.com/hello:2')).toEqual({ ...installed, image: 'example.com/hello:2' });
    await remove(world);
  });

  it('no add-on waits for an install namespace that does not exist', async () => {
    await defaultNamespaceComesBack(world);
    for (const placed of PLACED) await arrivesInItsNamespace(world, placed);
  });
});
