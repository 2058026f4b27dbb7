import { expect, test } from 'vitest';
import { Recent } from './recent.js';

test('what was set or asked for lately is known, what was not is forgotten', () => {
  const recent = new Recent<object, number>(2);
  const keys = Array.from({ length: 6 }, () => ({}));
  const [first, second, ...rest] = keys as [object, object, ...object[]];
  recent.set(first, 1);
  recent.set(second, 2);
  recent.set(rest[0] as object, 3);
  expect([recent.get(first), recent.get(second)], 'older ones are kept for a generation').toEqual([1, 2]);
  recent.set(rest[1] as object, 4);
  expect(recent.get(first), 'asking keeps').toBe(1);
  recent.set(rest[2] as object, 5);
  recent.set(rest[3] as object, 6);
  expect(recent.get(rest[0] as object), 'nobody asked for it').toBeUndefined();
  expect(recent.get({})).toBeUndefined();
});
