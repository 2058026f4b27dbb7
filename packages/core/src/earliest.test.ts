import { expect, it } from 'vitest';
import { earliest } from './earliest.js';

it.each([
  { name: 'the earliest of several times', times: [3, 1, 2], found: 1 },
  { name: 'leaves out times that are not known', times: [undefined, 5, undefined], found: 5 },
  { name: 'counts the time 0', times: [0, undefined, 7], found: 0 },
  { name: 'knows no time if none is known', times: [undefined], found: undefined },
  { name: 'knows no time without times', times: [], found: undefined },
])('$name', ({ times, found }) => {
  expect(earliest(...times)).toBe(found);
});
