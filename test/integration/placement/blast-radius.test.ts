import {
  type AddOnTemplate,
  type ClusterManagementAddOn,
  addOnTemplates,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusters,
  placementDecisions,
  placements,
} from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { NAMESPACE, changePlacement, chosen, conditioned, declareFleet, declarePlacement, managedCluster } from './scenario.js';
import { type VirtualHubWorld, onVirtualHub } from './world.js';

const ADDON_API = 'addon.open-cluster-management.io/v1alpha1';

const template: AddOnTemplate = {
  apiVersion: ADDON_API,
  kind: 'AddOnTemplate',
  metadata: { name: 'hello' },
  spec: {
    addonName: 'hello',
    agentSpec: { workload: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hello', namespace: 'default' } }] } },
  },
};
const managementAddOn: ClusterManagementAddOn = {
  apiVersion: ADDON_API,
  kind: 'ClusterManagementAddOn',
  metadata: { name: 'hello' },
  spec: {
    supportedConfigs: [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', defaultConfig: { name: 'hello' } }],
    installStrategy: { type: 'Placements', placements: [{ name: 'p', namespace: NAMESPACE }] },
  },
};

/** Returns `cluster uid` of every add-on. An equal list means that none was removed, not even temporarily. */
async function installed({ hub }: VirtualHubWorld): Promise<readonly string[]> {
  const { items } = await hub.list(managedClusterAddOns);
  return items.map(({ metadata }) => `${metadata.namespace ?? ''} ${metadata.uid ?? ''}`).sort();
}

/** Installs an add-on on the clusters that a Placement selects, with the placement and fleet controllers running. */
async function withAddOn(story: (world: VirtualHubWorld, before: readonly string[]) => Promise<void>): Promise<void> {
  await onVirtualHub({}, async (world) => {
    await declareFleet(world, 0);
    for (const name of ['c1', 'c2', 'c3']) {
      const cluster = managedCluster(name);
      await world.hub.create(managedClusters, { ...cluster, spec: { hubAcceptsClient: true } });
    }
    await declarePlacement(world);
    await chosen(world, 3);
    await world.hub.create(addOnTemplates, template);
    await world.hub.create(clusterManagementAddOns, managementAddOn);
    await world.eventually('three add-ons', async () => ((await installed(world)).length === 3 ? true : undefined));
    await story(world, await installed(world));
  });
}

describe('AT-36 changes of a Placement that uninstall nothing', () => {
  it('AT-36 a typo that cannot be read', async () => {
    await withAddOn(async (world, before) => {
      await changePlacement(world, { predicates: [{ requiredClusterSelector: { celSelector: { celExpressions: ['managedCluster.'] } } }] });
      await conditioned(world, 'PlacementMisconfigured', 'Misconfigured');
      await world.pass(60_000);
      expect(await installed(world)).toEqual(before);
    });
  });

  it('AT-36 it is deleted and created again', async () => {
    await withAddOn(async (world, before) => {
      await world.hub.delete(placements, { namespace: NAMESPACE, name: 'p' });
      await world.pass(60_000);
      expect(await installed(world)).toEqual(before);
      await declarePlacement(world);
      await chosen(world, 3);
      await world.pass(60_000);
      expect(await installed(world)).toEqual(before);
    });
  });

  it('AT-36 its decisions are deleted', async () => {
    await withAddOn(async (world, before) => {
      await world.hub.delete(placementDecisions, { namespace: NAMESPACE, name: 'p-decision-1' });
      await chosen(world, 3);
      await world.pass(60_000);
      expect(await installed(world)).toEqual(before);
    });
  });

  it('AT-36 its decisions are rewritten page by page', async () => {
    await withAddOn(async (world, before) => {
      for (let index = 0; index < 5; index++) await world.hub.create(managedClusters, managedCluster(`a${index}`));
      await changePlacement(world, { decisionStrategy: { groupStrategy: { clustersPerDecisionGroup: 2 } } });
      await chosen(world, 8);
      await world.pass(60_000);
      expect(await installed(world)).toEqual(expect.arrayContaining([...before]));
    });
  });
});
