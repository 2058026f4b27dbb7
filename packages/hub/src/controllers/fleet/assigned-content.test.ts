import { type AddOnRolloutStatus, addOnRollouts, managedClusterAddOns, placementDecisions, placements } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { contentOf, entryOf, fleetOf, inFlight, placementEntry, progressive, settle } from './fixtures.js';
import type { World } from '../../../testing/fleet/world.js';

const CLUSTERS = ['c1', 'c2', 'c3', 'c4'];

/** The revision annotation of each cluster's add-on. */
function annotations(world: World): readonly (string | undefined)[] {
  return CLUSTERS.map((cluster) => world.addOn(cluster)?.metadata.annotations?.['outrigger.dev/revision']);
}

/** Counts accepted writes of the annotation. */
function countAnnotations(world: World): () => number {
  let count = 0;
  const before = world.hub.onChange;
  world.hub.onChange = (kind, was, is) => {
    before(kind, was, is);
    const text = (object: KubeObject | undefined): string | undefined => object?.metadata.annotations?.['outrigger.dev/revision'];
    if (kind === managedClusterAddOns.plural && text(was) !== text(is)) count++;
  };
  return () => count;
}

function declare(world: World, ...entries: readonly object[]): void {
  world.declare({ installStrategy: { type: 'Placements', placements: entries } });
}

function desired(world: World): readonly (string | undefined)[] {
  return CLUSTERS.map((cluster) => contentOf(world, cluster).desired);
}

function passes(world: World): void {
  for (let round = 0; round < 4; round++) {
    world.pass(0);
    for (const cluster of CLUSTERS) world.addOnPass(cluster);
    world.tick(1_100);
  }
}

describe('the revision of each cluster', () => {
  it('is written once for each admission by name', () => {
    const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 2 }));
    const count = countAnnotations(world);
    settle(world, CLUSTERS);
    expect([annotations(world), count()]).toEqual([['1', '1', '1', '1'], 4]);
    world.template('v1', 'hello:2');
    settle(world, CLUSTERS);
    expect([annotations(world), count()]).toEqual([['2', '2', '2', '2'], 8]);
  });

  it('is written without a read of the record if no spec of an add-on determined it', () => {
    const world = fleetOf(CLUSTERS, { addonTemplate: { installVersion: 'v1' } });
    settle(world, CLUSTERS);
    world.template('v1', 'hello:2');
    declare(world, placementEntry('all', { addonTemplate: { installVersion: 'v1' }, ...progressive({ maxConcurrency: 1 }) }));
    const ids = world.pass(0).map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['revision/c2', 'revision/c3', 'revision/c4']));
    expect(ids).not.toContain('record-is-current');
  });

  it('is not written under a wildcard admission', () => {
    const world = fleetOf(CLUSTERS);
    const count = countAnnotations(world);
    settle(world, CLUSTERS);
    world.template('v1', 'hello:2');
    settle(world, CLUSTERS);
    expect([annotations(world), count()]).toEqual([[undefined, undefined, undefined, undefined], 0]);
  });

  it('is set on the creation of an add-on whose cluster is admitted already', () => {
    const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 4 }));
    world.pass(0);
    world.tick(1_100);
    world.pass(0);
    expect(inFlight(world)).toBe(CLUSTERS.join());
    world.hub.remove(managedClusterAddOns, { namespace: 'c1', name: 'hello' });
    world.pass(0);
    expect(annotations(world)[0]).toBe('1');
  });

  it.each([
    {
      name: 'a strategy with a budget',
      change: (world: World) => declare(world, placementEntry('all', progressive({ maxConcurrency: 1 }))),
    },
    { name: 'a pause', change: (world: World) => world.ask({ paused: true }) },
  ])('is written down before $name and new content end a wildcard admission, and no cluster moves because of it', ({ change }) => {
    const world = fleetOf(CLUSTERS);
    settle(world, CLUSTERS);
    const before = desired(world);
    change(world);
    world.template('v1', 'hello:2');
    world.pass(0);
    // The wildcard admission stays unchanged until the annotations are stored. The rollout may already have admitted c1 by name; c1 then
    // needs no annotation.
    expect([annotations(world).slice(1), inFlight(world), entryOf(world).targetRevision]).toEqual([['1', '1', '1'], '*', 1]);
    world.tick(1_100);
    world.pass(0);
    expect(entryOf(world).targetRevision).toBe(2);
    for (const cluster of CLUSTERS) world.addOnPass(cluster);
    expect(desired(world).slice(1)).toEqual(before.slice(1));
  });

  it('a cluster that moves from an entry under a wildcard admission to one with a budget keeps its content until it is admitted', () => {
    const world = fleetOf(CLUSTERS);
    world.choose('some', [[]]);
    declare(world, placementEntry('all'), placementEntry('some', progressive({ maxConcurrency: 1 })));
    settle(world, CLUSTERS);
    const before = desired(world);
    world.template('v1', 'hello:2');
    world.choose('some', [['c3', 'c4']]);
    // The add-on passes observe the new version before the fleet pass has recorded it.
    for (const cluster of CLUSTERS) world.addOnPass(cluster);
    expect(desired(world)).toEqual(before);
    passes(world);
    expect(inFlight(world, 'default/some')).toBe('c3');
    expect(contentOf(world, 'c4').desired).toBe(before[3]);
    settle(world, CLUSTERS);
    expect(new Set(desired(world)).size).toBe(1);
  });

  it('a status that names another revision of the history gives nothing', () => {
    const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 4 }));
    settle(world, CLUSTERS);
    const old = world.addOn('c1')?.status ?? {};
    world.template('v1', 'hello:2');
    settle(world, CLUSTERS);
    const now = desired(world);
    for (const unreachable of [false, true]) {
      if (unreachable) world.cluster('c1', 'Unknown');
      const forged = world.addOn('c1');
      if (forged) world.hub.putStatus(managedClusterAddOns, forged, old);
      passes(world);
      expect([desired(world), annotations(world)[0]]).toEqual([now, '2']);
    }
  });
});

