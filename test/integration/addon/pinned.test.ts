import { type ManifestWork, addOnTemplates, clusterManagementAddOns, manifestWorks } from '@outrigger/api';
import { afterEach, describe, expect, it } from 'vitest';
import { addCluster, eventuallyIs, templateOf } from './objects.js';
import { type AddOnWorld, startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

const CLUSTERS = ['c1', 'c2', 'c3'];

async function imagesOf({ hub }: AddOnWorld): Promise<Record<string, string>> {
  const images: Record<string, string> = {};
  for (const cluster of CLUSTERS) {
    const work: ManifestWork = await hub.get(manifestWorks, { namespace: cluster, name: 'addon-hello-deploy-0' });
    images[cluster] = /"image":"([^"]*)"/.exec(JSON.stringify(work.spec))?.[1] ?? '';
  }
  return images;
}

describe('content is pinned', () => {
  it('AT-22 a template edited during a rollout leaves running and waiting clusters at the revision they have', async () => {
    let isReporting = true;
    const world = await startWorld({ agent: { isUp: () => isReporting } });
    const { hub } = world;
    for (const cluster of CLUSTERS) await addCluster(world, cluster, { env: 'test' });
    await hub.create(addOnTemplates, templateOf('hello', { image: 'agent:1' }));
    await hub.create(clusterManagementAddOns, {
      apiVersion: 'addon.open-cluster-management.io/v1alpha1',
      kind: 'ClusterManagementAddOn',
      metadata: { name: 'hello' },
      spec: {
        supportedConfigs: [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', defaultConfig: { name: 'hello' } }],
        installStrategy: {
          type: 'ClusterLabelSelector',
          labelSelector: { matchLabels: { env: 'test' } },
          rolloutStrategy: { type: 'Progressive', progressive: { maxConcurrency: 1 } },
        },
      },
    });
    for (const cluster of CLUSTERS) await eventuallyIs(world, cluster, 'hello', 'Progressing', 'False Succeed');
    await world.quiet();

    const edit = (image: string): Promise<unknown> =>
      hub.patch(addOnTemplates, { name: 'hello' }, { type: 'merge', patch: { spec: templateOf('hello', { image }).spec as never } });
    isReporting = false;
    await edit('agent:2');
    const moving = await world.eventually('one cluster moves', async () => {
      const found = Object.entries(await imagesOf(world)).filter(([, image]) => image === 'agent:2');
      return found.length === 1 ? found[0]?.[0] : undefined;
    });
    const waiting = CLUSTERS.filter((cluster) => cluster !== moving);
    for (const cluster of waiting) await eventuallyIs(world, cluster, 'hello', 'Configured', 'False ConfigurationsNotConfigured');

    // The manager restores the work of a waiting cluster from the content that the cluster has, not from the edited template.
    await hub.delete(manifestWorks, { namespace: waiting[0] ?? '', name: 'addon-hello-deploy-0' });
    await world.eventually('the lost work is back', async () => {
      expect((await imagesOf(world))[waiting[0] ?? '']).toBe('agent:1');
      return true;
    });
    await world.restartManager();
    await world.quiet();
    expect(await imagesOf(world)).toEqual({ [moving]: 'agent:2', [waiting[0] ?? '']: 'agent:1', [waiting[1] ?? '']: 'agent:1' });
  });
});
