/** Returns the values by each of their keys, in the order of the values. A value is found once by a key that it has twice. */
export function indexBy<T>(values: Iterable<T>, keysOf: (value: T) => Iterable<string>): ReadonlyMap<string, readonly T[]> {
  const index = new Map<string, T[]>();
  for (const value of values) {
    for (const key of new Set(keysOf(value))) {
      const found = index.get(key);
      if (found) found.push(value);
      else index.set(key, [value]);
    }
  }
  return index;
}
