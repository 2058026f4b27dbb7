import { TIME_ROUNDING_MS, findCondition } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryOf, fleetOf, inFlight, placementEntry, progressive, settle } from './fixtures.js';
import type { World } from '../../../testing/fleet/world.js';

const CLUSTERS = ['c1', 'c2', 'c3'];
const MINUTE = 60_000;

/** Returns a world in which c1 has the new content, is not available, and has exceeded its progress deadline. */
function failedUnhealthy(maxFailures: number): World {
  const world = fleetOf(CLUSTERS, progressive({ maxConcurrency: 1, maxFailures, progressDeadline: '60s', minSuccessTime: '10s' }));
  for (let round = 0; round < 12 && world.rollout()?.status?.state !== 'Completed'; round++) {
    settle(world, CLUSTERS);
    world.tick(11_000);
  }
  world.template('v1', 'hello:2');
  world.pass(0);
  world.tick(1_100);
  world.addOnPass('c1');
  world.report('c1', 'arrived');
  world.tick(1_100);
  world.report('c1', 'unhealthy');
  world.pass(0);
  expect(inFlight(world)).toBe('c1');
  world.tick(MINUTE);
  world.pass(0);
  return world;
}

/** Runs a pass every minute for five minutes. The manager restarts in between; the new process knows only the record. */
function wait(world: World): void {
  for (let i = 0; i < 5; i++) {
    world.tick(MINUTE);
    if (i === 2) world.crash(0);
    world.pass(0);
  }
}

describe('a cluster that is done with the target and not available at its deadline', () => {
  it('counts as failed until it is available, also after a restart, and admits no further cluster', () => {
    const world = failedUnhealthy(0);
    for (let i = 0; i < 2; i++) {
      expect(entryOf(world)).toMatchObject({ state: 'Halted', failed: 1, done: 0, unhealthy: ['c1'] });
      expect(inFlight(world)).toBe('');
      wait(world);
    }
    world.report('c1', 'arrived');
    world.pass(0);
    expect(entryOf(world)).toMatchObject({ state: 'Halted', failed: 1, done: 0 });
    world.tick(10_000);
    world.pass(0);
    expect(entryOf(world)).toMatchObject({ state: 'Progressing', failed: 0, done: 1 });
    expect(entryOf(world).unhealthy).toBeUndefined();
    expect(inFlight(world)).toBe('c2');
  });

  it('releases its slot if maxFailures tolerates it', () => {
    const world = failedUnhealthy(1);
    expect(entryOf(world)).toMatchObject({ failed: 1, unhealthy: ['c1'] });
    expect(inFlight(world)).toBe('c2');
  });

  it('is no longer listed when the target changes', () => {
    const world = failedUnhealthy(0);
    world.template('v1', 'hello:3');
    world.tick(1_100);
    world.pass(0);
    expect(entryOf(world).unhealthy).toBeUndefined();
    expect(entryOf(world).failed).toBe(0);
  });
});

