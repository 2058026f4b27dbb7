import { expect, test } from 'vitest';
import { RecentObjects } from './recent-objects.js';

test('keeps values that were set or read recently and drops the others', () => {
  const recent = new RecentObjects<object, number>(2);
  const keys = Array.from({ length: 6 }, () => ({}));
  const [first, second, ...rest] = keys as [object, object, ...object[]];
  recent.set(first, 1);
  recent.set(second, 2);
  recent.set(rest[0] as object, 3);
  expect([recent.get(first), recent.get(second)], 'values of the previous generation').toEqual([1, 2]);
  recent.set(rest[1] as object, 4);
  expect(recent.get(first), 'a value that was read').toBe(1);
  recent.set(rest[2] as object, 5);
  recent.set(rest[3] as object, 6);
  expect(recent.get(rest[0] as object), 'a value that was not read').toBeUndefined();
  expect(recent.get({})).toBeUndefined();
});
