import { BoundedCache } from './bounded-cache.js';

/** Caches the results of a function for as long as the argument object exists. The object must not change. */
export function memoize<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const found = known.get(key);
    if (found) return found.value;
    const value = compute(key);
    known.set(key, { value });
    return value;
  };
}

/**
 * The weight of a cached string is its length plus this constant. A memoized function therefore caches the results for at most a thousand
 * strings, and for fewer if the strings are long.
 */
const TEXT_WEIGHT = 2_000;
const TEXTS_WEIGHT = 2_000_000;

/** Caches the results for recently used strings, so that an expression is compiled once instead of with every use. */
export function memoizeText<V>(compute: (text: string) => V): (text: string) => V {
  const cache = new BoundedCache<V>({ limit: TEXTS_WEIGHT, weightOf: (text) => TEXT_WEIGHT + text.length });
  return (text) => cache.get(text, compute);
}
