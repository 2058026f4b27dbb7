import { addOnTemplates } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import type { World } from '../../../testing/fleet/world.js';
import { condition, entryOf, fleetOf, placementEntry, progressive, settle } from './fixtures.js';

const CLUSTERS = ['c1', 'c2'];

/** A fleet whose default version is v2. The template of v2 was deleted; the template of v1 still exists. */
function withoutDefault(entry: object = {}): World {
  const world = fleetOf(CLUSTERS, entry);
  world.template('v2', 'hello:2');
  settle(world, CLUSTERS);
  world.hub.remove(addOnTemplates, { name: 'hello-v2' });
  settle(world, CLUSTERS);
  return world;
}

function versionsOf(world: World): string {
  return CLUSTERS.map((cluster) => world.addOn(cluster)?.status?.installVersion ?? '').join();
}

describe('a new entry of an add-on whose default version has vanished', () => {
  const strategies = {
    'a Placement that is added': { type: 'Placements', placements: [placementEntry('all'), placementEntry('next')] },
    'a Placement that replaces another': { type: 'Placements', placements: [placementEntry('next')] },
    'a label selector': { type: 'ClusterLabelSelector', labelSelector: {} },
    'no strategy': { type: 'Manual' },
  };
  it.each(Object.entries(strategies))('%s moves no cluster to a lower version', (_name, installStrategy) => {
    const world = withoutDefault();
    world.choose('next', [['c2']]);
    world.declare({ installStrategy });
    settle(world, CLUSTERS);
    expect([versionsOf(world), condition(world, 'TargetsResolved')?.reason]).toEqual(['v2,v2', 'DefaultVersionGone']);
  });

  it('gets the version that it names', () => {
    const world = withoutDefault();
    world.choose('next', [['c2']]);
    const next = placementEntry('next', { addonTemplate: { installVersion: 'v1' } });
    world.declare({ installStrategy: { type: 'Placements', placements: [placementEntry('all'), next] } });
    settle(world, CLUSTERS);
    expect(versionsOf(world)).toBe('v2,v1');
  });

  it('gets the default version if it is higher', () => {
    const world = withoutDefault();
    world.template('v3', 'hello:3');
    world.choose('next', [['c2']]);
    world.declare({ installStrategy: { type: 'Placements', placements: [placementEntry('next')] } });
    world.pass(0);
    expect(entryOf(world, 'default/next').targetRevision).toBe(
      world.rollout()?.status?.history?.find(({ version }) => version === 'v3')?.revision,
    );
  });

  it('gets the default version if only entries that name a version run one that has vanished', () => {
    const world = withoutDefault({ addonTemplate: { installVersion: 'v2' } });
    world.choose('next', [['c2']]);
    const all = placementEntry('all', { addonTemplate: { installVersion: 'v2' } });
    world.declare({ installStrategy: { type: 'Placements', placements: [all, placementEntry('next')] } });
    settle(world, CLUSTERS);
    expect(versionsOf(world)).toBe('v2,v1');
  });
});

