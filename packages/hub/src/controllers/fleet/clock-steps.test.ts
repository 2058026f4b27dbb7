import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryOf, fleetOf, inFlight, isDone, progressive } from './fixtures.js';
import type { World } from '../../../testing/fleet/world.js';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const SOAK = 300;
const DEADLINE = 600;

/** Two clusters, one of them in flight to new content. The same manager has led from the beginning. */
function rollingOut(options: object): World {
  const world = fleetOf(['c1', 'c2'], progressive({ maxConcurrency: 1, ...options }));
  settleThroughSoaks(world);
  world.template('v1', 'hello:2');
  round(world);
  expect(inFlight(world)).toBe('c1');
  return world;
}

function settleThroughSoaks(world: World): void {
  for (let i = 0; i < 12 && world.rollout()?.status?.state !== 'Completed'; i++) {
    round(world);
    for (const cluster of ['c1', 'c2']) if (!isDone(world, cluster)) world.report(cluster, 'arrived');
    world.pass(0);
    world.tick((SOAK + 1) * SECOND);
  }
  expect(entryOf(world).state).toBe('Completed');
}

function round(world: World): void {
  world.pass(0);
  world.tick(1_100);
  for (const cluster of ['c1', 'c2']) world.addOnPass(cluster);
  world.pass(0);
}

/** Advances the time with a pass every 30 seconds, as often as watches and rechecks would trigger one. */
function tick(world: World, seconds: number): void {
  for (let left = seconds; left > 0; left -= 30) {
    world.tick(Math.min(left, 30) * SECOND);
    world.pass(0);
  }
}

describe('AT-48 the clock jumps', () => {
  describe.each([HOUR, -HOUR])('by %i ms', (step) => {
    it('a soak takes its time, no less and hardly more', () => {
      const world = rollingOut({ minSuccessTime: `${SOAK}s` });
      world.report('c1', 'arrived');
      world.stepClock(step);
      world.pass(0);
      tick(world, SOAK - 10);
      expect(inFlight(world)).toBe('c1');
      tick(world, 20);
      expect(inFlight(world)).toBe('c2');
    });

    it('a soak takes its time when the clock jumps in its middle, and back', () => {
      const world = rollingOut({ minSuccessTime: `${SOAK}s` });
      world.report('c1', 'arrived');
      world.pass(0);
      tick(world, 100);
      world.stepClock(step);
      tick(world, 100);
      world.stepClock(-step);
      tick(world, SOAK - 210);
      expect(inFlight(world)).toBe('c1');
      tick(world, 20);
      expect(inFlight(world)).toBe('c2');
    });

    it('a deadline takes its time', () => {
      const world = rollingOut({ progressDeadline: `${DEADLINE}s` });
      world.stepClock(step);
      tick(world, DEADLINE - 20);
      expect([inFlight(world), entryOf(world).failed]).toEqual(['c1', 0]);
      tick(world, 30);
      expect([entryOf(world).failed, entryOf(world).state]).toEqual([1, 'Halted']);
    });

    it('a deadline under a wildcard admission takes its time, also for clusters that join after the step', () => {
      const world = fleetOf(['c1', 'c2'], { rolloutStrategy: { type: 'All', all: { progressDeadline: `${DEADLINE}s` } } });
      world.choose('all', [['c1']]);
      round(world);
      world.stepClock(step);
      world.pass(0);
      tick(world, DEADLINE - 60);
      world.choose('all', [['c1', 'c2']]);
      round(world);
      expect(entryOf(world)).toMatchObject({ selected: 2, progressing: 2, failed: 0 });
      tick(world, 80);
      expect(entryOf(world)).toMatchObject({ selected: 2, progressing: 1, failed: 1 });
      tick(world, DEADLINE);
      expect(entryOf(world)).toMatchObject({ selected: 2, progressing: 0, failed: 2 });
    });

    it('a silent cluster keeps its slot for ten minutes', () => {
      const world = rollingOut({});
      world.cluster('c1', 'Unknown');
      world.pass(0);
      world.stepClock(step);
      tick(world, 590);
      expect(entryOf(world).parked).toBeUndefined();
      tick(world, 20);
      expect([entryOf(world).parked, inFlight(world)]).toEqual([1, 'c1,c2']);
    });
  });

  it('a new leader uses the stored times, and does not wait for a time in the future', () => {
    const world = rollingOut({ minSuccessTime: `${SOAK}s` });
    world.report('c1', 'arrived');
    world.pass(0);
    tick(world, 200);
    world.crash(0);
    tick(world, 90);
    expect(inFlight(world)).toBe('c1');
    tick(world, 20);
    expect(inFlight(world)).toBe('c2');

    round(world);
    world.report('c2', 'arrived');
    world.stepClock(-HOUR);
    world.crash(0);
    world.pass(0);
    tick(world, SOAK + 20);
    expect(entryOf(world).state).toBe('Completed');
  });

  it('whatever happens in between, a soak is never shorter, and never much longer', () => {
    const event = fc.oneof(
      fc.record({ tick: fc.integer({ min: 1, max: 60 }) }),
      fc.record({ step: fc.constantFrom(-HOUR, HOUR, 15 * SECOND) }),
    );
    fc.assert(
      fc.property(fc.array(event, { minLength: 5, maxLength: 20 }), (events) => {
        const world = rollingOut({ minSuccessTime: `${SOAK}s`, progressDeadline: `${DEADLINE}s` });
        world.report('c1', 'arrived');
        world.pass(0);
        let passed = 0;
        for (const one of events) {
          if ('step' in one) world.stepClock(one.step);
          else {
            tick(world, one.tick);
            passed += one.tick;
          }
          if (passed < SOAK) expect(inFlight(world)).toBe('c1');
          expect(entryOf(world).failed).toBe(0);
          if (passed > SOAK + 60) break;
        }
        tick(world, Math.max(0, SOAK + 70 - passed));
        expect(inFlight(world)).toBe('c2');
      }),
      { numRuns: 10 },
    );
  });
});
