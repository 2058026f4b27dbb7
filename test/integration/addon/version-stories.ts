import { type ClusterManagementAddOn, addOnTemplates, clusterManagementAddOns, managedClusterAddOns, manifestWorks } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { expect } from 'vitest';
import { addCluster, eventuallyIs, install, templateOf } from './objects.js';
import type { AddOnWorld } from './world.js';

/** These scenarios are about versions that are removed, and versions that never existed. */

function declaration(name: string, spec: ClusterManagementAddOn['spec']): ClusterManagementAddOn {
  return { apiVersion: 'addon.open-cluster-management.io/v1alpha1', kind: 'ClusterManagementAddOn', metadata: { name }, spec };
}

async function versionsOf({ hub }: AddOnWorld, namespace: string, name: string): Promise<string> {
  const { status = {} } = await hub.get(managedClusterAddOns, { namespace, name });
  return [status.lastVersion, status.installVersion, status.currentVersion].map((version) => version ?? 'none').join('/');
}

async function workOf({ hub }: AddOnWorld, namespace: string, name: string): Promise<readonly unknown[]> {
  const { metadata } = await hub.get(manifestWorks, { namespace, name: `addon-${name}-deploy-0` });
  return [metadata.uid, metadata.generation, metadata.labels?.['open-cluster-management.io/addon-version']];
}

/**
 * The template of the default version is deleted. No cluster moves, a new cluster gets the same version, and TargetsResolved reports that
 * the default version is gone.
 */
export async function vanishedDefault(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  const name = 'vanish';
  for (const version of [1, 2]) {
    await hub.create(
      addOnTemplates,
      templateOf(name, { name: `${name}-${version}`, version: `v${version}`, image: `example.com/a:${version}` }),
    );
  }
  await addCluster(world, 'vanish-1', { fleet: name });
  const labelSelector = { matchLabels: { fleet: name } };
  await hub.create(clusterManagementAddOns, declaration(name, { installStrategy: { type: 'ClusterLabelSelector', labelSelector } }));
  await eventuallyIs(world, 'vanish-1', name, 'Progressing', 'False Succeed');
  const before = await workOf(world, 'vanish-1', name);
  expect(before[2]).toBe('v2');

  await hub.delete(addOnTemplates, { name: `${name}-2` });
  await world.eventually('TargetsResolved says so', async () => {
    const { status } = await hub.get(clusterManagementAddOns, { name });
    const resolved = findCondition(status?.conditions, 'TargetsResolved');
    return resolved?.reason === 'DefaultVersionGone' && resolved.message.includes('v2') ? true : undefined;
  });
  await addCluster(world, 'vanish-2', { fleet: name });
  await eventuallyIs(world, 'vanish-2', name, 'Progressing', 'False Succeed');
  expect(await versionsOf(world, 'vanish-2', name)).toBe('/v2/v2');
  await world.quiet();
  expect(await workOf(world, 'vanish-1', name)).toEqual(before);
  expect(await versionsOf(world, 'vanish-1', name)).toBe('/v2/v2');
  await eventuallyIs(world, 'vanish-1', name, 'Progressing', 'False Succeed');
  await eventuallyIs(world, 'vanish-1', name, 'Configured', 'False ConfigurationNotFound');

  // A higher version becomes the default.
  await hub.create(addOnTemplates, templateOf(name, { name: `${name}-3`, version: 'v3', image: 'example.com/a:3' }));
  for (const cluster of ['vanish-1', 'vanish-2']) {
    await world.eventually(`${cluster} moves on`, async () => ((await versionsOf(world, cluster, name)) === 'v2/v3/v3' ? true : undefined));
  }
  await world.eventually('TargetsResolved is True again', async () => {
    const { status } = await hub.get(clusterManagementAddOns, { name });
    return findCondition(status?.conditions, 'TargetsResolved')?.status === 'True' ? true : undefined;
  });
}

/**
 * A version is removed while a cluster runs it, and while the spec of the add-on or the entry requests it. The cluster keeps the version,
 * and Configured reports that the template was not found.
 */
export async function removedWhileWanted(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  const name = 'wanted';
  for (const version of [1, 2]) {
    await hub.create(
      addOnTemplates,
      templateOf(name, { name: `${name}-${version}`, version: `v${version}`, image: `example.com/a:${version}` }),
    );
  }
  await addCluster(world, 'wanted-1', { fleet: name });
  await addCluster(world, 'wanted-2');
  const labelSelector = { matchLabels: { fleet: name } };
  const addonTemplate = { installVersion: 'v1' };
  await hub.create(
    clusterManagementAddOns,
    declaration(name, { installStrategy: { type: 'ClusterLabelSelector', labelSelector, addonTemplate } }),
  );
  await install(world, 'wanted-2', name, { installVersion: 'v1' });
  const clusters = ['wanted-1', 'wanted-2'];
  for (const cluster of clusters) await eventuallyIs(world, cluster, name, 'Progressing', 'False Succeed');
  const before = await Promise.all(clusters.map((cluster) => workOf(world, cluster, name)));
  expect(before.map(([, , version]) => version)).toEqual(['v1', 'v1']);

  await hub.delete(addOnTemplates, { name: `${name}-1` });
  for (const cluster of clusters) {
    const found = await eventuallyIs(world, cluster, name, 'Configured', 'False ConfigurationNotFound');
    expect(findCondition(found.status?.conditions, 'Configured')?.message).toContain('addontemplates/wanted-1');
  }
  await world.quiet();
  for (const cluster of clusters) {
    await eventuallyIs(world, cluster, name, 'Progressing', 'False Succeed');
    expect(await versionsOf(world, cluster, name)).toBe('/v1/v1');
  }
  expect(await Promise.all(clusters.map((cluster) => workOf(world, cluster, name)))).toEqual(before);
}

/**
 * A user requests a version of an add-on that has no versions, and then removes the request. After that, the status no longer shows the
 * request.
 */
export async function clearedInvalidVersion(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  const name = 'plain';
  await hub.create(addOnTemplates, templateOf(name));
  const supportedConfigs = [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', defaultConfig: { name } }];
  await hub.create(clusterManagementAddOns, declaration(name, { supportedConfigs }));
  await addCluster(world, 'plain-1');
  await install(world, 'plain-1', name);
  await eventuallyIs(world, 'plain-1', name, 'Progressing', 'False Succeed');
  expect(await versionsOf(world, 'plain-1', name)).toBe('none/none/none');
  const key = { namespace: 'plain-1', name };
  await hub.patch(managedClusterAddOns, key, { type: 'merge', patch: { spec: { installVersion: 'v9' } } });
  await eventuallyIs(world, 'plain-1', name, 'Progressing', 'False Failed');
  expect(await versionsOf(world, 'plain-1', name)).toBe('/v9/unknown');
  await hub.patch(managedClusterAddOns, key, { type: 'merge', patch: { spec: { installVersion: null } } });
  await eventuallyIs(world, 'plain-1', name, 'Progressing', 'False Succeed');
  expect(await versionsOf(world, 'plain-1', name)).toBe('none/none/none');
}
