import { clusterManagementAddOns, managedClusterAddOns, managedClusters } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { expect } from 'vitest';
import { type FleetWorld, type StoryWorld, addOnOf, applyYaml, choose, join } from './world.js';
import { eventually } from '../../world/eventually.js';

/** These scenarios are the examples in the install strategy document, with the document's own YAML. */

const head = (name: string): string => `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ClusterManagementAddOn
metadata:
  name: ${name}
spec:
  installStrategy:`;

const byPlacement = `${head('helloworld')}
    type: Placements
    placements:
    - name: aws-placement
      namespace: default
`;

const byTwoPlacements = `${head('helloworld')}
    type: Placements
    placements:
    - name: aws-placement
      namespace: default
      addonTemplate:
        installNamespace: aws-addon-ns
    - name: gcp-placement
      namespace: default
      addonTemplate:
        installNamespace: gcp-addon-ns
`;

const manual = `${head('helloworld')}
    type: Manual
`;

const byLabels = `${head('helloworld')}
    type: ClusterLabelSelector
    labelSelector:
      matchLabels:
        cloud: aws
`;

const byHand = (cluster: string): string => `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ManagedClusterAddOn
metadata:
  name: helloworld
  namespace: ${cluster}
spec:
  installNamespace: mine
`;

const CLUSTERS = ['aws1', 'aws2', 'gcp1'] as const;

async function startFleet(world: FleetWorld): Promise<void> {
  for (const cluster of CLUSTERS) await join(world, cluster, { cloud: cluster.slice(0, 3) });
  await choose(world, 'aws-placement', ['aws1', 'aws2']);
  await choose(world, 'gcp-placement', ['gcp1']);
}

/** Waits until the add-on is installed on exactly the given clusters. */
async function installedOn(world: FleetWorld, clusters: readonly string[]): Promise<void> {
  const list = async (): Promise<readonly string[]> => {
    const { items } = await world.hub.list(managedClusterAddOns, {});
    return items.filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.namespace ?? '');
  };
  await eventually(
    world,
    `installed on ${clusters.join()}`,
    async () => ([...(await list())].sort().join() === [...clusters].sort().join() ? true : undefined),
    list,
  );
}

/** Waits until no removal is due. */
const noRemovalIsDue = (world: StoryWorld): Promise<void> => world.atRest(world.removeAfterMs);

/** A wait that is longer than the second for which the manager collects writes to one object. */
const COLLECTING_MS = 1_200;

/** Waits until the manager has performed every action that is not delayed, such as the creation or update of an add-on. */
const settled = (world: StoryWorld): Promise<void> => world.atRest(COLLECTING_MS);

export async function followsAPlacement(world: StoryWorld): Promise<void> {
  await startFleet(world);
  await applyYaml(world, byPlacement);
  await installedOn(world, ['aws1', 'aws2']);
  const clusterAddOn = await addOnOf(world, 'aws1');
  expect(clusterAddOn?.spec).toEqual({ installNamespace: 'open-cluster-management-agent-addon' });
  const managementAddOn = await world.hub.get(clusterManagementAddOns, { name: 'helloworld' });
  expect(clusterAddOn?.metadata.ownerReferences).toEqual([
    expect.objectContaining({ kind: 'ClusterManagementAddOn', name: 'helloworld', uid: managementAddOn.metadata.uid, controller: true }),
  ]);

  await choose(world, 'aws-placement', ['aws1', 'aws2', 'gcp1']);
  await installedOn(world, CLUSTERS);

  // The installer recreates a deleted add-on while its cluster is selected.
  await world.hub.delete(managedClusterAddOns, { namespace: 'aws2', name: 'helloworld' });
  await eventually(world, 'it is back', async () => {
    const again = await addOnOf(world, 'aws2');
    return again && !again.metadata.deletionTimestamp ? true : undefined;
  });

  // When the PlacementDecisions no longer list a cluster, its add-on is removed after a delay.
  const droppedAt = world.clock.now();
  await choose(world, 'aws-placement', ['aws1', 'gcp1']);
  await installedOn(world, ['aws1', 'gcp1']);
  expect(world.clock.now() - droppedAt).toBeGreaterThanOrEqual(world.removeAfterMs);
}

