import { expect, it } from 'vitest';
import { indexBy } from './index-by.js';

it('returns the values by each of their keys, in their order, and once by a key that they have twice', () => {
  const index = indexBy([['a', 'b'], ['b', 'b'], []], (value) => value);
  expect([...index]).toEqual([
    ['a', [['a', 'b']]],
    [
      'b',
      [
        ['a', 'b'],
        ['b', 'b'],
      ],
    ],
  ]);
});
