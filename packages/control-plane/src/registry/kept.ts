/** A cache of values by key, computed on first use; above `limit` the least recently used value is dropped. */
export function kept<T>(limit: number): (key: string, make: () => T) => T {
  const values = new Map<string, T>();
  return (key, make) => {
    const value = values.get(key) ?? make();
    values.delete(key);
    values.set(key, value);
    const [oldest] = values.keys();
    if (values.size > limit && oldest !== undefined) values.delete(oldest);
    return value;
  };
}
