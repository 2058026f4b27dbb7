import {
  type ClusterManagementAddOn,
  REVISION_ANNOTATION,
  addOnDeploymentConfigs,
  addOnTemplates,
  clusterManagementAddOns,
  events,
  managedClusterAddOns,
  managedClusterSetBindings,
  namespaces,
  placements,
} from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { expect } from 'vitest';
import { addCluster, addOnOn, conditionsOf, eventuallyIs, install, templateOf } from './objects.js';
import type { AddOnWorld } from './world.js';

/** This scenario tests how many writes the manager sends. */

const GROUP = 'addon.open-cluster-management.io';
const CLUSTER = 'budget1';
const registration = [{ type: 'KubeClient', kubeClient: {} }] as const;

function declaration(name: string, spec: ClusterManagementAddOn['spec'] = {}): ClusterManagementAddOn {
  const template = { group: GROUP, resource: 'addontemplates', defaultConfig: { name } };
  return {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'ClusterManagementAddOn',
    metadata: { name },
    spec: { ...spec, supportedConfigs: [template, ...(spec.supportedConfigs ?? [])] },
  };
}

function deploymentConfig(name: string, value: string): KubeObject & { spec: object } {
  return {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'AddOnDeploymentConfig',
    metadata: { name, namespace: 'default' },
    spec: { customizedVariables: [{ name: 'LEVEL', value }] },
  };
}

/** Returns the writes to the add-on `spender` and its works since the last call. */
function writesOf({ writes }: AddOnWorld): string[] {
  return writes.splice(0).filter((write) => /^\w+ (managedclusteraddons|manifestworks)(\/status)? budget1\/(addon-)?spender/.test(write));
}

const isStatus = (write: string): boolean => write.startsWith('PATCH managedclusteraddons/status ');

async function declare(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  await addCluster(world, CLUSTER, { budget: 'test' });
  for (const name of ['shared', 'own']) await hub.create(addOnDeploymentConfigs, deploymentConfig(name, 'one'));
  await hub.create(addOnTemplates, templateOf('base'));
  await hub.create(clusterManagementAddOns, declaration('base'));
  await install(world, CLUSTER, 'base');
  await eventuallyIs(world, CLUSTER, 'base', 'Available', 'True ProbeAvailable');
  await hub.create(addOnTemplates, templateOf('spender', { version: 'v1', registration }));
  await world.quiet();
  world.writes.length = 0;
  const supportedConfigs = [{ group: GROUP, resource: 'addondeploymentconfigs', defaultConfig: { namespace: 'default', name: 'shared' } }];
  const installStrategy = { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { budget: 'test' } } } as const;
  await hub.create(
    clusterManagementAddOns,
    declaration('spender', { dependencies: [{ name: 'base' }], supportedConfigs, installStrategy }),
  );
}

async function hasArrived(world: AddOnWorld, generations: Readonly<Record<string, number>>): Promise<void> {
  await world.eventually('the add-on has arrived', async () => {
    const clusterAddOn = await world.hub.get(managedClusterAddOns, { namespace: CLUSTER, name: 'spender' });
    const references = clusterAddOn.status?.configReferences ?? [];
    expect(Object.fromEntries(references.map(({ resource, lastObservedGeneration }) => [resource, lastObservedGeneration]))).toEqual(
      generations,
    );
    for (const { desiredConfig, lastAppliedConfig } of references) expect(lastAppliedConfig).toEqual(desiredConfig);
    expect(conditionsOf(clusterAddOn)).toMatchObject({ Available: 'True ProbeAvailable', Progressing: 'False Succeed' });
    expect(conditionsOf(clusterAddOn)).not.toHaveProperty('Degraded');
    return true;
  });
  await world.quiet();
}

/** Installs and edits an add-on with one config, one satisfied dependency, one registration and one work. */
export async function installAndEdit(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  await declare(world);
  await hasArrived(world, { addontemplates: 1, addondeploymentconfigs: 1 });
  const kept = world.writes.filter((write) => write.startsWith('POST controllerrevisions '));
  expect(kept, 'one for the template, one for the configuration').toHaveLength(2);
  const installed = writesOf(world);
  expect(installed.filter((write) => !isStatus(write)).map((write) => write.replace(/^(POST|PATCH) /, ''))).toEqual([
    `managedclusteraddons ${CLUSTER}/spender`,
    `manifestworks ${CLUSTER}/addon-spender-deploy-0`,
  ]);
  expect(installed.length, installed.join('\n')).toBeLessThanOrEqual(5);
  const told = (await hub.list(events, { namespace: CLUSTER })).items.filter(({ regarding }) => regarding?.name === 'spender');
  expect(told.length).toBeLessThanOrEqual(2);

  const edit = (name: string): Promise<unknown> =>
    hub.patch(
      addOnDeploymentConfigs,
      { namespace: 'default', name },
      { type: 'merge', patch: { spec: { customizedVariables: [{ name: 'LEVEL', value: 'two' }] } } },
    );
  await edit('shared');
  await hasArrived(world, { addontemplates: 1, addondeploymentconfigs: 2 });
  const rolledOut = writesOf(world);
  expect(rolledOut.length, rolledOut.join('\n')).toBeLessThanOrEqual(4);
  expect(rolledOut.filter((write) => !isStatus(write))).toEqual([`PATCH manifestworks ${CLUSTER}/addon-spender-deploy-0`]);

  const configs = [{ group: GROUP, resource: 'addondeploymentconfigs', namespace: 'default', name: 'own' }];
  await hub.patch(managedClusterAddOns, { namespace: CLUSTER, name: 'spender' }, { type: 'merge', patch: { spec: { configs } } });
  await hasArrived(world, { addontemplates: 1, addondeploymentconfigs: 1 });
  world.writes.length = 0;
  await edit('own');
  await hasArrived(world, { addontemplates: 1, addondeploymentconfigs: 2 });
  const own = writesOf(world);
  expect(own.length, own.join('\n')).toBeLessThanOrEqual(3);
  expect(own.filter((write) => !isStatus(write))).toEqual([`PATCH manifestworks ${CLUSTER}/addon-spender-deploy-0`]);
}