describe('a cluster that failed before it was done, and is later done but not available', () => {
  const strategies = {
    'Progressive with a deadline': progressive({ maxConcurrency: 1, progressDeadline: '60s' }),
    'Progressive without a deadline': progressive({ maxConcurrency: 1 }),
    'ProgressivePerGroup with a deadline': {
      rolloutStrategy: { type: 'ProgressivePerGroup', progressivePerGroup: { progressDeadline: '60s' } },
    },
    'All with a deadline': { rolloutStrategy: { type: 'All', all: { progressDeadline: '60s' } } },
  };
  const failures = ['the deadline passed', 'Progressing reported Failed'] as const;
  const cases = Object.entries(strategies).flatMap(([name, entry]) =>
    failures.filter((how) => how !== 'the deadline passed' || name.endsWith('with a deadline')).map((how) => ({ name, entry, how })),
  );

  /** Returns a world in which c1 has failed during the move to new content, before it was done. `health` is its health before the move. */
  function failedFirst(entry: object, how: (typeof failures)[number], health: 'arrived' | 'unhealthy'): World {
    const world = fleetOf(CLUSTERS, entry);
    for (let round = 0; round < 12 && world.rollout()?.status?.state !== 'Completed'; round++) {
      settle(world, CLUSTERS);
      world.tick(6 * MINUTE);
    }
    world.report('c1', health);
    world.template('v1', 'hello:2');
    settle(world, CLUSTERS, (cluster) => (cluster === 'c1' && how === 'Progressing reported Failed' ? 'failed' : undefined));
    world.tick(MINUTE);
    world.pass(0);
    expect(entryOf(world).failed).toBeGreaterThan(0);
    expect(inFlight(world).split(',')).not.toContain('c1');
    return world;
  }

  /** c1 reports that it is done, but its probe fails. */
  function doneButDown(world: World): void {
    world.report('c1', 'arrived');
    world.report('c1', 'unhealthy');
    world.tick(1_100);
    world.pass(0);
  }

  it.each(cases)('$name, $how: counts as failed until it is available', ({ entry, how }) => {
    const world = failedFirst(entry, how, 'arrived');
    const { failed } = entryOf(world);
    doneButDown(world);
    wait(world);
    expect(entryOf(world)).toMatchObject({ done: 0, failed });
    world.report('c1', 'arrived');
    world.tick(1_100);
    world.pass(0);
    expect(entryOf(world).done).toBe(1);
    expect(entryOf(world).unhealthy ?? []).not.toContain('c1');
  });

  it('counts as failed if the strategy changes from All to Progressive', () => {
    const world = failedFirst(strategies['All with a deadline'], 'the deadline passed', 'arrived');
    const entry = placementEntry('all', progressive({ maxConcurrency: 1, progressDeadline: '60s' }));
    world.declare({ installStrategy: { type: 'Placements', placements: [entry] } });
    world.tick(1_100);
    world.pass(0);
    doneButDown(world);
    wait(world);
    expect(entryOf(world)).toMatchObject({ done: 0, failed: 3 });
  });

  describe.each([
    { health: 'arrived', listed: 'unhealthy' },
    { health: 'unhealthy', listed: 'failedWithoutHealth' },
  ] as const)('with a minSuccessTime, if it was $health before the move', ({ health, listed }) => {
    const soaking = {
      Progressive: progressive({ maxConcurrency: 1, progressDeadline: '60s', minSuccessTime: '5m' }),
      ProgressivePerGroup: {
        rolloutStrategy: { type: 'ProgressivePerGroup', progressivePerGroup: { progressDeadline: '60s', minSuccessTime: '5m' } },
      },
    };

    it.each(Object.entries(soaking))('%s: counts as failed until it has been done for that long, whichever process leads', (_, entry) => {
      const world = failedFirst(entry, 'the deadline passed', health);
      const { failed = 0 } = entryOf(world);
      expect(entryOf(world)[listed]).toContain('c1');
      if (health === 'arrived') world.report('c1', 'arrived');
      else doneButDown(world);
      for (let minute = 0; minute < 4; minute++) {
        world.tick(MINUTE);
        world.crash(0);
        world.pass(0);
        expect(entryOf(world)).toMatchObject({ state: 'Halted', done: 0, failed });
        expect(inFlight(world)).toBe('');
      }
      // The last of these processes knows only the second in which the soak started, so it counts from the end of that second.
      world.tick(MINUTE + TIME_ROUNDING_MS);
      world.pass(0);
      expect(entryOf(world)).toMatchObject({ done: 1, failed: failed - 1 });
      expect(entryOf(world)[listed] ?? []).not.toContain('c1');
    });

    it('starts that time again if it was available, and is not for a while', () => {
      const world = failedFirst(soaking.Progressive, 'the deadline passed', health);
      for (const report of ['arrived', 'unhealthy', 'arrived'] as const) {
        world.report('c1', report);
        world.pass(0);
        world.tick(4 * MINUTE);
        world.pass(0);
        expect(entryOf(world)).toMatchObject({ done: 0, failed: 1, unhealthy: ['c1'] });
      }
      world.tick(MINUTE);
      world.pass(0);
      expect(entryOf(world)).toMatchObject({ done: 1, failed: 0 });
    });
  });

  it('never counts as done before it has been done for that long, from every sequence of reports, restarts and passes', () => {
    const steps = fc.array(fc.constantFrom('arrived', 'unhealthy', 'crash', 'pass', 'minute', 'minute'), { maxLength: 14 });
    fc.assert(
      fc.property(steps, fc.constantFrom('arrived', 'unhealthy'), (sequence, health) => {
        const world = failedFirst(
          progressive({ maxConcurrency: 1, progressDeadline: '60s', minSuccessTime: '3m' }),
          'the deadline passed',
          health,
        );
        let doneSince: number | undefined;
        for (const step of sequence) {
          if (step === 'crash') world.crash(0);
          else if (step === 'pass') world.pass(0);
          else if (step === 'minute') world.tick(MINUTE);
          else {
            world.report('c1', step);
            const isDone = findCondition(world.addOn('c1')?.status?.conditions, 'Progressing')?.reason === 'Succeed';
            doneSince = isDone ? (doneSince ?? world.wall) : undefined;
          }
          const { done = 0 } = entryOf(world);
          if (done > 0) expect(world.wall - (doneSince ?? world.wall)).toBeGreaterThanOrEqual(3 * MINUTE);
          if (done > 0) return;
        }
        world.report('c1', 'arrived');
        for (let minute = 0; minute < 5; minute++) {
          world.pass(0);
          world.tick(MINUTE);
        }
        expect(entryOf(world).done).toBeGreaterThan(0);
      }),
      { numRuns: 60, seed: 1 },
    );
  });

  it('counts as done if it was not available before the move either', () => {
    const world = failedFirst(strategies['Progressive with a deadline'], 'the deadline passed', 'unhealthy');
    doneButDown(world);
    expect(entryOf(world)).toMatchObject({ done: 1, failed: 0 });
  });
});
