import { describe, expect, it } from 'vitest';
import type { World } from '../../../testing/fleet/world.js';
import { condition, contentOf, fleetOf, inFlight, installedOn, placementEntry, progressive, settle } from './fixtures.js';

const CLUSTERS = ['c1', 'c2', 'c3'];
const ONE_BY_ONE = progressive({ maxConcurrency: 1, minSuccessTime: '1h' });
/** Strategies that select no cluster because they have no entry. */
const WITHOUT_ENTRIES: readonly { readonly name: string; readonly installStrategy: object }[] = [
  { name: 'an empty list of Placements', installStrategy: { type: 'Placements', placements: [] } },
  { name: 'no list of Placements', installStrategy: { type: 'Placements' } },
  { name: 'no label selector', installStrategy: { type: 'ClusterLabelSelector' } },
];

function contents(world: World): string {
  return CLUSTERS.map((cluster) => contentOf(world, cluster).desired).join();
}

const V1 = { addonTemplate: { installVersion: 'v1' } };

describe('a strategy without entries', () => {
  it.each(WITHOUT_ENTRIES)('moves no cluster while its removals wait for a confirmation: $name', ({ installStrategy }) => {
    const world = fleetOf(CLUSTERS, V1);
    settle(world, CLUSTERS);
    const before = contents(world);
    world.declare({ installStrategy });
    settle(world, CLUSTERS);
    world.tick(60_000);
    world.template('v1', 'hello:other');
    settle(world, CLUSTERS);
    expect(condition(world, 'TargetsResolved')).toMatchObject({ status: 'False', reason: 'RemovalNeedsConfirmation' });
    expect([installedOn(world, CLUSTERS), contents(world)]).toEqual(['c1,c2,c3', before]);
    world.declare({ installStrategy: { type: 'Placements', placements: [placementEntry('all', { ...V1, ...ONE_BY_ONE })] } });
    settle(world, CLUSTERS);
    expect(inFlight(world)).toBe('c1');
    expect(contents(world).split(',').slice(1)).toEqual(before.split(',').slice(1));
  });

  it('of a type that this version does not know removes nothing, like Manual', () => {
    const world = fleetOf(['c1']);
    settle(world, ['c1']);
    world.declare({ installStrategy: { type: 'Later' } });
    settle(world, ['c1']);
    world.tick(60_000);
    settle(world, ['c1']);
    expect(installedOn(world, ['c1'])).toBe('c1');
    expect(condition(world, 'TargetsResolved')).toMatchObject({ status: 'True' });
  });
});