describe('a fleet from before', () => {
  /** Changes the objects to what an earlier version of the manager wrote: no revision annotations, and the status that `status` returns. */
  function asBefore(world: World, status: (status: AddOnRolloutStatus) => AddOnRolloutStatus | undefined): void {
    for (const cluster of CLUSTERS) {
      const clusterAddOn = world.addOn(cluster);
      const { 'outrigger.dev/revision': _, ...kept } = clusterAddOn?.metadata.annotations ?? {};
      if (clusterAddOn) world.hub.put(managedClusterAddOns, { ...clusterAddOn, metadata: { ...clusterAddOn.metadata, annotations: kept } });
    }
    const rollout = world.rollout();
    if (rollout) world.hub.put(addOnRollouts, { ...rollout, status: status(rollout.status ?? {}) } as KubeObject);
  }
  const earlier = ({ revisionsImported: _, entries = [], ...rest }: AddOnRolloutStatus): AddOnRolloutStatus => ({
    ...rest,
    entries: entries.map(({ members: __, ...entry }) => entry),
  });

  it('is imported once, from the revisions of the history, and no cluster moves', () => {
    const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 1 }));
    settle(world, CLUSTERS);
    world.template('v1', 'hello:2');
    passes(world);
    world.report('c1', 'arrived');
    passes(world);
    const before = desired(world);
    asBefore(world, earlier);
    expect(annotations(world)).toEqual([undefined, undefined, undefined, undefined]);
    passes(world);
    expect(annotations(world)).toEqual(['2', '2', '1', '1']);
    expect([desired(world), world.rollout()?.status?.revisionsImported]).toEqual([before, true]);
  });

  it('takes nothing from a status that names no revision of the history', () => {
    const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 1 }));
    settle(world, CLUSTERS);
    asBefore(world, earlier);
    const clusterAddOn = world.addOn('c4');
    const foreign = [{ group: 'g', resource: 'r', name: 'n', desiredConfig: { name: 'n', specHash: 'x' } }];
    if (clusterAddOn) world.hub.putStatus(managedClusterAddOns, clusterAddOn, { ...clusterAddOn.status, configReferences: foreign });
    world.pass(0);
    expect(annotations(world)).toEqual(['1', '1', '1', undefined]);
  });

  it('takes nothing from a status once it is imported', () => {
    const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 1 }));
    settle(world, CLUSTERS);
    const first = world.addOn('c4')?.status;
    world.template('v1', 'hello:2');
    settle(world, CLUSTERS);
    asBefore(world, (status) => status);
    const clusterAddOn = world.addOn('c4');
    if (clusterAddOn && first) world.hub.putStatus(managedClusterAddOns, clusterAddOn, first);
    world.pass(0);
    expect(annotations(world)[3]).toBe(undefined);
    passes(world);
    expect(annotations(world)[3]).not.toBe('1');
  });

  it('after the record was lost, no number that an annotation names is used again', () => {
    const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 4 }));
    settle(world, CLUSTERS);
    world.template('v1', 'hello:2');
    settle(world, CLUSTERS);
    world.hub.remove(addOnRollouts, { name: 'hello' });
    world.template('v1', 'hello:3');
    settle(world, CLUSTERS);
    expect([entryOf(world).targetRevision, annotations(world)]).toEqual([3, ['3', '3', '3', '3']]);
  });
});