export async function followsLabels(world: StoryWorld): Promise<void> {
  await startFleet(world);
  const disabled = { metadata: { annotations: { 'addon.open-cluster-management.io/disable-automatic-installation': 'true' } } };
  await world.hub.patch(managedClusters, { name: 'aws2' }, { type: 'merge', patch: disabled });
  await world.hub.patch(managedClusters, { name: 'gcp1' }, { type: 'merge', patch: { metadata: { finalizers: ['test/keep'] } } });
  await applyYaml(world, byLabels);
  await installedOn(world, ['aws1']);
  // A cluster that is being deleted gets no new add-on, whatever its labels.
  await world.hub.delete(managedClusters, { name: 'gcp1' });
  await world.hub.patch(managedClusters, { name: 'gcp1' }, { type: 'merge', patch: { metadata: { labels: { cloud: 'aws' } } } });
  await settled(world);
  await installedOn(world, ['aws1']);
  const status = await eventually(world, 'the rollout is reported', async () => {
    const { status } = await world.hub.get(clusterManagementAddOns, { name: 'helloworld' });
    return findCondition(status?.conditions, 'Progressing')?.message.startsWith('selected 1,') ? status : undefined;
  });
  expect(findCondition(status.conditions, 'TargetsResolved')).toMatchObject({ status: 'True', reason: 'AllResolved' });
  expect(status.installProgressions ?? []).toEqual([]);
  await world.hub.patch(managedClusters, { name: 'gcp1' }, { type: 'merge', patch: { metadata: { finalizers: null } } });
}

export async function keepsDifferentSettings(world: StoryWorld): Promise<void> {
  await startFleet(world);
  await applyYaml(world, byTwoPlacements);
  await installedOn(world, CLUSTERS);
  expect((await addOnOf(world, 'aws1'))?.spec.installNamespace).toBe('aws-addon-ns');
  expect((await addOnOf(world, 'gcp1'))?.spec.installNamespace).toBe('gcp-addon-ns');
  // The installer does not revert a user's change.
  await world.hub.patch(
    managedClusterAddOns,
    { namespace: 'aws1', name: 'helloworld' },
    { type: 'merge', patch: { spec: { installNamespace: 'elsewhere' } } },
    { fieldManager: 'kubectl-edit' },
  );
  await applyYaml(world, byTwoPlacements.replace('aws-addon-ns', 'new-aws-ns'));
  await settled(world);
  expect((await addOnOf(world, 'aws1'))?.spec.installNamespace).toBe('elsewhere');
  expect((await addOnOf(world, 'aws2'))?.spec.installNamespace).toBe('aws-addon-ns');
}

export async function switchesStrategies(world: StoryWorld): Promise<void> {
  await startFleet(world);
  await applyYaml(world, manual);
  await applyYaml(world, byHand('gcp1'));
  await settled(world);
  await installedOn(world, ['gcp1']);

  await applyYaml(world, byPlacement);
  await installedOn(world, CLUSTERS);
  // The installer neither changes nor removes an add-on that a user created, although no placement selects its cluster.
  await noRemovalIsDue(world);
  const own = await addOnOf(world, 'gcp1');
  expect([own?.spec, own?.metadata.annotations]).toEqual([{ installNamespace: 'mine' }, undefined]);

  // With the strategy Manual, the installer keeps all add-ons and recreates none that is deleted.
  const marks = async (): Promise<readonly unknown[]> =>
    Promise.all(['aws1', 'aws2'].map(async (cluster) => (await addOnOf(world, cluster))?.metadata.annotations));
  const before = await marks();
  await applyYaml(world, manual);
  await noRemovalIsDue(world);
  await installedOn(world, CLUSTERS);
  expect(await marks()).toEqual(before);
  await world.hub.delete(managedClusterAddOns, { namespace: 'aws2', name: 'helloworld' });
  await settled(world);
  await installedOn(world, ['aws1', 'gcp1']);

  await applyYaml(world, byPlacement);
  await installedOn(world, CLUSTERS);
  expect((await addOnOf(world, 'gcp1'))?.metadata.annotations).toBeUndefined();
}

