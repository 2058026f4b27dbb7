import { addOnRollouts, managedClusterAddOns, REVISION_ANNOTATION } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { ADD_ON, type World } from '../../../testing/fleet/world.js';
import { entryOf, fleetOf, isDone, placementEntry, progressive, settle } from './fixtures.js';

const CLUSTERS = ['c1', 'c2', 'c3'];
const V1 = { addonTemplate: { installVersion: 'v1' } };
const V3 = { addonTemplate: { installVersion: 'v3' } };
const ONE_BY_ONE = progressive({ maxConcurrency: 1, minSuccessTime: '1h' });

/** A fleet whose strategy is Manual now. Before that, its entry named v1 while v2 was the default version. */
function manualFleet(): World {
  const world = fleetOf(CLUSTERS, V1);
  world.template('v2', 'hello:2');
  settle(world, CLUSTERS);
  world.declare({ installStrategy: { type: 'Manual' } });
  settle(world, CLUSTERS);
  expect(versions(world)).toBe('v1,v1,v1');
  return world;
}

function installByHand(world: World): void {
  world.cluster('c9');
  const metadata = { namespace: 'c9', name: ADD_ON };
  world.hub.put(managedClusterAddOns, {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ManagedClusterAddOn',
    metadata,
    spec: {},
  } as KubeObject);
  settle(world, [...CLUSTERS, 'c9']);
}

function versions(world: World): string {
  return CLUSTERS.map((cluster) => world.addOn(cluster)?.status?.installVersion ?? '-').join();
}

/** Runs passes of the fleet and of the add-ons, in this order or the reverse, and returns all combinations of versions that occurred. */
function versionsDuring(world: World, isAddOnFirst: boolean): readonly string[] {
  const seen = new Set([versions(world)]);
  const addOnPasses = (): void => {
    for (const cluster of CLUSTERS) {
      world.addOnPass(cluster);
      seen.add(versions(world));
      if (!isDone(world, cluster)) world.report(cluster, 'arrived');
    }
  };
  for (let round = 0; round < 12; round++) {
    if (isAddOnFirst) addOnPasses();
    world.pass(0);
    if (!isAddOnFirst) addOnPasses();
    world.tick(500);
  }
  return [...seen];
}

