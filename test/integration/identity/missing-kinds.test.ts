import { KIND_DEFINITIONS, type ManagedCluster, customResourceDefinition, leases, managedClusters } from '@outrigger/api';
import { findCondition, isApiError, type Kind } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { describe, expect, it } from 'vitest';
import { CLUSTER } from './scenario.js';
import { VirtualWorld } from './world.js';

const crds: Kind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

interface Row {
  readonly kind: string;
  readonly server: 'hub' | 'cluster';
  readonly says: string;
}

const ROWS: readonly Row[] = [
  {
    kind: 'AppliedManifestWork',
    server: 'cluster',
    says: 'appliedmanifestworks.work.open-cluster-management.io on the managed cluster cannot be read',
  },
  { kind: 'ManifestWork', server: 'hub', says: 'manifestworks.work.open-cluster-management.io on the hub cannot be read' },
  { kind: 'ManagedClusterAddOn', server: 'hub', says: 'managedclusteraddons.addon.open-cluster-management.io on the hub cannot be read' },
];

describe('an agent of which one server does not serve a kind', () => {
  it.each(ROWS)(
    '$kind on the $server: does the rest, reports the missing kind, and continues when it is served',
    async ({ kind, server, says }) => {
      const world = await VirtualWorld.start(5);
      world.startManager();
      const { story, process } = await world.run(world.join());
      process.crash();
      await world.run(
        (async () => {
          const client = server === 'hub' ? world.hub : process.cluster;
          const definition = customResourceDefinition(KIND_DEFINITIONS.find((it) => it.kind === kind) as (typeof KIND_DEFINITIONS)[number]);
          await removeDefinition(client, definition.metadata.name, story.eventually);
          const before = await world.hub.get(leases, { namespace: CLUSTER, name: 'managed-cluster-lease' });
          await world.startAgent(CLUSTER, {}, CLUSTER);
          const missing = await story.eventually('the agent says what is missing', async () => conditionOf(await ownCluster(world)));
          expect(missing).toMatchObject({ status: 'False', reason: 'KindsMissing' });
          expect(missing.message).toContain(says);
          await story.eventually('the lease is renewed', async () => {
            const after = await world.hub.get(leases, { namespace: CLUSTER, name: 'managed-cluster-lease' });
            return after.spec?.renewTime !== before.spec?.renewTime ? true : undefined;
          });
          await client.create(crds, definition);
          await story.eventually('nothing is missing any more', async () => (conditionOf(await ownCluster(world)) ? undefined : true));
        })(),
      );
    },
  );
});

async function ownCluster(world: VirtualWorld): Promise<ManagedCluster> {
  return world.hub.get(managedClusters, { name: CLUSTER });
}

function conditionOf({ status }: ManagedCluster): ReturnType<typeof findCondition> {
  return findCondition(status?.conditions, 'AgentKindsReadable');
}

async function removeDefinition(client: Client, name: string | undefined, eventually: VirtualWorldEventually): Promise<void> {
  const key = { name: name ?? '' };
  await client.delete(crds, key);
  await eventually(`${key.name} is gone`, async () => {
    try {
      await client.get(crds, key);
      return undefined;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return true;
      throw error;
    }
  });
}

type VirtualWorldEventually = Awaited<ReturnType<VirtualWorld['story']>>['eventually'];
