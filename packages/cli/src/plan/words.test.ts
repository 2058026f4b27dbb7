import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { period } from './words.js';

const HOUR = 3600;

describe('a period of a plan', () => {
  it.each([
    [0, 0, 'at 0 s'],
    [0, 45, 'from 0 s to 45 s'],
    [45, 90, 'from 45 s to 90 s'],
    [90, 125, 'from 90 s for 35 s'],
    [120, 240, 'from 2 min to 4 min'],
    [15 * HOUR + 49 * 60, 15 * HOUR + 49 * 60 + 45, 'from 15 h 49 min for 45 s'],
    [15 * HOUR + 49 * 60 + 50, 15 * HOUR + 50 * 60 + 5, 'from 15 h 50 min for 15 s'],
    [15 * HOUR + 49 * 60, 15 * HOUR + 49 * 60, 'at 15 h 49 min'],
    [15 * HOUR, 16 * HOUR, 'from 15 h to 16 h'],
    [72 * HOUR, 72 * HOUR + 40 * 60, 'from 3 d for 40 min'],
    [72 * HOUR, 75 * HOUR, 'from 3 d to 3 d 3 h'],
  ] as const)('from %d s to %d s is "%s"', (from, to, text) => expect(period(from, to)).toBe(text));

  it('never has the same start and end', () => {
    const seconds = fc.integer({ min: 0, max: 40 * 24 * HOUR });
    fc.assert(
      fc.property(seconds, fc.integer({ min: 0, max: 2 * 24 * HOUR }), (from, length) => {
        const [, start, end] = /^from (.+) to (.+)$/.exec(period(from, from + length)) ?? [];
        expect(start === undefined || start !== end).toBe(true);
      }),
    );
  });
});
