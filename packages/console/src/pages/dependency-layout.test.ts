import { describe, expect, it, test } from 'vitest';
import { columnSizes, nodeText, placeNodes } from './dependency-layout.js';

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

describe('the drawing', () => {
  it.each([1, 2, 3, 6])('of %i columns fits its box, or is as narrow as it can be read', (columns) => {
    const widthIn = (available: number) => {
      const { width, gap } = columnSizes(columns, available);
      return columns * width + (columns - 1) * gap;
    };
    const narrowest = widthIn(1);
    for (let available = 1; available < 1_500; available += 7) {
      expect(widthIn(available)).toBeLessThanOrEqual(Math.max(narrowest, available - 2));
    }
    expect(widthIn(0)).toBe(widthIn(2_000));
  });

  it.each([
    ['metrics', true, 20, 'metrics'],
    ['a-very-long-name-of-an-add-on', true, 12, 'a-very-long…'],
    ['ghost', false, 20, 'ghost (missing)'],
    ['a-very-long-name-of-an-add-on', false, 20, 'a-very-lo… (missing)'],
    ['a-very-long-name', false, 11, 'a-very… (!)'],
  ])('writes %s, declared: %s, in at most %i characters', (name, isDeclared, most, text) => {
    expect(nodeText(name, isDeclared, most)).toBe(text);
    expect(text.length).toBeLessThanOrEqual(most);
  });
});
