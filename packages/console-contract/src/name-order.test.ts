import { expect, it } from 'vitest';
import { compareNames } from './name-order.js';

const NAMES = ['', '0', '1', 'a', 'a-1', 'a0', 'a00', 'a01', 'a1', 'a1b', 'a2', 'a10', 'a10b2', 'a10b10', 'a99999999999999999999', 'b'];

it('numbers in names count as numbers', () => {
  const sorted = ['cluster10', 'cluster1', 'eu-2-b', 'cluster2', 'eu-10-a', 'eu-2-a'].sort(compareNames);
  expect(sorted).toEqual(['cluster1', 'cluster2', 'cluster10', 'eu-2-a', 'eu-2-b', 'eu-10-a']);
});

it('is a total order: exactly one of before, after and equal, and transitive', () => {
  for (const a of NAMES) {
    for (const b of NAMES) {
      expect(Math.sign(compareNames(a, b)) + Math.sign(compareNames(b, a)), `${a} ${b}`).toBe(0);
      expect(compareNames(a, b) === 0, `${a} ${b}`).toBe(a === b);
      for (const c of NAMES) {
        if (compareNames(a, b) < 0 && compareNames(b, c) < 0) expect(compareNames(a, c), `${a} ${b} ${c}`).toBeLessThan(0);
      }
    }
  }
});
