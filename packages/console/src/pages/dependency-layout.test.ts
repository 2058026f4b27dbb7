import { expect, test } from 'vitest';
import { placeNodes } from './dependency-layout.js';

const graphOf = (...pairs: [string, string][]) => ({
  nodes: [...new Set(['m', ...pairs.flat()])].map((name) => ({ name, isDeclared: true })),
  edges: pairs.map(([from, to]) => ({ from, to, isRequired: true })),
});

test.each<[string, [string, string][], Record<string, number>]>([
  ['nothing', [], { m: 0 }],
  [
    'what it needs is on the left, what needs it on the right',
    [
      ['m', 'a'],
      ['b', 'm'],
    ],
    { m: 0, a: -1, b: 1 },
  ],
  [
    'further away with each step',
    [
      ['m', 'a'],
      ['a', 'b'],
      ['c', 'm'],
      ['d', 'c'],
    ],
    { m: 0, a: -1, b: -2, c: 1, d: 2 },
  ],
  [
    'a cycle ends',
    [
      ['m', 'a'],
      ['a', 'm'],
    ],
    { m: 0, a: -1 },
  ],
])('%s', (_, pairs, columns) => {
  expect(Object.fromEntries(placeNodes(graphOf(...pairs), 'm').map(({ name, column }) => [name, column]))).toEqual(columns);
});

test('no two nodes share a place', () => {
  const placed = placeNodes(graphOf(['m', 'a'], ['m', 'b'], ['m', 'c'], ['x', 'm'], ['y', 'm']), 'm');
  expect(new Set(placed.map(({ column, row }) => `${column}:${row}`)).size).toBe(placed.length);
});
