/**
 * Memoizes a function by its argument object. For functions of cached records: records and their parts never change, and many passes read
 * the same ones.
 */
export function remember<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const found = known.get(key);
    if (found) return found.value;
    const value = compute(key);
    known.set(key, { value });
    return value;
  };
}