describe('a Placement that replaces another while its decisions are incomplete', () => {
  const before = { 'all at once': {}, 'one by one': progressive({ maxConcurrency: 1 }) };
  it.each(Object.entries(before))('moves no cluster until they are complete, if the clusters had moved %s', (_name, entry) => {
    const world = fleetOf(CLUSTERS, { addonTemplate: { installVersion: 'v1' }, ...entry });
    settle(world, CLUSTERS);
    world.template('v2', 'hello:2');
    world.choose('next', [CLUSTERS], CLUSTERS.length + 1);
    const next = placementEntry('next', { addonTemplate: { installVersion: 'v2' } });
    world.declare({ installStrategy: { type: 'Placements', placements: [next] } });
    settle(world, CLUSTERS);
    expect([versionsOf(world), condition(world, 'TargetsResolved')?.reason]).toEqual(['v1,v1', 'DecisionsIncomplete']);
    world.choose('next', [CLUSTERS]);
    settle(world, CLUSTERS);
    expect([versionsOf(world), condition(world, 'TargetsResolved')?.reason]).toEqual(['v2,v2', 'AllResolved']);
    expect(world.rollout()?.status?.entries?.map(({ name }) => name)).toEqual(['default/next']);
  });

  it.each(Object.entries(before))('moves no cluster that a page lost and lists again, if the clusters had moved %s', (_name, entry) => {
    const world = fleetOf(CLUSTERS, { addonTemplate: { installVersion: 'v1' }, ...entry });
    settle(world, CLUSTERS);
    world.template('v2', 'hello:2');
    const next = placementEntry('next', { addonTemplate: { installVersion: 'v2' } });
    world.declare({ installStrategy: { type: 'Placements', placements: [next] } });
    const listed = [['c1'], ['c2']];
    for (const pages of [listed, [['c1'], []], listed]) {
      world.choose('next', pages, CLUSTERS.length + 1);
      settle(world, CLUSTERS);
      expect([versionsOf(world), condition(world, 'TargetsResolved')?.reason]).toEqual(['v1,v1', 'DecisionsIncomplete']);
    }
    world.choose('next', listed);
    settle(world, CLUSTERS);
    expect([versionsOf(world), condition(world, 'TargetsResolved')?.reason]).toEqual(['v2,v2', 'AllResolved']);
  });
});

describe('AT-36 clusters that may belong to a new entry, whose clusters are not known yet', () => {
  const budget = progressive({ maxConcurrency: 1 });
  const next = placementEntry('next', { addonTemplate: { installVersion: 'v1' } });
  const declare = (world: World, rollout: object, ...more: readonly object[]): void =>
    world.declare({ installStrategy: { type: 'Placements', placements: [placementEntry('all', rollout), ...more] } });

  /** The strategy under which the clusters got v1, and the edits that add the new entry, before v2 becomes the default. */
  const edits: Readonly<Record<string, { readonly before: object; readonly edit: (world: World) => void }>> = {
    'under a budget': { before: budget, edit: (world) => declare(world, budget, next) },
    'under All': { before: {}, edit: (world) => declare(world, {}, next) },
    'if the same edit replaces the budget by All': { before: budget, edit: (world) => declare(world, {}, next) },
    'if an earlier edit replaced the budget by All': {
      before: budget,
      edit: (world) => {
        declare(world, {});
        settle(world, CLUSTERS);
        declare(world, {}, next);
      },
    },
  };

  it.each(Object.entries(edits))('keep their version until they are known, %s', (_name, { before, edit }) => {
    const world = fleetOf(CLUSTERS, before);
    settle(world, CLUSTERS);
    world.choose('next', [[]], 1);
    edit(world);
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS);
    expect([versionsOf(world), condition(world, 'TargetsResolved')?.reason]).toEqual(['v1,v1', 'DecisionsIncomplete']);
    world.choose('next', [['c2']]);
    settle(world, CLUSTERS);
    expect([versionsOf(world), condition(world, 'TargetsResolved')?.reason]).toEqual(['v2,v1', 'AllResolved']);
  });

  it('keep their version until they are known, if a later edit replaces the budget by All', () => {
    const world = fleetOf(CLUSTERS, budget);
    settle(world, CLUSTERS);
    world.choose('next', [[]], 1);
    declare(world, budget, next);
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS);
    declare(world, {}, next);
    settle(world, CLUSTERS);
    expect(versionsOf(world)).toBe('v1,v1');
    world.choose('next', [[]]);
    settle(world, CLUSTERS);
    expect(versionsOf(world)).toBe('v2,v2');
  });

  it('go on to the version that they were admitted to, if they were in flight', () => {
    const world = fleetOf(CLUSTERS, budget);
    settle(world, CLUSTERS);
    world.template('v2', 'hello:2');
    settle(world, CLUSTERS, () => undefined);
    expect(versionsOf(world)).toBe('v2,v1');
    world.choose('next', [[]], 1);
    world.template('v3', 'hello:3');
    declare(world, {}, next);
    settle(world, CLUSTERS);
    expect(versionsOf(world)).toBe('v2,v1');
    world.choose('next', [['c2']]);
    settle(world, CLUSTERS);
    expect(versionsOf(world)).toBe('v3,v1');
  });
});
