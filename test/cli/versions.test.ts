import { clusterManagementAddOns, managedClusterAddOns, managedClusterAddOnsV1beta1 } from '@outrigger/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliWorld, startCliWorld } from './world.js';

const V1BETA1 = 'addon.open-cluster-management.io/v1beta1';

describe('a local hub', () => {
  let world: CliWorld;
  beforeAll(async () => {
    world = await startCliWorld(1);
    await world.fleet.hub.create(clusterManagementAddOns, {
      apiVersion: 'addon.open-cluster-management.io/v1alpha1',
      kind: 'ClusterManagementAddOn',
      metadata: { name: 'hello' },
      spec: { installStrategy: { type: 'Manual' } },
    });
  });
  afterAll(() => world.stop());

  it('serves the add-on API in both versions, each kind in each', async () => {
    const kinds = (await world.fleet.hub.discovery.resources()).filter(({ group }) => group === 'addon.open-cluster-management.io');
    const of = (wanted: string) => kinds.flatMap(({ version, kind }) => (version === wanted ? [kind] : [])).sort();
    expect(of('v1beta1')).toEqual(['AddOnDeploymentConfig', 'AddOnTemplate', 'ClusterManagementAddOn', 'ManagedClusterAddOn']);
    expect(of('v1beta1')).toEqual(of('v1alpha1'));
  });

  it('accepts in one version what it returns in the other', async () => {
    const key = { namespace: 'cluster1', name: 'hello' };
    const annotations = { 'addon.open-cluster-management.io/v1alpha1-install-namespace': 'elsewhere' };
    await world.fleet.hub.create(managedClusterAddOnsV1beta1, {
      apiVersion: V1BETA1,
      kind: 'ManagedClusterAddOn',
      metadata: { ...key, annotations },
      spec: {},
    });
    const shown = await world.fleet.hub.get(managedClusterAddOns, key);
    expect(shown).toMatchObject({ apiVersion: 'addon.open-cluster-management.io/v1alpha1', spec: { installNamespace: 'elsewhere' } });
    expect((await world.fleet.hub.get(managedClusterAddOnsV1beta1, key)).apiVersion).toBe(V1BETA1);
  });

  it.each([
    { field: 'status.registrations[0].customSigner', change: { status: { registrations: [{ type: 'customSigner' }] } } },
    { field: 'status.configReferences[0].desiredConfig', change: { status: { configReferences: [{ group: 'g', resource: 'r' }] } } },
    {
      field: 'metadata.annotations[addon.open-cluster-management.io/v1alpha1-install-namespace]',
      change: { metadata: { annotations: { 'addon.open-cluster-management.io/v1alpha1-install-namespace': 'Bad_Name' } } },
    },
  ])('rejects in v1beta1 what would be invalid in v1alpha1: $field', async ({ field, change }) => {
    const key = { namespace: 'cluster1', name: 'hello' };
    const options = 'status' in change ? { subresource: 'status' } : {};
    const patched = world.fleet.hub.patch(managedClusterAddOnsV1beta1, key, { type: 'merge', patch: change }, options);
    await expect(patched).rejects.toMatchObject({ code: 422, message: expect.stringContaining(field) });
  });
});
