import { describe, expect, it } from 'vitest';
import { nowAt } from '../../testing/table-tests.js';
import { type SeenTime, ageOf, seeTime } from './seen-times.js';

describe('the age of a time in an object', () => {
  const START = Date.parse('2026-01-01T00:00:00Z');
  const renewed = (secondsAfterStart: number): number => START + secondsAfterStart * 1000;
  function clockAt(): { age(time: number | undefined): number | undefined; tick(ms: number): void; jump(ms: number): void } {
    let [wall, monotonic] = [START, 0];
    let seen: SeenTime | undefined;
    return {
      age(time) {
        const now = nowAt(wall, monotonic);
        seen = seeTime(seen, 'u', time, now);
        return seen && ageOf(seen, now);
      },
      tick: (ms) => {
        wall += ms;
        monotonic += ms;
      },
      jump: (ms) => {
        wall += ms;
      },
    };
  }

  it('starts from the wall clock at first sight, and grows', () => {
    const { age, tick } = clockAt();
    expect(age(renewed(-100))).toBe(100_000);
    tick(5_000);
    expect(age(renewed(-100))).toBe(105_000);
  });

  it('is zero right after a renewal', () => {
    const { age, tick } = clockAt();
    age(renewed(0));
    tick(60_000);
    expect(age(renewed(60))).toBe(0);
  });

  it.each([3_600_000, -3_600_000])('AT-48 does not change when the wall clock jumps by %i ms', (ms) => {
    const { age, tick, jump } = clockAt();
    age(renewed(0));
    jump(ms);
    tick(60_000);
    expect(age(renewed(0))).toBe(60_000);
    expect(age(renewed(60))).toBe(0);
    tick(30_000);
    expect(age(renewed(60))).toBe(30_000);
  });

  it('AT-48 does not change when the holder’s clock jumps', () => {
    const { age, tick } = clockAt();
    age(renewed(0));
    tick(60_000);
    expect(age(renewed(3_660))).toBe(0);
  });

  it('believes a lease that is set back to a time long ago', () => {
    const { age, tick } = clockAt();
    age(renewed(0));
    tick(1_000);
    expect(age(renewed(-600))).toBe(601_000);
  });

  it('starts again with another object', () => {
    const now = nowAt(START, 0);
    const seen = seeTime(seeTime(undefined, 'u', renewed(0), now), 'v', renewed(-100), now);
    expect(seen && ageOf(seen, now)).toBe(100_000);
  });

  it('is unknown if it was never renewed', () => {
    const { age } = clockAt();
    expect(age(undefined)).toBeUndefined();
  });
});