describe('a strategy that replaces Manual', () => {
  const cases: readonly { readonly name: string; readonly installStrategy: object; readonly want: readonly string[] }[] = [
    { name: 'with the version that runs, all at once', installStrategy: placements(V1), want: ['v1,v1,v1'] },
    { name: 'with the version that runs, one by one', installStrategy: placements({ ...V1, ...ONE_BY_ONE }), want: ['v1,v1,v1'] },
    {
      name: 'with another version, one by one',
      installStrategy: placements({ ...V3, ...ONE_BY_ONE }),
      want: ['v1,v1,v1', 'v3,v1,v1'],
    },
    {
      name: 'of a label selector, with another version, one by one',
      installStrategy: { type: 'ClusterLabelSelector', labelSelector: {}, ...V3, ...ONE_BY_ONE },
      want: ['v1,v1,v1', 'v3,v1,v1'],
    },
    {
      name: 'that selects no cluster, until the add-ons are removed',
      installStrategy: { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { no: 'cluster' } }, ...V3 },
      want: ['v1,v1,v1'],
    },
    {
      name: 'of a Placement that does not exist',
      installStrategy: { type: 'Placements', placements: [placementEntry('missing', V3)] },
      want: ['v1,v1,v1'],
    },
  ];
  // An add-on of a user on a cluster that no entry selects keeps the default entry in the record.
  const orders = ['fleet', 'addon'].flatMap((first) => [false, true].map((hasOther) => ({ first, hasOther })));
  it.each(cases.flatMap((one) => orders.map((order) => ({ ...one, ...order }))))(
    'moves only the clusters that it admits: $name ($first pass first, a user has installed it elsewhere: $hasOther)',
    ({ installStrategy, want, first, hasOther }) => {
      const world = manualFleet();
      if (hasOther) installByHand(world);
      world.template('v3', 'hello:3');
      world.template('v2', 'hello:2');
      world.declare({ installStrategy });
      expect(versionsDuring(world, first === 'addon')).toEqual(want);
      // The record must not list add-ons in the default entry longer than necessary, because an add-on in this entry receives no content
      // meanwhile.
      const listed = world.rollout()?.status?.entries?.find(({ name }) => name === 'default')?.members ?? [];
      expect(listed.filter((cluster) => CLUSTERS.includes(cluster))).toEqual([]);
    },
  );

  it.each([{ hasOther: false }, { hasOther: true }])(
    'whose Placement has incomplete decisions changes nothing, and add-ons still follow their own spec (elsewhere: $hasOther)',
    ({ hasOther }) => {
      const world = manualFleet();
      if (hasOther) installByHand(world);
      world.template('v3', 'hello:3');
      world.choose('all', [CLUSTERS], CLUSTERS.length + 1);
      world.declare({ installStrategy: placements({ ...V3, ...ONE_BY_ONE }) });
      expect(versionsDuring(world, true)).toEqual(['v1,v1,v1']);
      world.edit('c2', { installVersion: 'v2' });
      expect(versionsDuring(world, true)).toEqual(['v1,v1,v1', 'v1,v2,v1']);
      world.choose('all', [CLUSTERS]);
      expect(versionsDuring(world, true)).toEqual(['v1,v2,v1', 'v3,v2,v1']);
    },
  );

  it('keeps content that no recorded revision has, also after the record has replaced the default entry', () => {
    const world = fleetOf(CLUSTERS, V1);
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS);
    world.declare({ installStrategy: { type: 'Manual' } });
    settle(world, CLUSTERS);
    // With strategy Manual, an edit of the template reaches the clusters that use the template.
    world.template('v1', 'hello:1b');
    settle(world, CLUSTERS);
    const content = (): readonly unknown[] => CLUSTERS.map((cluster) => world.addOn(cluster)?.status?.configReferences);
    const before = content();
    world.template('v3', 'hello:3');
    world.declare({ installStrategy: placements({ ...V3, ...ONE_BY_ONE }) });
    expect(versionsDuring(world, true)).toEqual(['v1,v1,v1', 'v3,v1,v1']);
    expect(content().slice(1)).toEqual(before.slice(1));
    expect(world.rollout()?.status?.entries?.map(({ name }) => name)).toEqual(['default/all']);
    expect(entryOf(world)).toMatchObject({ selected: 3, done: 0, progressing: 1 });
  });

  it('a second leader with an earlier record assigns no content by fields that the first leader has changed since', () => {
    const world = manualFleet();
    world.template('v3', 'hello:3');
    world.declare({ installStrategy: placements({ ...V3, ...ONE_BY_ONE }) });
    world.pass(0);
    // The caches of the second leader contain the record of the first pass, in which c2 and c3 are members of the default entry.
    world.crash(1);
    expect(versionsDuring(world, false)).toEqual(['v1,v1,v1', 'v3,v1,v1']);
    expect(CLUSTERS.map((cluster) => world.addOn(cluster)?.spec.installVersion)).toEqual(['v3', 'v3', 'v3']);
    const revisions = (): readonly unknown[] =>
      CLUSTERS.map((cluster) => world.addOn(cluster)?.metadata.annotations?.[REVISION_ANNOTATION]);
    const before = revisions();
    for (let round = 0; round < 3; round++) {
      world.pass(1, (plural) => plural !== addOnRollouts.plural);
      world.tick(1_100);
    }
    expect(revisions()).toEqual(before);
  });

  it('leaves the overrides of users in force', () => {
    const world = manualFleet();
    world.edit('c2', { installVersion: 'v2' });
    settle(world, CLUSTERS);
    world.declare({ installStrategy: placements(V1) });
    expect(versionsDuring(world, true)).toEqual(['v1,v2,v1']);
    expect(world.hub.get(managedClusterAddOns, { namespace: 'c2', name: ADD_ON })?.spec.installVersion).toBe('v2');
  });
});

function placements(entry: object): object {
  return { type: 'Placements', placements: [placementEntry('all', entry)] };
}
