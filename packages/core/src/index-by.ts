/**
 * Indexes values by key. The values of one key keep their original order. A value whose keys contain the same key twice is listed once
 * under that key.
 */
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
