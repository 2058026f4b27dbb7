import {
  addOnRollouts,
  clusterManagementAddOns,
  controllerRevisions,
  managedClusterAddOns,
  managedClusters,
  placementDecisions,
  placements,
} from '@outrigger/api';
import type { Kind, KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { contentOf, entryOf, fleetOf, inFlight, placementEntry, progressive, settle } from './fixtures.js';
import { World } from '../../../testing/fleet/world.js';

const CLUSTERS = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'];
const FOLLOWS_V1 = { ...progressive({ maxConcurrency: 1 }), addonTemplate: { installVersion: 'v1' } };

/** The kinds in a backup, in the order in which a restore creates them. */
const KINDS: readonly Kind[] = [
  clusterManagementAddOns,
  managedClusterAddOns,
  addOnRollouts,
  controllerRevisions,
  managedClusters,
  placements,
  placementDecisions,
];

interface Loss {
  readonly name: string;
  /** Kinds that the backup does not contain. */
  readonly without?: readonly Kind[];
  /** Kinds that the backup contains without their status. */
  readonly withoutStatus?: readonly Kind[];
}

/**
 * Copies the objects of one world into a new world. Their uids, resourceVersions and field owners are new, and their owner references are
 * dangling.
 */
function restore(from: World, { without = [], withoutStatus = [] }: Loss): World {
  const into = new World();
  into.template('v1', 'hello:1');
  for (const kind of KINDS.filter((one) => !without.includes(one))) {
    for (const object of from.hub.list(kind)) bring(into, kind, object, !withoutStatus.includes(kind));
  }
  return into;
}

function bring(into: World, kind: Kind, { status, ...object }: KubeObject & { status?: unknown }, withStatus: boolean): void {
  const { uid: _uid, resourceVersion: _version, managedFields: _fields, ...metadata } = object.metadata;
  into.hub.put(kind, { ...object, metadata, ...(withStatus && status !== undefined ? { status } : {}) }, 'velero');
}

const specsAndContents = (world: World): readonly unknown[] => CLUSTERS.map((name) => [world.addOn(name)?.spec, contentOf(world, name)]);

function wait(world: World, rounds: number): void {
  for (let round = 0; round < rounds; round++) {
    world.pass(0);
    for (const cluster of CLUSTERS) world.addOnPass(cluster);
    world.tick(2_000);
  }
}

describe('a hub restored from a backup into a new cluster', () => {
  const losses: readonly Loss[] = [
    { name: 'with everything' },
    { name: 'without the kept contents', without: [controllerRevisions] },
    { name: 'without the record', without: [addOnRollouts] },
    { name: 'without record and contents', without: [addOnRollouts, controllerRevisions] },
    { name: "without the record's status", withoutStatus: [addOnRollouts] },
    { name: 'without status but that of add-ons and choices', withoutStatus: [addOnRollouts, clusterManagementAddOns, managedClusters] },
    { name: 'without Placements and decisions', without: [placements, placementDecisions] },
    { name: 'without decisions', without: [placementDecisions] },
    { name: 'with decisions that list no cluster yet', withoutStatus: [placementDecisions] },
    { name: 'without clusters', without: [managedClusters] },
  ];

  it.each(losses)('moves and removes nothing: $name', (loss) => {
    const world = fleetOf(CLUSTERS, FOLLOWS_V1);
    settle(world, CLUSTERS);
    const before = specsAndContents(world);
    const restored = restore(world, loss);
    restored.start();
    wait(restored, 40);
    expect(specsAndContents(restored)).toEqual(before);

    // Restore the kinds that were missing. The fleet must then be in the state of the backup.
    for (const kind of [managedClusters, placements, placementDecisions] as readonly Kind[]) {
      for (const object of world.hub.list(kind)) bring(restored, kind, object, true);
    }
    settle(restored, CLUSTERS);
    wait(restored, 10);
    expect(specsAndContents(restored)).toEqual(before);
    expect(entryOf(restored)).toMatchObject({ state: 'Completed', done: CLUSTERS.length });
    expect(restored.pass(0)).toEqual([]);

    // After the restore, the fleet follows the strategy.
    restored.template('v2', 'hello:2');
    const entry = placementEntry('all', { ...progressive({ maxConcurrency: 4 }), addonTemplate: { installVersion: 'v2' } });
    restored.declare({ installStrategy: { type: 'Placements', placements: [entry] } });
    settle(restored, CLUSTERS);
    expect(new Set(CLUSTERS.map((name) => restored.addOn(name)?.status?.currentVersion))).toEqual(new Set(['v2']));
  });

  /** A world in which one cluster has the new content, the others have the old content, and no manager continues the rollout. */
  const halfWay = (): World => {
    const world = fleetOf(CLUSTERS, FOLLOWS_V1);
    settle(world, CLUSTERS);
    world.template('v1', 'hello:2');
    world.pass(0);
    world.tick(2_000);
    world.pass(0);
    world.addOnPass('c1');
    world.report('c1', 'arrived');
    world.ask({ paused: true });
    wait(world, 3);
    expect(inFlight(world)).toBe('');
    return world;
  };

  it.each([{ name: 'with everything' }, { name: 'without the kept contents', without: [controllerRevisions] }])(
    'leaves a rollout where it was paused: $name',
    (loss: Loss) => {
      const world = halfWay();
      const before = specsAndContents(world);
      const restored = restore(world, loss);
      restored.template('v1', 'hello:2');
      restored.start();
      wait(restored, 40);
      expect(specsAndContents(restored)).toEqual(before);
      expect(entryOf(restored)).toMatchObject({ state: 'Paused', targetRevision: 2, done: 1 });
      restored.ask({ paused: false });
      settle(restored, CLUSTERS);
      expect(entryOf(restored)).toMatchObject({ state: 'Completed', done: CLUSTERS.length });
    },
  );

  it('continues a rollout no faster than before', () => {
    const world = halfWay();
    world.ask({ paused: false });
    const restored = restore(world, { name: '' });
    restored.template('v1', 'hello:2');
    restored.start();
    wait(restored, 10);
    expect(inFlight(restored)).toBe('c2');
    expect(CLUSTERS.filter((name) => contentOf(restored, name).desired === contentOf(restored, 'c1').desired)).toEqual(['c1', 'c2']);
  });

  it('keeps a pin whose revision was lost, reports it, and moves nothing', () => {
    const world = halfWay();
    world.ask({ paused: false, pinnedRevision: 1 });
    const before = specsAndContents(world);
    const restored = restore(world, { name: '', withoutStatus: [addOnRollouts] });
    restored.template('v1', 'hello:2');
    restored.start();
    wait(restored, 20);
    expect(specsAndContents(restored)).toEqual(before);
    expect(restored.rollout()?.spec).toMatchObject({ pinnedRevision: 1 });
  });
});
