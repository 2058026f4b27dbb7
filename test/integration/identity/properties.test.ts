import { managedClusters } from '@outrigger/api';
import type { Kind } from '@outrigger/core';
import { expect, it } from 'vitest';
import { crds } from '../work/world.js';
import { CLUSTER, tellsAboutItself } from './scenario.js';
import { VirtualWorld } from './world.js';

const properties: Kind = {
  group: 'about.k8s.io',
  version: 'v1alpha1',
  kind: 'ClusterProperty',
  plural: 'clusterproperties',
  namespaced: false,
};

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'clusterproperties.about.k8s.io', annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' } },
  spec: {
    group: 'about.k8s.io',
    scope: 'Cluster',
    names: { plural: 'clusterproperties', singular: 'clusterproperty', kind: 'ClusterProperty', listKind: 'ClusterPropertyList' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { value: { type: 'string' } } } } },
        },
      },
    ],
  },
};

it('an agent with the setting reports ClusterProperties as claims, and they replace claims of the same name', async () => {
  const world = await VirtualWorld.start(82);
  world.startManager();
  const cluster = await world.cluster();
  await world.run(cluster.create(crds, definition));
  const { story } = await world.run(world.join(CLUSTER, { reportsProperties: true }));
  const property = (name: string, value: string) => ({
    apiVersion: 'about.k8s.io/v1alpha1',
    kind: 'ClusterProperty',
    metadata: { name },
    spec: { value },
  });
  await world.run(
    (async () => {
      await cluster.create(properties, property('id.k8s.io', 'by property'));
      await cluster.create(properties, property('clusterset.k8s.io', 'tools'));
      await tellsAboutItself(story, 'zone', 'a');
      const told = await story.eventually('the properties', async () => {
        const { status } = await world.hub.get(managedClusters, { name: CLUSTER });
        return status?.clusterClaims?.length === 3 ? status.clusterClaims : undefined;
      });
      expect(told.map(({ name, value }) => `${name}=${value}`)).toEqual(['id.k8s.io=by property', 'clusterset.k8s.io=tools', 'zone=a']);
    })(),
  );
});