describe('an entry that is unknown', () => {
  const remove = (world: World, name: string): void => {
    world.hub.remove(placements, { namespace: 'default', name });
    world.hub.remove(placementDecisions, { namespace: 'default', name: `${name}-decision-0` });
  };

  it.each([
    { name: 'All', entry: {} },
    { name: 'Progressive', entry: progressive({ maxConcurrency: 4 }) },
  ])('$name: only its last known members wait; the clusters of earlier entries continue', ({ entry }) => {
    const world = fleetOf(CLUSTERS, entry);
    world.choose('canary', [['c4']]);
    declare(world, placementEntry('all', entry), placementEntry('canary', entry));
    settle(world, CLUSTERS);
    const before = desired(world);
    remove(world, 'canary');
    passes(world);
    expect(desired(world)).toEqual(before);
    world.template('v1', 'hello:2');
    settle(world, CLUSTERS);
    const after = desired(world);
    expect(CLUSTERS.map((_, i) => after[i] === before[i])).toEqual([false, false, false, true]);
    // When the clusters of the entry `canary` are known again, its cluster c4 moves.
    world.choose('canary', [['c4']]);
    settle(world, CLUSTERS);
    expect(new Set(desired(world)).size).toBe(1);
  });

  describe.each([
    { name: 'All', strategy: {} },
    { name: 'Progressive', strategy: progressive({ maxConcurrency: 4 }) },
  ])('$name: a cluster of another entry', ({ strategy }) => {
    const at = (version: string): object => ({ addonTemplate: { installVersion: version }, ...strategy });
    const all = placementEntry('all', at('v1'));
    const canary = placementEntry('canary', at('v2'));
    /** Settles the fleet, and returns the version in the spec of c2's add-on and the version that it reports. */
    const versionOfC2 = (world: World): readonly (string | undefined)[] => {
      settle(world, CLUSTERS);
      const { spec, status } = world.addOn('c2') ?? {};
      return [spec?.installVersion, status?.currentVersion];
    };
    const fleet = (): World => {
      const world = fleetOf(CLUSTERS, at('v1'));
      world.template('v2', 'hello:2');
      world.choose('canary', [['c4']]);
      declare(world, all, canary);
      settle(world, CLUSTERS);
      return world;
    };

    it.each<{ name: string; change: (world: World) => void; complete: (world: World) => void }>([
      {
        name: 'that it gains',
        change: (world) => world.choose('canary', [['c2']], 2),
        complete: (world) => world.choose('canary', [['c2', 'c4']]),
      },
      {
        name: 'that a new entry selects',
        change: (world) => {
          world.choose('other', [['c2']], 2);
          declare(world, all, canary, placementEntry('other', at('v2')));
        },
        complete: (world) => world.choose('other', [['c2']]),
      },
      {
        name: 'that another order of the entries gives to it',
        change: (world) => {
          world.choose('canary', [['c2', 'c4']]);
          declare(world, canary, all);
          settle(world, CLUSTERS);
          world.choose('canary', [['c2', 'c4']], 3);
          declare(world, all, canary);
        },
        complete: (world) => world.choose('canary', [['c2', 'c4']]),
      },
    ])('$name waits until its clusters are known', ({ change, complete }) => {
      const world = fleet();
      change(world);
      expect(versionOfC2(world)).toEqual(['v1', 'v1']);
      expect(versionOfC2(world), 'also in later passes').toEqual(['v1', 'v1']);
      complete(world);
      expect(versionOfC2(world)).toEqual(['v2', 'v2']);
    });
  });

  it('makes all clusters wait that it may select if it was never known', () => {
    const world = fleetOf(CLUSTERS);
    settle(world, CLUSTERS);
    const before = desired(world);
    declare(world, placementEntry('all'), placementEntry('gone'));
    world.template('v1', 'hello:2');
    passes(world);
    expect(desired(world)).toEqual(before);
  });
});
