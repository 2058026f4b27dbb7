import {
  type AddOnDeploymentConfig,
  type ClusterManagementAddOn,
  addOnDeploymentConfigs,
  addOnTemplates,
  clusterManagementAddOns,
  managedClusterAddOns,
  manifestWorks,
} from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { expect } from 'vitest';
import { addCluster, eventuallyIs, templateOf } from './objects.js';
import type { AddOnWorld } from './world.js';

/**
 * These scenarios are about references to configs that are missing or unsupported, or that belong to another add-on, and about two
 * references of one kind, on fleets of two clusters.
 */

const GROUP = 'addon.open-cluster-management.io';
const ADC = { group: GROUP, resource: 'addondeploymentconfigs', namespace: 'default' };
const TEMPLATES = { group: GROUP, resource: 'addontemplates' };

function config(name: string, agentInstallNamespace: string): AddOnDeploymentConfig {
  return {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'AddOnDeploymentConfig',
    metadata: { name, namespace: 'default' },
    spec: { agentInstallNamespace },
  };
}

type Entry = NonNullable<ClusterManagementAddOn['spec']['installStrategy']>;

/** Declares an add-on on two clusters that no other test uses. The declaration selects the clusters by a label. */
async function declare(
  world: AddOnWorld,
  name: string,
  entry: Omit<Entry, 'type'>,
  spec: ClusterManagementAddOn['spec'] = {},
): Promise<readonly string[]> {
  const clusters = [`${name}-1`, `${name}-2`];
  for (const cluster of clusters) await addCluster(world, cluster, { fleet: name });
  await world.hub.create(clusterManagementAddOns, {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'ClusterManagementAddOn',
    metadata: { name },
    spec: { ...spec, installStrategy: { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { fleet: name } }, ...entry } },
  });
  return clusters;
}

async function messageOf({ hub }: AddOnWorld, cluster: string, name: string, type: string): Promise<string | undefined> {
  const { status } = await hub.get(managedClusterAddOns, { namespace: cluster, name });
  return findCondition(status?.conditions, type)?.message;
}

/**
 * While a config is missing, a fresh install and its rollout fail. The install and the rollout continue without intervention when the
 * config is created.
 */
export async function missingConfiguration(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  await hub.create(addOnTemplates, templateOf('lacking', { version: 'v1' }));
  const progressive = { type: 'Progressive', progressive: { maxConcurrency: 1 } } as const;
  const clusters = await declare(world, 'lacking', { configs: [{ ...ADC, name: 'later' }], rolloutStrategy: progressive });
  const managementAddOn = await world.eventually('the rollout has failed', async () => {
    const found = await hub.get(clusterManagementAddOns, { name: 'lacking' });
    return findCondition(found.status?.conditions, 'Progressing')?.reason === 'Failed' ? found : undefined;
  });
  expect(findCondition(managementAddOn.status?.conditions, 'Progressing')?.message).toContain('done 0, progressing 0, failed 1');
  const failed = (await Promise.all(clusters.map((namespace) => hub.get(managedClusterAddOns, { namespace, name: 'lacking' })))).flatMap(
    ({ status }) => findCondition(status?.conditions, 'Progressing') ?? [],
  );
  expect(failed.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
    'Failed: configuration addondeploymentconfigs/default/later does not exist; create it, or correct the reference in ClusterManagementAddOn',
  ]);

  await hub.create(addOnDeploymentConfigs, config('later', 'found'));
  for (const cluster of clusters) await eventuallyIs(world, cluster, 'lacking', 'Progressing', 'False Succeed');
}

/**
 * With two configs of one kind, the hub uses the first on every cluster, whatever config the cluster had before. The status lists both
 * configs.
 */
export async function twoOfOneKind(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  for (const name of ['two-a', 'two-b']) await hub.create(addOnDeploymentConfigs, config(name, `from-${name}`));
  await hub.create(addOnTemplates, templateOf('twofold', { version: 'v1' }));
  const clusters = await declare(world, 'twofold', { configs: [{ ...ADC, name: 'two-a' }] });
  await expectFirst(world, clusters, ['two-a']);

  // The existing clusters get the configs in each order. A third cluster, which has had neither config before, joins later.
  for (const order of [
    ['two-b', 'two-a'],
    ['two-a', 'two-b'],
    ['two-b', 'two-a'],
  ] as const) {
    const configs = order.map((name) => ({ ...ADC, name }));
    await hub.patch(clusterManagementAddOns, { name: 'twofold' }, { type: 'merge', patch: { spec: { installStrategy: { configs } } } });
    await expectFirst(world, clusters, order);
  }
  await addCluster(world, 'twofold-3', { fleet: 'twofold' });
  await expectFirst(world, [...clusters, 'twofold-3'], ['two-b', 'two-a']);
}

