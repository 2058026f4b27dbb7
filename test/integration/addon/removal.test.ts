import {
  CLEANUP_PRIORITY_ANNOTATION,
  addOnTemplates,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusters,
} from '@outrigger/api';
import { afterEach, describe, expect, it } from 'vitest';
import { addCluster, eventuallyIs, templateOf } from './objects.js';
import { REMOVALS, hooksOutliveTheirTemplate } from './removal-scenario.js';
import { startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

describe('an add-on whose files are deleted together', () => {
  it.each(REMOVALS)(
    '$order, $propagation, manager down: $isManagerDown: its pre-delete hooks run, and nothing is left',
    async (removal) => {
      await hooksOutliveTheirTemplate(await startWorld(), removal);
    },
  );
});

describe('the add-ons of a cluster that is being deleted', () => {
  it('are deleted in the order of their cleanup priorities, although no strategy selects the cluster any more', async () => {
    const world = await startWorld({ hasClusters: true });
    const { hub, runtime } = world;
    const names = ['first', 'second', 'third'];
    await addCluster(world, 'c1', { fleet: 'a' });
    const installStrategy = { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { fleet: 'a' } } } as const;
    for (const name of names) {
      await hub.create(addOnTemplates, templateOf(name, { version: 'v1' }));
      const apiVersion = 'addon.open-cluster-management.io/v1alpha1';
      await hub.create(clusterManagementAddOns, {
        apiVersion,
        kind: 'ClusterManagementAddOn',
        metadata: { name },
        spec: { installStrategy },
      });
      await eventuallyIs(world, 'c1', name, 'Progressing', 'False Succeed');
    }
    for (const [i, name] of names.entries()) {
      const metadata = { annotations: { [CLEANUP_PRIORITY_ANNOTATION]: String(i * 10) }, finalizers: ['example.com/hold'] };
      await hub.patch(managedClusterAddOns, { namespace: 'c1', name }, { type: 'merge', patch: { metadata } });
    }
    await hub.delete(managedClusters, { name: 'c1' });
    for (const [i, name] of names.entries()) {
      await world.eventually(`${name} is being deleted`, async () => {
        const { metadata } = await hub.get(managedClusterAddOns, { namespace: 'c1', name });
        return metadata.deletionTimestamp === undefined ? undefined : true;
      });
      // Sleep for longer than the delay after which the installer removes an add-on from a cluster that no entry selects.
      await runtime.timers.sleep(30_000);
      const { items } = await hub.list(managedClusterAddOns, { namespace: 'c1' });
      const waiting = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      expect(new Set(waiting.map(({ metadata }) => metadata.name))).toEqual(new Set(names.slice(i + 1)));
      await hub.patch(managedClusterAddOns, { namespace: 'c1', name }, { type: 'merge', patch: { metadata: { finalizers: null } } });
    }
  });
});
