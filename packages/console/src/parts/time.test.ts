import { expect, test } from 'vitest';
import { formatAgo, formatExact, formatLength } from './time.js';

test.each([
  [0, '0 s'],
  [-5_000, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [14 * 60_000 + 30_000, '14 min'],
  [3_600_000, '1 h'],
  [3_600_000 * 3 + 60_000 * 20, '3 h 20 min'],
  [3_600_000 * 12 + 60_000 * 20, '12 h'],
  [86_400_000 * 2 + 3_600_000, '2 d 1 h'],
  [86_400_000 * 40, '40 d'],
])('%i ms is %s', (length, text) => {
  expect(formatLength(length)).toBe(text);
});

test.each([
  [1_000, 1_500, 'now'],
  [1_000, 61_000, '1 min ago'],
  [61_000, 1_000, 'in 1 min'],
])('%i seen at %i is %s', (at, now, text) => {
  expect(formatAgo(at, now)).toBe(text);
});

test('the exact time names the zone', () => {
  expect(formatExact(0, 'UTC')).toMatch(/1970.*UTC/);
});