async function expectFirst(world: AddOnWorld, clusters: readonly string[], [first = '', ...others]: readonly string[]): Promise<void> {
  const unused = others.map((name) => `addondeploymentconfigs/default/${name}`).join(', ');
  for (const cluster of clusters) {
    await world.eventually(`${cluster} has ${first} first`, async () => {
      const work = await world.hub.get(manifestWorks, { namespace: cluster, name: 'addon-twofold-deploy-0' });
      expect(JSON.stringify(work.spec.workload?.manifests)).toContain(`"namespace":"from-${first}"`);
      const { status } = await world.hub.get(managedClusterAddOns, { namespace: cluster, name: 'twofold' });
      const listed = status?.configReferences?.filter(({ resource }) => resource === ADC.resource).map(({ name }) => name);
      expect(listed).toEqual([first, ...others]);
      expect(findCondition(status?.conditions, 'Progressing')?.reason).toBe('Succeed');
      const suffix = others.length === 0 ? '' : `; the first of a kind counts, not used: ${unused}`;
      expect(findCondition(status?.conditions, 'Configured')?.message).toBe(`Configurations configured${suffix}`);
      return true;
    });
  }
}

/**
 * The hub accepts references to unsupported kinds and references without a namespace, lists them in the status, and reports the problem in
 * Configured.
 */
export async function questionableReferences(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  await hub.create(addOnTemplates, templateOf('lenient', { version: 'v1' }));
  const thing = { group: 'example.com', resource: 'things', namespace: 'default', name: 'one' };
  const clusters = await declare(world, 'lenient', { configs: [thing] });
  for (const cluster of clusters) {
    const found = await eventuallyIs(world, cluster, 'lenient', 'Configured', 'False ConfigurationUnsupported');
    expect(await messageOf(world, cluster, 'lenient', 'Configured')).toContain('example.com/things');
    const settled = await eventuallyIs(world, cluster, 'lenient', 'Progressing', 'False Succeed');
    expect(found.metadata.uid).toBe(settled.metadata.uid);
    expect(settled.status?.configReferences?.find(({ resource }) => resource === 'things')?.desiredConfig).toEqual({
      name: 'one',
      namespace: 'default',
      specHash: '',
    });
  }

  const [cluster = ''] = clusters;
  const { namespace: _, ...unplaced } = ADC;
  const patch = { spec: { configs: [{ ...unplaced, name: 'nowhere' }] } };
  await hub.patch(managedClusterAddOns, { namespace: cluster, name: 'lenient' }, { type: 'merge', patch });
  await eventuallyIs(world, cluster, 'lenient', 'Progressing', 'False Failed');
  const told = await messageOf(world, cluster, 'lenient', 'Configured');
  expect(told).toContain('example.com/things');
  expect(told).toContain('addondeploymentconfigs/nowhere is not found: its kind is namespaced, and the reference names no namespace');
  await hub.patch(managedClusterAddOns, { namespace: cluster, name: 'lenient' }, { type: 'merge', patch: { spec: { configs: [] } } });
  await eventuallyIs(world, cluster, 'lenient', 'Progressing', 'False Succeed');
}

/** The hub uses a referenced template whatever its addonName is. The template's version becomes a version of the add-on. */
export async function templateByReference(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  await hub.create(addOnTemplates, templateOf('published', { name: 'shared', version: 'v7' }));
  const clusters = await declare(world, 'borrower', {}, { supportedConfigs: [{ ...TEMPLATES, defaultConfig: { name: 'shared' } }] });
  for (const cluster of clusters) {
    const { status } = await eventuallyIs(world, cluster, 'borrower', 'Progressing', 'False Succeed');
    expect(status?.currentVersion).toBe('v7');
    const work = await hub.get(manifestWorks, { namespace: cluster, name: 'addon-borrower-deploy-0' });
    expect(work.metadata.labels).toMatchObject({ 'open-cluster-management.io/addon-name': 'borrower' });
  }
  await world.eventually('its versions are listed', async () => {
    const { status } = await hub.get(clusterManagementAddOns, { name: 'borrower' });
    return status?.supportedVersions?.join() === 'v7' && status.defaultVersion === 'v7' ? true : undefined;
  });

  // One cluster references another add-on's template, which has a version of its own. No other cluster moves.
  await hub.create(addOnTemplates, templateOf('elsewhere', { name: 'shared-9', version: 'v9' }));
  const [cluster = '', other = ''] = clusters;
  const patch = { spec: { configs: [{ ...TEMPLATES, name: 'shared-9' }] } };
  await hub.patch(managedClusterAddOns, { namespace: cluster, name: 'borrower' }, { type: 'merge', patch });
  await world.eventually('it runs what it references', async () => {
    const { status } = await hub.get(managedClusterAddOns, { namespace: cluster, name: 'borrower' });
    return status?.currentVersion === 'v9' ? true : undefined;
  });
  await world.eventually('the version is listed too', async () => {
    const { status } = await hub.get(clusterManagementAddOns, { name: 'borrower' });
    return status?.supportedVersions?.join() === 'v7,v9' && status.defaultVersion === 'v7' ? true : undefined;
  });
  expect((await hub.get(managedClusterAddOns, { namespace: other, name: 'borrower' })).status?.currentVersion).toBe('v7');
}
