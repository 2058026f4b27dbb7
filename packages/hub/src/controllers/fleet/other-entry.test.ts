import { describe, expect, it } from 'vitest';
import type { World } from '../../../testing/fleet/world.js';
import { entryOf, fleetOf, inFlight, placementEntry, progressive } from './fixtures.js';

const CLUSTERS = ['c1', 'c2', 'c3'];
const MINUTE = 60_000;
const SOAK = progressive({ maxConcurrency: 1, maxFailures: 0, minSuccessTime: '60s', progressDeadline: '10m' });

/**
 * Runs a pass every few seconds until `ms` have passed. Agents report that their add-ons are done, except the agents of the clusters in
 * `silent`.
 */
function run(world: World, ms: number, silent: readonly string[] = []): void {
  const step = Math.max(1_100, Math.ceil(ms / 12));
  for (let passed = 0; passed < ms; passed += step) {
    world.pass(0);
    for (const cluster of CLUSTERS) {
      world.addOnPass(cluster);
      if (!silent.includes(cluster)) world.report(cluster, 'arrived');
    }
    world.tick(step);
  }
  world.pass(0);
}

/** A fleet on v1. The Placement `all` selects all clusters; `next`, a later entry, selects no cluster yet. */
function twoEntries(entry: object = SOAK): World {
  const world = fleetOf(CLUSTERS, entry);
  world.choose('next', [[]]);
  world.declare({ installStrategy: { type: 'Placements', placements: [placementEntry('all', entry), placementEntry('next', SOAK)] } });
  run(world, 6 * MINUTE);
  expect(entryOf(world)).toMatchObject({ done: 3, state: 'Completed' });
  return world;
}

/** Moves all clusters to the entry `next`. */
function moveAll(world: World): void {
  world.choose('next', [CLUSTERS]);
  run(world, 5_000);
}

describe('a cluster that comes to another entry with the same target', () => {
  it('while it soaks, keeps its slot and soaks for the whole time', () => {
    const world = twoEntries();
    world.template('v1', 'hello:2');
    run(world, 10_000);
    expect([inFlight(world), entryOf(world).done]).toEqual(['c1', 0]);
    moveAll(world);
    expect([inFlight(world, 'default/next'), entryOf(world, 'default/next').done]).toEqual(['c1', 0]);
    run(world, MINUTE);
    expect([inFlight(world, 'default/next'), entryOf(world, 'default/next').done]).toEqual(['c2', 1]);
  });

  it('after its soak, is done there', () => {
    const world = twoEntries();
    moveAll(world);
    expect(entryOf(world, 'default/next')).toMatchObject({ done: 3, progressing: 0, state: 'Completed' });
  });

  it('covered by a wildcard and not available, is done there, because its move has ended', () => {
    const world = twoEntries({});
    world.report('c1', 'unhealthy');
    moveAll(world);
    expect(entryOf(world, 'default/next')).toMatchObject({ progressing: 0, failed: 0 });
  });

  it('after a failure of its health, still counts as failed, so that no other cluster is admitted', () => {
    const world = twoEntries();
    world.template('v1', 'hello:2');
    run(world, 10_000);
    for (let passed = 0; passed < 12 * MINUTE; passed += MINUTE) {
      world.report('c1', 'unhealthy');
      world.pass(0);
      world.tick(MINUTE);
    }
    expect(entryOf(world)).toMatchObject({ unhealthy: ['c1'], failed: 1, state: 'Halted' });
    world.choose('next', [CLUSTERS]);
    run(world, 5_000, ['c1']);
    expect(entryOf(world, 'default/next')).toMatchObject({ unhealthy: ['c1'], failed: 1, done: 0, state: 'Halted' });
  });
});
