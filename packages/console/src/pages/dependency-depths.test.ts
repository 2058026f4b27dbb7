import { expect, test } from 'vitest';
import { dependencyDepths } from './dependency-depths.js';

const depthsOf = (needs: Record<string, string[]>) =>
  Object.fromEntries(dependencyDepths(Object.entries(needs).map(([name, dependsOn]) => ({ name, dependsOn }))));

test.each<[string, Record<string, string[]>, Record<string, number>]>([
  ['none', {}, {}],
  ['a chain', { a: [], b: ['a'], c: ['b'] }, { a: 0, b: 1, c: 2 }],
  ['a diamond', { a: [], b: ['a'], c: ['a'], d: ['b', 'c'] }, { a: 0, b: 1, c: 1, d: 2 }],
  ['a dependency that is not installed', { b: ['gone'] }, { b: 0 }],
  ['itself', { a: ['a'] }, { a: 0 }],
])('%s', (_, needs, depths) => {
  expect(depthsOf(needs)).toEqual(depths);
});

test('a cycle ends', () => {
  expect(Object.keys(depthsOf({ a: ['b'], b: ['c'], c: ['a'] }))).toEqual(['a', 'b', 'c']);
});
