import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, formatDurationNanos, parseDuration, parseDurationNanos } from './duration.js';

describe('durations', () => {
  it.each([
    ['0', 0],
    ['5s', 5000],
    ['1h30m', 5_400_000],
    ['-1.5s', -1500],
    ['+5s', 5000],
    ['.5s', 500],
    ['1.s', 1000],
    ['300ms', 300],
    ['1µs', 0.001],
    ['1μs', 0.001],
    ['1h1m1s1ms1us1ns', 3_661_001.001001],
    ['100h', 360_000_000],
  ])('%s is %d ms', (text, want) => expect(parseDuration(text)).toBeCloseTo(want, 9));

  it.each(['', '5', 's', '.s', '1d', '1 s', '1s ', '--1s', '1e3s', '1h-5m', `${'9'.repeat(30)}h`, '1'.repeat(1000)])(
    'refuses %j',
    (text) => {
      expect(() => parseDuration(text)).toThrow('time: invalid duration');
    },
  );

  it.each([
    [0, '0s'],
    [1500, '1.5s'],
    [100, '100ms'],
    [0.0015, '1.5µs'],
    [0.000001, '1ns'],
    [60_000, '1m0s'],
    [5_400_000, '1h30m0s'],
    [-90_500, '-1m30.5s'],
  ])('%d ms is written %s', (ms, want) => expect(formatDuration(ms)).toBe(want));

  it('a formatted duration is parsed to the same value', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 62n), 2n ** 62n), (nanos) => {
        expect(parseDurationNanos(formatDurationNanos(nanos))).toBe(nanos);
      }),
    );
  });
});
