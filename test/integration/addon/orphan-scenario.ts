import {
  type ClusterManagementAddOn,
  addOnRollouts,
  addOnTemplates,
  clusterManagementAddOns,
  controllerRevisions,
  managedClusterAddOns,
  manifestWorks,
} from '@outrigger/api';
import { type KubeObject, isApiError } from '@outrigger/core';
import { expect } from 'vitest';
import { addCluster, eventuallyIs, install, templateOf } from './objects.js';
import type { AddOnWorld } from './world.js';

/**
 * In this scenario, a fleet admin deletes a declaration but keeps its add-ons (`kubectl delete --cascade=orphan`), then declares the add-on
 * again.
 */

const NAME = 'keepsake';
const CLUSTERS = ['orphan1', 'orphan2'];
/** The cluster on which a user installs the add-on manually, in addition to those that the strategy selects. */
const BY_HAND = 'orphan3';

const managementAddOn: ClusterManagementAddOn = {
  apiVersion: 'addon.open-cluster-management.io/v1alpha1',
  kind: 'ClusterManagementAddOn',
  metadata: { name: NAME },
  spec: {
    supportedConfigs: [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', defaultConfig: { name: NAME } }],
    installStrategy: { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { keeps: 'sake' } } },
  },
};

export async function orphanedAndAdopted(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  for (const cluster of CLUSTERS) await addCluster(world, cluster, { keeps: 'sake' });
  await addCluster(world, BY_HAND);
  await hub.create(addOnTemplates, templateOf(NAME, { version: 'v1' }));
  // Another controller's finalizer keeps the declaration, so that its deletion is not finished during this scenario.
  await hub.create(clusterManagementAddOns, { ...managementAddOn, metadata: { name: NAME, finalizers: ['example.com/hold'] } });
  await install(world, BY_HAND, NAME);
  const all = [...CLUSTERS, BY_HAND];
  for (const cluster of all) await eventuallyIs(world, cluster, NAME, 'Progressing', 'False Succeed');
  await world.quiet();
  const before = await inventory(world, all);

  await hub.delete(clusterManagementAddOns, { name: NAME }, { propagation: 'Orphan' });
  await world.eventually('the add-ons have lost their owner', async () => {
    const found = await Promise.all(all.map((namespace) => hub.get(managedClusterAddOns, { namespace, name: NAME })));
    return found.every(({ metadata }) => (metadata.ownerReferences ?? []).length === 0) ? true : undefined;
  });
  await world.quiet();
  await hub.patch(clusterManagementAddOns, { name: NAME }, { type: 'merge', patch: { metadata: { finalizers: null } } });
  await world.eventually('the declaration is gone', async () => ((await exists(world)) ? undefined : true));
  for (const cluster of all) {
    const left = await eventuallyIs(world, cluster, NAME, 'Progressing', 'False Failed');
    expect(left.metadata.deletionTimestamp).toBeUndefined();
    expect(left.metadata.ownerReferences ?? []).toEqual([]);
  }
  await world.quiet();
  expect(await inventory(world, all)).toEqual(before);

  await hub.create(clusterManagementAddOns, managementAddOn);
  for (const cluster of all) await eventuallyIs(world, cluster, NAME, 'Progressing', 'False Succeed');
  await world.quiet();
  expect(await inventory(world, all)).toEqual(before);
  const { metadata } = await hub.get(clusterManagementAddOns, { name: NAME });
  const owned = [
    ...(await Promise.all(all.map((namespace) => hub.get(managedClusterAddOns, { namespace, name: NAME })))),
    await hub.get(addOnRollouts, { name: NAME }),
  ];
  expect(owned.map((object) => object.metadata.ownerReferences?.map(({ uid }) => uid))).toEqual(owned.map(() => [metadata.uid]));

  await hub.delete(clusterManagementAddOns, { name: NAME });
  await world.eventually('the add-ons go with their declaration', async () => {
    const { items } = await hub.list(managedClusterAddOns);
    return items.some((clusterAddOn) => clusterAddOn.metadata.name === NAME) ? undefined : true;
  });
}

async function exists({ hub }: AddOnWorld): Promise<boolean> {
  try {
    await hub.get(clusterManagementAddOns, { name: NAME });
    return true;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return false;
    throw error;
  }
}

/** Returns the identities and specs of the objects that must not change during the scenario. */
async function inventory({ hub }: AddOnWorld, all: readonly string[]): Promise<readonly unknown[]> {
  const identity = ({ kind, metadata }: KubeObject): unknown => [
    kind,
    metadata.namespace,
    metadata.name,
    metadata.uid,
    metadata.generation,
  ];
  const works = await Promise.all(all.map((namespace) => hub.get(manifestWorks, { namespace, name: `addon-${NAME}-deploy-0` })));
  const addOns = await Promise.all(all.map((namespace) => hub.get(managedClusterAddOns, { namespace, name: NAME })));
  const rollout = await hub.get(addOnRollouts, { name: NAME });
  const named = new Set(rollout.status?.history?.flatMap(({ configs = [] }) => configs.map(({ specHash }) => specHash)));
  const { items } = await hub.list(controllerRevisions);
  const contents = items.filter(({ metadata }) => [...named].some((hash) => metadata.name?.endsWith(hash.slice(0, 40))));
  expect(contents).toHaveLength(1);
  return [...works, ...addOns, rollout, ...contents].map(identity);
}
