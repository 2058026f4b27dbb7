import { type AddOnTemplate, type ManifestWork, addOnTemplates, clusterManagementAddOns, manifestWorks } from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';
import { expect } from 'vitest';
import { addCluster, eventuallyIs, install } from './objects.js';
import type { AddOnWorld } from './world.js';

/** In this scenario, an add-on with several works moves to a version with fewer objects. */

const ADD_ON = 'shrinking';
export const SHRINKING_CLUSTER = 'shrink1';

/** Returns a manifest so large that a work can contain at most two of them. */
function manifest(name: string, version: string): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: ADD_ON }, data: { version, text: 'x'.repeat(180_000) } };
}

function template(version: string, names: readonly string[]): AddOnTemplate {
  return {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'AddOnTemplate',
    metadata: { name: ADD_ON },
    spec: { addonName: ADD_ON, agentSpec: { workload: { manifests: names.map((name) => manifest(name, version)) } } },
  };
}

async function works({ hub }: AddOnWorld): Promise<readonly ManifestWork[]> {
  const { items } = await hub.list(manifestWorks, { namespace: SHRINKING_CLUSTER });
  return items.filter(({ metadata }) => metadata.name?.startsWith(`addon-${ADD_ON}-`));
}

/** Returns `name@version` of every object in the works. */
function objectsIn(list: readonly ManifestWork[]): string[] {
  const manifests = list.flatMap(({ spec }) => (spec.workload?.manifests ?? []) as unknown as readonly ReturnType<typeof manifest>[]);
  return manifests
    .map((one) => `${(one['metadata'] as { name: string }).name}@${(one['data'] as { version: string }).version}`)
    .sort((a, b) => (a < b ? -1 : 1));
}

/** Runs the scenario. `report` starts or stops the reports of the cluster's stand-in agent. */
export async function droppedObjectsGoLast(world: AddOnWorld, report: (isReporting: boolean) => void): Promise<void> {
  const { hub } = world;
  report(true);
  await addCluster(world, SHRINKING_CLUSTER);
  await hub.create(addOnTemplates, template('v1', ['a', 'b', 'c', 'd', 'e']));
  await hub.create(clusterManagementAddOns, {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ClusterManagementAddOn',
    metadata: { name: ADD_ON },
    spec: {
      supportedConfigs: [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', defaultConfig: { name: ADD_ON } }],
    },
  });
  await install(world, SHRINKING_CLUSTER, ADD_ON);
  await eventuallyIs(world, SHRINKING_CLUSTER, ADD_ON, 'Progressing', 'False Succeed');
  await world.quiet();
  const before = await works(world);
  expect(before).toHaveLength(3);
  // The next version drops one object of every work that has two, and all objects of the third work.
  const shares = before.map((work) => objectsIn([work]).map((object) => object.split('@')[0] ?? ''));
  const pairs = shares.filter((names) => names.length === 2);
  const kept = pairs.flatMap(([name]) => (name === undefined ? [] : [name]));
  expect(kept).toHaveLength(2);

  report(false);
  const { spec } = template('v2', kept);
  await hub.patch(addOnTemplates, { name: ADD_ON }, { type: 'merge', patch: { spec: spec as never } });
  await world.eventually('the new version is in the works', async () => {
    expect(objectsIn(await works(world))).toEqual(expect.arrayContaining(kept.map((name) => `${name}@v2`)));
    return true;
  });
  await world.quiet();
  const dropped = shares.flat().filter((name) => !kept.includes(name));
  const both = [...kept.map((name) => `${name}@v2`), ...dropped.map((name) => `${name}@v1`)].sort((a, b) => (a < b ? -1 : 1));
  expect(objectsIn(await works(world)), 'while the new version is not applied').toEqual(both);
  world.writes.length = 0;
  await world.restartManager();
  await world.quiet();
  expect(world.writes, 'while it waits').toEqual([]);
  expect(objectsIn(await works(world))).toEqual(both);

  report(true);
  for (const { metadata } of await works(world)) {
    const key = { namespace: SHRINKING_CLUSTER, name: metadata.name ?? '' };
    await hub.patch(manifestWorks, key, { type: 'merge', patch: { metadata: { annotations: { 'example.com/touched': 'yes' } } } });
  }
  await world.eventually('the dropped objects have gone', async () => {
    expect(objectsIn(await works(world))).toEqual(kept.map((name) => `${name}@v2`).sort((a, b) => (a < b ? -1 : 1)));
    return true;
  });
  await eventuallyIs(world, SHRINKING_CLUSTER, ADD_ON, 'Progressing', 'False Succeed');
  await world.quiet();
  world.writes.length = 0;
  await world.restartManager();
  await world.quiet();
  expect(world.writes).toEqual([]);
}
