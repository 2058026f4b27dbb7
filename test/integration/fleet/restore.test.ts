import {
  addOnDeploymentConfigs,
  addOnRollouts,
  addOnTemplates,
  clusterManagementAddOns,
  controllerRevisions,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
  namespaces,
  placementDecisions,
  placements,
} from '@outrigger/api';
import { type JsonObject, type Kind, type KubeObject, isApiError, keyOf } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { describe, expect, it } from 'vitest';
import { onEmbedded } from './embedded-world.js';
import { keepsDifferentSettings } from './seed-002.js';
import { lifecycle, upgradeEverybody } from './seed-001.js';
import type { StoryWorld } from './world.js';

/** The kinds in the order in which a backup tool restores them. */
const KINDS = [
  namespaces,
  managedClusters,
  placements,
  placementDecisions,
  addOnDeploymentConfigs,
  addOnTemplates,
  controllerRevisions,
  clusterManagementAddOns,
  addOnRollouts,
  managedClusterAddOns,
  manifestWorks,
] as readonly Kind[];

type Backup = readonly (readonly [Kind, KubeObject & { readonly status?: unknown }])[];

async function backUp(hub: Client): Promise<Backup> {
  const lists = await Promise.all(KINDS.map(async (kind) => (await hub.list(kind, {})).items.map((object) => [kind, object] as const)));
  return lists.flat();
}

/** Restores names, labels, annotations and finalizers. Owner references, uids and times are lost. */
async function restore(hub: Client, backup: Backup): Promise<void> {
  for (const [kind, object] of backup) {
    const { name, namespace, labels, annotations, finalizers } = object.metadata;
    const metadata = JSON.parse(JSON.stringify({ name, namespace, labels, annotations, finalizers })) as KubeObject['metadata'];
    await hub.create(kind, { ...object, metadata }, { fieldManager: 'velero' }).catch((error: unknown) => {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    });
    if (object.status === undefined || kind === namespaces) continue;
    const patch = { status: object.status } as JsonObject;
    await hub.patch(kind, keyOf(object), { type: 'merge', patch }, { subresource: 'status', fieldManager: 'velero' });
  }
}

/** Returns the state that must not change: which add-ons exist, their specs and versions, and the running content. */
async function standing(hub: Client): Promise<readonly unknown[]> {
  const addOns = (await hub.list(managedClusterAddOns, {})).items.map(({ metadata, spec, status = {} }) => {
    const { configReferences, currentVersion, installVersion } = status;
    return {
      cluster: metadata.namespace,
      isGoing: metadata.deletionTimestamp !== undefined,
      spec,
      configReferences,
      currentVersion,
      installVersion,
    };
  });
  const works = (await hub.list(manifestWorks, {})).items.map(({ metadata, spec }) => [metadata.namespace, metadata.name, spec]);
  return [addOns, works];
}

describe('a hub restored from a backup, on the embedded server', () => {
  it.each([
    { name: 'versions and a canary', story: lifecycle, next: upgradeEverybody },
    { name: 'placements with settings of their own, and an edit', story: keepsDifferentSettings, next: async () => undefined },
  ])('moves, rewrites and removes nothing, and follows the strategy from then on: $name', async ({ story, next }) => {
    let backup: Backup = [];
    let before: readonly unknown[] = [];
    const capture = async (world: StoryWorld): Promise<void> => {
      await story(world);
      await world.timers.sleep(30_000);
      backup = await backUp(world.hub);
      before = await standing(world.hub);
    };
    await onEmbedded(capture);
    const afterwards = async (world: StoryWorld): Promise<void> => {
      await world.timers.sleep(120_000);
      expect(await standing(world.hub)).toEqual(before);
      const works = (await world.hub.list(manifestWorks, {})).items;
      expect(works.map(({ metadata }) => metadata.generation)).toEqual(works.map(() => 1));
      const { metadata } = await world.hub.get(clusterManagementAddOns, { name: 'helloworld' });
      const owners = (await world.hub.list(managedClusterAddOns, {})).items.map(
        (clusterAddOn) => clusterAddOn.metadata.ownerReferences?.[0]?.uid,
      );
      expect(new Set(owners)).toEqual(new Set([metadata.uid]));
      await next(world);
    };
    await onEmbedded(afterwards, (hub) => restore(hub, backup));
  });
});
