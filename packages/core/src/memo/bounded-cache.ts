export interface BoundedCacheOptions<V> {
  /** The maximum total weight of all values. */
  readonly limit: number;
  /** Returns the weight of a value. It is 1 by default, so that `limit` is a number of values. */
  readonly weightOf?: (key: string, value: V) => number;
}

/** A cache of values by string key, computed on first use. Above the limit, the least recently used values are dropped. */
export class BoundedCache<V> {
  readonly #values = new Map<string, V>();
  readonly #limit: number;
  readonly #weightOf: (key: string, value: V) => number;
  #weight = 0;

  constructor({ limit, weightOf = () => 1 }: BoundedCacheOptions<V>) {
    this.#limit = limit;
    this.#weightOf = weightOf;
  }

  get size(): number {
    return this.#values.size;
  }

  /** Returns the cached value, or computes and caches it. Nothing is cached if `compute` throws. */
  get(key: string, compute: (key: string) => V): V {
    const known = this.#values.get(key);
    if (known === undefined) return this.#add(key, compute(key));
    this.#values.delete(key);
    this.#values.set(key, known);
    return known;
  }

  #add(key: string, value: V): V {
    this.#values.set(key, value);
    this.#weight += this.#weightOf(key, value);
    for (const [oldest, dropped] of this.#values) {
      if (this.#weight <= this.#limit || oldest === key) break;
      this.#values.delete(oldest);
      this.#weight -= this.#weightOf(oldest, dropped);
    }
    return value;
  }
}
