import { describe, expect, it } from 'vitest';
import { age, span } from './age.js';

describe('ages', () => {
  it.each([
    [0, '0s'],
    [5_000, '5s'],
    [65_000, '1m5s'],
    [600_000, '10m'],
    [3_600_000, '1h'],
    [5_400_000, '1h30m'],
    [90_000_000, '1d1h'],
    [30 * 86_400_000, '30d'],
  ])('%i ms reads %s', (ms, want) => expect(span(ms)).toBe(want));
  it('of an object without a time is empty', () => expect(age(undefined, 0)).toBeUndefined());
  it('is never negative, even if the clocks differ', () =>
    expect(age('2026-01-01T00:00:10Z', Date.parse('2026-01-01T00:00:00Z'))).toBe('0s'));
});
