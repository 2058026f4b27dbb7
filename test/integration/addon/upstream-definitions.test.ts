import { KIND_DEFINITIONS, addOnTemplates, clusterManagementAddOns, customResourceDefinition, managedClusterAddOns } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { afterEach, describe, expect, it } from 'vitest';
import { addCluster, eventuallyIs, install, templateOf } from './objects.js';
import { startWorld, stopWorlds } from './world.js';

afterEach(stopWorlds);

type Schema = { properties?: Record<string, Schema>; 'x-kubernetes-validations'?: unknown };

/** Our definitions without the fields upstream's do not have. */
function upstreamDefinitions(): KubeObject[] {
  return KIND_DEFINITIONS.map((definition) => {
    const crd = JSON.parse(JSON.stringify(customResourceDefinition(definition))) as KubeObject & {
      spec: { versions: { schema: { openAPIV3Schema: Schema }; additionalPrinterColumns?: unknown }[] };
    };
    for (const { schema } of crd.spec.versions) {
      const { spec, status } = schema.openAPIV3Schema.properties ?? {};
      // Rules about fields that are not there any more.
      for (const part of [schema.openAPIV3Schema, spec]) delete part?.['x-kubernetes-validations'];
      for (const name of ['dependencies', 'installVersion']) delete spec?.properties?.[name];
      for (const name of ['supportedVersions', 'defaultVersion', 'currentVersion', 'lastVersion', 'installVersion'])
        delete status?.properties?.[name];
      if (definition.kind === 'ClusterManagementAddOn') delete status?.properties?.['conditions'];
    }
    return crd;
  });
}

describe('a hub with upstream’s own definitions', () => {
  it('works without the fields they lack, and is not written to again and again', async () => {
    const world = await startWorld({ controlPlane: { crds: upstreamDefinitions() } });
    await addCluster(world, 'c1');
    await world.hub.create(addOnTemplates, templateOf('hello', { version: 'v1' }));
    await world.hub.create(clusterManagementAddOns, {
      apiVersion: 'addon.open-cluster-management.io/v1alpha1',
      kind: 'ClusterManagementAddOn',
      metadata: { name: 'hello' },
      spec: {
        supportedConfigs: [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', defaultConfig: { name: 'hello' } }],
      },
    });
    await install(world, 'c1', 'hello');
    const addOn = await eventuallyIs(world, 'c1', 'hello', 'Available', 'True ProbeAvailable');
    expect(addOn.status?.currentVersion).toBeUndefined();
    await world.quiet();
    world.writes.length = 0;
    // A touch makes the manager look again; what it sees is what it wants.
    const touch = { metadata: { annotations: { touched: 'yes' } } };
    await world.hub.patch(managedClusterAddOns, { namespace: 'c1', name: 'hello' }, { type: 'merge', patch: touch });
    await world.hub.patch(clusterManagementAddOns, { name: 'hello' }, { type: 'merge', patch: touch });
    await world.quiet();
    await world.runtime.timers.sleep(1200);
    expect(world.writes).toEqual([]);
  });
});
