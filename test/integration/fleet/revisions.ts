import { addOnRollouts, events, managedClusterAddOns, manifestWorks } from '@outrigger/api';
import { expect } from 'vitest';
import { type FleetWorld, addOnOf, applyYaml, choose, join, playAgents, rollOut } from './world.js';
import { eventually } from '../../world/eventually.js';

/**
 * In these scenarios, the hub stores each cluster's revision where agents cannot write, and ignores revisions and configs that a status
 * names.
 */

const CLUSTERS = ['one', 'two'] as const;
const REVISION = 'outrigger.dev/revision';

const template = (version: string): string => `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: AddOnTemplate
metadata:
  name: helloworld-${version}
  labels: { open-cluster-management.io/addon-version: ${version} }
spec:
  addonName: helloworld
  agentSpec:
    workload:
      manifests:
      - { apiVersion: v1, kind: ConfigMap, metadata: { name: hello, namespace: default }, data: { version: ${version} } }
`;

const declaration = (version: string, strategy: string): string => `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ClusterManagementAddOn
metadata: { name: helloworld }
spec:
  supportedConfigs:
  - { group: addon.open-cluster-management.io, resource: addontemplates, defaultConfig: { name: helloworld-${version} } }
  installStrategy:
    type: Placements
    placements:
    - { name: all, namespace: default, rolloutStrategy: ${strategy} }
`;

const PROGRESSIVE = '{ type: Progressive, progressive: { maxConcurrency: 2 } }';

/** Waits until both clusters run a version and their add-ons are annotated with a revision. */
async function settled(world: FleetWorld, version: string, revision: string | undefined): Promise<void> {
  for (const cluster of CLUSTERS) {
    await rollOut(world, cluster, version);
    await eventually(
      world,
      `${cluster} runs ${version} as revision ${revision}`,
      async () => {
        await playAgents(world);
        const clusterAddOn = await addOnOf(world, cluster);
        const isThere = clusterAddOn?.status?.currentVersion === version && clusterAddOn.metadata.annotations?.[REVISION] === revision;
        return isThere ? true : undefined;
      },
      () => addOnOf(world, cluster),
    );
  }
}

async function versionsOfWorks(world: FleetWorld): Promise<readonly unknown[]> {
  const { items } = await world.hub.list(manifestWorks, {});
  return items.map(({ spec }) => JSON.stringify(spec.workload?.manifests)).sort();
}

export async function keepsRevisions(world: FleetWorld): Promise<void> {
  for (const cluster of CLUSTERS) await join(world, cluster);
  await choose(world, 'all', CLUSTERS);
  await applyYaml(world, template('v1'));
  await applyYaml(world, template('v2'));
  await applyYaml(world, declaration('v1', PROGRESSIVE));
  await settled(world, 'v1', '1');
  const earlier = (await addOnOf(world, 'one'))?.status?.configReferences ?? [];

  await applyYaml(world, declaration('v2', PROGRESSIVE));
  await settled(world, 'v2', '2');
  const works = await versionsOfWorks(world);

  // An agent may write only the status. Metadata in such a request has no effect, and neither has the content that the status names.
  await world.hub.patch(addOnRollouts, { name: 'helloworld' }, { type: 'merge', patch: { spec: { paused: true } } });
  const forged = { configReferences: earlier, installVersion: 'v1', currentVersion: 'v1' };
  const patch = { metadata: { annotations: { [REVISION]: '1' } }, status: forged };
  const key = { namespace: 'one', name: 'helloworld' };
  await world.hub.patch(managedClusterAddOns, key, { type: 'merge', patch: patch as never }, { subresource: 'status' });
  const put = await eventually(
    world,
    'the hub puts the status right',
    async () => {
      const clusterAddOn = await addOnOf(world, 'one');
      return clusterAddOn?.status?.configReferences?.[0]?.desiredConfig?.name === 'helloworld-v2' ? clusterAddOn : undefined;
    },
    () => addOnOf(world, 'one'),
  );
  await eventually(world, 'an Event on the add-on reports the content that was not granted', async () => {
    const { items } = await world.hub.list(events, { namespace: 'one' });
    return items.find(({ reason, regarding }) => reason === 'StatusNotGranted' && regarding?.name === 'helloworld');
  });
  expect((await world.hub.list(events, { namespace: 'two' })).items.filter(({ reason }) => reason === 'StatusNotGranted')).toEqual([]);
  expect(put.metadata.annotations?.[REVISION]).toBe('2');
  expect(await versionsOfWorks(world)).toEqual(works);

  // Under a strategy without a budget, only the record determines the revision, and the hub writes no annotation.
  await world.hub.patch(addOnRollouts, { name: 'helloworld' }, { type: 'merge', patch: { spec: { paused: false } } });
  await applyYaml(world, declaration('v1', '{ type: All }'));
  await settled(world, 'v1', '2');
}
