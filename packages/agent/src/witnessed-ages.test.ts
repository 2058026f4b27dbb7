import { describe, expect, it } from 'vitest';
import { WitnessedAges } from './witnessed-ages.js';

describe('the age of a time in an object', () => {
  const START = Date.parse('2026-01-01T00:00:00Z');
  const renewed = (secondsAfterStart: number): string => new Date(START + secondsAfterStart * 1000).toISOString();
  function clockAt(): { ages: WitnessedAges; tick(ms: number): void; jump(ms: number): void } {
    let [wall, monotonic] = [START, 0];
    const ages = new WitnessedAges({ now: () => wall, monotonic: () => monotonic });
    return {
      ages,
      tick: (ms) => {
        wall += ms;
        monotonic += ms;
      },
      jump: (ms) => {
        wall += ms;
      },
    };
  }

  it('goes by the wall clock at first sight, and grows', () => {
    const { ages, tick } = clockAt();
    expect(ages.ageOf('u', renewed(-100))).toBe(100_000);
    tick(5_000);
    expect(ages.ageOf('u', renewed(-100))).toBe(105_000);
  });

  it('is zero right after a renewal', () => {
    const { ages, tick } = clockAt();
    ages.ageOf('u', renewed(0));
    tick(60_000);
    expect(ages.ageOf('u', renewed(60))).toBe(0);
  });

  it.each([3_600_000, -3_600_000])('AT-48 does not change when the wall clock jumps by %i ms', (ms) => {
    const { ages, tick, jump } = clockAt();
    ages.ageOf('u', renewed(0));
    jump(ms);
    tick(60_000);
    expect(ages.ageOf('u', renewed(0))).toBe(60_000);
    expect(ages.ageOf('u', renewed(60))).toBe(0);
    tick(30_000);
    expect(ages.ageOf('u', renewed(60))).toBe(30_000);
  });

  it('AT-48 does not change when the holder’s clock jumps', () => {
    const { ages, tick } = clockAt();
    ages.ageOf('u', renewed(0));
    tick(60_000);
    expect(ages.ageOf('u', renewed(3_660))).toBe(0);
  });

  it('believes a lease that is set back to a time long ago', () => {
    const { ages, tick } = clockAt();
    ages.ageOf('u', renewed(0));
    tick(1_000);
    expect(ages.ageOf('u', renewed(-600))).toBe(601_000);
  });

  it('is unknown where it was never renewed', () => {
    const { ages } = clockAt();
    expect(ages.ageOf('u', undefined)).toBeUndefined();
  });
});
