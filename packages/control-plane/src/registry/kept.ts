/** Values by key, made when first asked for; of more than `limit` the one least lately asked for is let go. */
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
