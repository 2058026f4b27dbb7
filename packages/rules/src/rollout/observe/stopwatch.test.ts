import { TIME_ROUNDING_MS, parseTime, toTime } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Stopwatch, type Timings } from './stopwatch.js';

const START = 1_767_225_600_000;
const SECOND = 1000;
const HOUR = 3600 * SECOND;

/** A process with its own clock that runs repeated passes over one cluster, which started to move at `stored`. */
class Process {
  wall: number;
  monotonic = 500;
  timings: Timings | undefined;

  constructor(wall = START) {
    this.wall = wall;
  }

  tick(ms: number): void {
    this.wall += ms;
    this.monotonic += ms;
  }

  /** Runs one pass and returns how long the cluster has been moving. */
  pass(stored: number): number {
    const watch = new Stopwatch(this.timings, this);
    const passed = this.wall - watch.since('moving', 'c1', stored);
    this.timings = watch.changes() ?? this.timings;
    return passed;
  }
}

describe('the hub clock', () => {
  it('uses the stored time of a previous leader', () => {
    expect(new Process().pass(START - 90 * SECOND)).toBe(90 * SECOND - TIME_ROUNDING_MS);
  });

  it('treats a stored time in the future as now', () => {
    const process = new Process();
    expect(process.pass(START + HOUR)).toBe(0);
    process.tick(20 * SECOND);
    expect(process.pass(START + HOUR)).toBe(20 * SECOND);
  });

  it.each([HOUR, -HOUR, 15 * SECOND])('does not follow a step of %i ms', (step) => {
    const process = new Process();
    process.pass(START - 30 * SECOND);
    process.wall += step;
    process.tick(10 * SECOND);
    expect(process.pass(START - 30 * SECOND)).toBe(40 * SECOND - TIME_ROUNDING_MS);
  });

  it('times an activity that begins under this process from its first observation, at any wall time', () => {
    const process = new Process();
    process.pass(START - 30 * SECOND);
    const begun = process.wall + 5 * SECOND;
    process.tick(8 * SECOND);
    process.wall += HOUR;
    expect(process.pass(begun)).toBe(0);
    process.tick(7 * SECOND);
    expect(process.pass(begun)).toBe(7 * SECOND);
  });

  it('times an activity that a pass starts from that pass', () => {
    const process = new Process();
    const watch = new Stopwatch(undefined, process);
    watch.start('moving', 'c1', toTime(process.wall));
    process.timings = watch.changes();
    process.wall += HOUR;
    process.tick(3 * SECOND);
    expect(process.pass(START)).toBe(3 * SECOND);
  });

  it('stores nothing if nothing began or ended', () => {
    const process = new Process();
    process.pass(START);
    const watch = new Stopwatch(process.timings, process);
    watch.since('moving', 'c1', START);
    expect(watch.changes()).toBeUndefined();
    expect(new Stopwatch(process.timings, process).changes()?.size).toBe(0);
    expect(new Stopwatch(new Map(), process).changes()).toBeUndefined();
  });

  it('remembers that a first pass which timed nothing was made', () => {
    const process = new Process();
    process.timings = new Stopwatch(undefined, process).changes();
    expect(process.pass(START - 30 * SECOND)).toBe(0);
  });

  it('never counts more time than has passed since an activity began at any millisecond, whichever process measures it', () => {
    const wait = fc.integer({ min: 0, max: 5 * SECOND });
    fc.assert(
      fc.property(fc.nat(999), wait, fc.array(fc.tuple(wait, fc.boolean())), (offset, idle, events) => {
        const process = new Process(START + offset);
        // Give the leader empty timings, as after a pass without any activity.
        process.timings = new Stopwatch(undefined, process).changes();
        process.tick(idle);
        const begun = process.wall;
        const stored = parseTime(toTime(begun)) ?? 0;
        let leader = process;
        for (const [ms, isNew] of events) {
          leader.tick(ms);
          if (isNew) leader = new Process(leader.wall);
          const counted = leader.pass(stored);
          expect(counted).toBeLessThanOrEqual(leader.wall - begun);
          if (isNew) expect(counted).toBeGreaterThanOrEqual(leader.wall - begun - TIME_ROUNDING_MS);
        }
      }),
    );
  });

  it('counts exactly the time that passed, through any steps', () => {
    const event = fc.oneof(
      fc.record({ tick: fc.integer({ min: 0, max: 10 * 60 * SECOND }) }),
      fc.record({ step: fc.integer({ min: -2 * HOUR, max: 2 * HOUR }) }),
    );
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const process = new Process();
        process.pass(START);
        let passed = 0;
        for (const one of events) {
          if ('tick' in one) {
            process.tick(one.tick);
            passed += one.tick;
          } else process.wall += one.step;
          expect(process.pass(START)).toBe(passed);
        }
      }),
    );
  });
});