const STRATEGIES = {
  All: { type: 'All' },
  Progressive: { type: 'Progressive', progressive: { maxConcurrency: 1 } },
  ProgressivePerGroup: { type: 'ProgressivePerGroup', progressivePerGroup: {} },
} as const;

/**
 * Installs an add-on on one cluster of a Placement, for each rollout strategy. The hub admits the cluster at once, so the request that
 * creates the add-on also sets its revision, and the strategy costs no further write.
 */
export async function installByStrategy(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  const namespace = 'budget';
  await hub.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await hub.create(managedClusterSetBindings, {
    apiVersion: 'cluster.open-cluster-management.io/v1beta2',
    kind: 'ManagedClusterSetBinding',
    metadata: { namespace, name: 'global' },
    spec: { clusterSet: 'global' },
  });
  for (const [type, rolloutStrategy] of Object.entries(STRATEGIES)) {
    const name = type.toLowerCase();
    const cluster = `budget-${name}`;
    await addCluster(world, cluster, { 'budget-strategy': name });
    await hub.create(placements, {
      apiVersion: 'cluster.open-cluster-management.io/v1beta1',
      kind: 'Placement',
      metadata: { namespace, name },
      spec: {
        // No agent renews the leases of the clusters, so the Placement tolerates unreachable clusters.
        tolerations: [{ key: 'cluster.open-cluster-management.io/unreachable', operator: 'Exists' }],
        predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { 'budget-strategy': name } } } }],
      },
    });
    await hub.create(addOnTemplates, templateOf(name, { version: 'v1', registration }));
    await world.eventually(`the Placement selects ${cluster}`, async () => {
      const { status } = await hub.get(placements, { namespace, name });
      return status?.numberOfSelectedClusters === 1 ? true : undefined;
    });
    await world.quiet();
    world.writes.length = 0;
    const installStrategy = { type: 'Placements', placements: [{ namespace, name, rolloutStrategy }] } as const;
    await hub.create(clusterManagementAddOns, declaration(name, { installStrategy }));
    await eventuallyIs(world, cluster, name, 'Available', 'True ProbeAvailable');
    await eventuallyIs(world, cluster, name, 'Progressing', 'False Succeed');
    await world.quiet();
    const isOwn = new RegExp(`^\\w+ (managedclusteraddons|manifestworks)(/status)? ${cluster}/`);
    const writes = world.writes.filter((write) => isOwn.test(write));
    expect(writes.length, `${type}:\n${writes.join('\n')}`).toBeLessThanOrEqual(5);
    expect(
      writes.filter((write) => write.startsWith('PATCH managedclusteraddons ')),
      type,
    ).toEqual([]);
    const { metadata } = await hub.get(managedClusterAddOns, { namespace: cluster, name });
    expect(metadata.annotations?.[REVISION_ANNOTATION], type).toBe(type === 'All' ? undefined : '1');
  }
}

/** Installs the add-ons of a fleet, each with a registration and most with a dependency, waits until they are settled, and restarts the manager. */
export async function settledFleet(world: AddOnWorld, fleet: { readonly clusters: number; readonly addOns: number }): Promise<void> {
  const { hub } = world;
  const clusters = Array.from({ length: fleet.clusters }, (_, i) => `fleet-${i}`);
  const names = Array.from({ length: fleet.addOns }, (_, i) => `many-${i}`);
  await Promise.all(clusters.map((name) => addCluster(world, name)));
  for (const [i, name] of names.entries()) {
    await hub.create(addOnTemplates, templateOf(name, { version: 'v1', registration }));
    await hub.create(clusterManagementAddOns, declaration(name, i === 0 ? {} : { dependencies: [{ name: 'many-0' }] }));
  }
  for (const name of names) await Promise.all(clusters.map((cluster) => hub.create(managedClusterAddOns, addOnOn(cluster, name))));
  await world.eventually('all add-ons have settled', async () => {
    await world.quiet();
    const { items } = await hub.list(managedClusterAddOns, { limit: 5000 });
    const settled = items.filter((clusterAddOn) => {
      const { Available, Progressing } = conditionsOf(clusterAddOn);
      return clusterAddOn.metadata.name?.startsWith('many-') && Available === 'True ProbeAvailable' && Progressing === 'False Succeed';
    });
    return settled.length === fleet.clusters * fleet.addOns ? true : undefined;
  });
  await world.quiet();
  world.writes.length = 0;
  await world.idle();
  expect(world.writes, 'written while nothing happened').toEqual([]);

  world.passes.length = 0;
  await world.restartManager();
  await world.eventually('the new manager has looked at every add-on', async () => {
    const seen = new Set(world.passes.filter((pass) => /^addon fleet-\d+\/many-/.test(pass)));
    return seen.size === fleet.clusters * fleet.addOns ? true : undefined;
  });
  await world.quiet();
  expect(world.writes, 'written by a manager that started over a settled fleet').toEqual([]);
}
