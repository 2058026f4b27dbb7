import { addOnRollouts, clusterManagementAddOns, manifestWorks, placementDecisions, placements } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { expect } from 'vitest';
import { type FleetWorld, addOnOf, applyYaml, choose, join, playAgents } from './world.js';
import { eventually } from '../../world/eventually.js';

/** These scenarios test the rules that keep one edit or one missing object from affecting more clusters than it should. */

const VERSION_LABEL = 'open-cluster-management.io/addon-version';

export const template = (version: string): string => `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: AddOnTemplate
metadata:
  name: helloworld-${version}
  labels: { ${VERSION_LABEL}: ${version} }
spec:
  addonName: helloworld
  agentSpec:
    workload:
      manifests:
      - { apiVersion: v1, kind: ConfigMap, metadata: { name: hello, namespace: default }, data: { version: ${version} } }
`;

export const declaration = (...entries: readonly string[]): string => `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ClusterManagementAddOn
metadata: { name: helloworld }
spec:
  installStrategy:
    type: Placements
    placements:
${entries.map((entry) => `    - ${entry}`).join('\n')}
`;

export const entry = (name: string, version: string, strategy = '{ type: All }'): string =>
  `{ name: ${name}, namespace: default, addonTemplate: { installVersion: ${version} }, rolloutStrategy: ${strategy} }`;

export async function startFleet(
  world: FleetWorld,
  clusters: readonly string[],
  labels: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
): Promise<void> {
  for (const cluster of clusters) await join(world, cluster, labels[cluster]);
  for (const version of ['v1', 'v2']) await applyYaml(world, template(version));
}

/** Waits until the add-on has reached a version on each of the given clusters. The agents report meanwhile. */
export async function arrivedAt(world: FleetWorld, version: string, clusters: readonly string[]): Promise<void> {
  for (const cluster of clusters) {
    await eventually(
      world,
      `${cluster} at ${version}`,
      async () => {
        await playAgents(world);
        return (await addOnOf(world, cluster))?.status?.currentVersion === version ? true : undefined;
      },
      async () => (await addOnOf(world, cluster))?.status,
    );
  }
}

/** Returns the clusters whose works have this version. */
async function clustersWith(world: FleetWorld, version: string): Promise<readonly string[]> {
  const { items } = await world.hub.list(manifestWorks, { labelSelector: `${VERSION_LABEL}=${version}` });
  return items.map(({ metadata }) => metadata.namespace ?? '').sort();
}

async function targetsResolved(world: FleetWorld, reason: string): Promise<string> {
  return eventually(world, `TargetsResolved ${reason}`, async () => {
    const { status } = await world.hub.get(clusterManagementAddOns, { name: 'helloworld' });
    const found = findCondition(status?.conditions, 'TargetsResolved');
    return found?.reason === reason ? found.message : undefined;
  });
}

/** A Placement that no longer selects any cluster removes no add-on from a small fleet until a user confirms the number. */
export async function asksBeforeRemovingAll(world: FleetWorld): Promise<void> {
  const clusters = ['small1', 'small2'];
  await startFleet(world, clusters);
  await choose(world, 'small', clusters);
  await applyYaml(world, declaration(entry('small', 'v1')));
  await arrivedAt(world, 'v1', clusters);
  await choose(world, 'small', []);
  expect(await targetsResolved(world, 'RemovalNeedsConfirmation')).toContain('would remove 2 of 2 add-ons');
  for (const cluster of clusters) expect((await addOnOf(world, cluster))?.metadata.deletionTimestamp).toBeUndefined();
  await world.hub.patch(addOnRollouts, { name: 'helloworld' }, { type: 'merge', patch: { spec: { confirmRemoval: 2 } } });
  for (const cluster of clusters) {
    await eventually(world, `${cluster} is removed`, async () => ((await addOnOf(world, cluster)) ? undefined : true));
  }
}

/**
 * While a Placement is missing, only the clusters that it last selected keep their content. The clusters of an earlier entry still follow
 * the changes of that entry.
 */
export async function missingPlacementHoldsItsOwn(world: FleetWorld): Promise<void> {
  await startFleet(world, ['first1', 'second1']);
  await choose(world, 'first', ['first1']);
  await choose(world, 'second', ['second1']);
  await applyYaml(world, declaration(entry('first', 'v1'), entry('second', 'v1')));
  await arrivedAt(world, 'v1', ['first1', 'second1']);

  await world.hub.delete(placements, { namespace: 'default', name: 'second' });
  await world.hub.delete(placementDecisions, { namespace: 'default', name: 'second-decision-1' });
  await targetsResolved(world, 'PlacementNotFound');
  await applyYaml(world, declaration(entry('first', 'v2'), entry('second', 'v2')));
  await arrivedAt(world, 'v2', ['first1']);
  expect(await clustersWith(world, 'v1')).toEqual(['second1']);

  await choose(world, 'second', ['second1']);
  await arrivedAt(world, 'v2', ['second1']);
}

/**
 * A cluster keeps its slot for minSuccessTime after it is done. This also applies to a fresh install, although Available was not True
 * before.
 */
export async function soakIsWaitedFor(world: FleetWorld): Promise<void> {
  const clusters = ['soak1', 'soak2'];
  await startFleet(world, clusters);
  await choose(world, 'soak', clusters);
  await applyYaml(world, declaration(entry('soak', 'v1', '{ type: Progressive, progressive: { maxConcurrency: 1, minSuccessTime: 5s } }')));
  const [first = ''] = await eventually(world, 'one cluster moves', async () => {
    const moving = await clustersWith(world, 'v1');
    return moving.length > 0 ? moving : undefined;
  });
  await arrivedAt(world, 'v1', [first]);
  const arrived = world.clock.now();
  expect(await clustersWith(world, 'v1')).toEqual([first]);
  await eventually(world, 'the other cluster moves', async () => {
    await playAgents(world);
    return (await clustersWith(world, 'v1')).length === 2 ? true : undefined;
  });
  // The measured time may be shorter than minSuccessTime, because the test observes a moment too late that the cluster is done.
  expect(world.clock.now() - arrived).toBeGreaterThan(3_000);
}

/**
 * Immediately after a rollout to all clusters, one edit sets new content and a narrower strategy. Two clusters move, and the others wait.
 */
export async function narrowerStrategyWithNewContent(world: FleetWorld): Promise<void> {
  const clusters = ['wide1', 'wide2', 'wide3', 'wide4'];
  await startFleet(world, clusters);
  await choose(world, 'wide', clusters);
  await applyYaml(world, declaration(entry('wide', 'v1')));
  await arrivedAt(world, 'v1', clusters);
  await applyYaml(world, declaration(entry('wide', 'v2', '{ type: Progressive, progressive: { maxConcurrency: 2 } }')));
  await eventually(world, 'two clusters move', async () => ((await clustersWith(world, 'v2')).length === 2 ? true : undefined));
  // The record names exactly the clusters that move, so no other cluster can move before one of these is done.
  const { status } = await world.hub.get(addOnRollouts, { name: 'helloworld' });
  const named = (status?.entries ?? []).flatMap(({ inFlight = [] }) => inFlight.map(({ cluster }) => cluster)).sort();
  expect(named).toEqual(await clustersWith(world, 'v2'));
  expect(named).toHaveLength(2);
  await arrivedAt(world, 'v2', clusters);
}