export async function keepsAPersonsEdit(world: StoryWorld): Promise<void> {
  await startFleet(world);
  const withVersion = (version: string): string => `${byPlacement}      addonTemplate:\n        installVersion: ${version}\n`;
  await applyYaml(world, withVersion('v1'));
  await installedOn(world, ['aws1', 'aws2']);
  const versionOf = async (cluster: string): Promise<string | undefined> => (await addOnOf(world, cluster))?.spec.installVersion;
  const edit = (installVersion: string | null): Promise<unknown> =>
    world.hub.patch(
      managedClusterAddOns,
      { namespace: 'aws1', name: 'helloworld' },
      { type: 'merge', patch: { spec: { installVersion } } },
      { fieldManager: 'kubectl-edit' },
    );
  await edit('v7');
  await applyYaml(world, withVersion('v2'));
  await eventually(world, 'the untouched one follows', async () => ((await versionOf('aws2')) === 'v2' ? true : undefined));
  await settled(world);
  expect(await versionOf('aws1')).toBe('v7');
  // After the user removes the override, the field follows the strategy again. When the strategy drops the field, the installer removes the
  // field from the add-ons.
  await edit(null);
  await eventually(world, 'it returns to the strategy', async () => ((await versionOf('aws1')) === 'v2' ? true : undefined));
  await applyYaml(world, withVersion('v3'));
  await eventually(world, 'and follows it', async () => ((await versionOf('aws1')) === 'v3' ? true : undefined));
  await applyYaml(world, byPlacement);
  await eventually(world, 'dropped everywhere', async () =>
    (await versionOf('aws1')) === undefined && (await versionOf('aws2')) === undefined ? true : undefined,
  );
  expect((await addOnOf(world, 'aws1'))?.spec.installNamespace).toBe('open-cluster-management-agent-addon');
}

/**
 * Every add-on is deleted with its cluster, whether the installer or a user created it. The installer does not create the add-on again,
 * although the placement still selects the cluster.
 */
export async function leavesWithItsCluster(world: StoryWorld): Promise<void> {
  await startFleet(world);
  await applyYaml(world, byPlacement);
  await applyYaml(world, byHand('gcp1'));
  await installedOn(world, CLUSTERS);

  for (const name of ['aws1', 'gcp1']) {
    const { metadata } = await world.hub.get(managedClusters, { name });
    const finalizers = [...(metadata.finalizers ?? []), 'test/keep'];
    await world.hub.patch(managedClusters, { name }, { type: 'merge', patch: { metadata: { finalizers } } });
    await world.hub.delete(managedClusters, { name });
  }
  await installedOn(world, ['aws2']);
  // Check while the clusters are being deleted, and again after the deletion.
  await settled(world);
  await installedOn(world, ['aws2']);
  for (const name of ['aws1', 'gcp1']) {
    const left = await eventually(world, `${name} is held by the test alone`, async () => {
      const { metadata } = await world.hub.get(managedClusters, { name });
      return metadata.finalizers?.join() === 'test/keep' ? metadata : undefined;
    });
    expect(left.deletionTimestamp).toBeDefined();
    await world.hub.patch(managedClusters, { name }, { type: 'merge', patch: { metadata: { finalizers: null } } });
  }
  await settled(world);
  await installedOn(world, ['aws2']);
  const status = await eventually(world, 'the others go on', async () => {
    const { status } = await world.hub.get(clusterManagementAddOns, { name: 'helloworld' });
    const progress = findCondition(status?.installProgressions?.[0]?.conditions, 'Progressing');
    return progress?.message.startsWith('selected 1,') ? status : undefined;
  });
  expect(findCondition(status.conditions, 'TargetsResolved')).toMatchObject({ status: 'True', reason: 'AllResolved' });
}
