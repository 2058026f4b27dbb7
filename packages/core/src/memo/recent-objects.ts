/**
 * A cache of values, keyed by objects. A value is kept while its object exists and was used recently. The cache has at most twice `limit`
 * entries. It keeps two generations instead of the exact order of use, so that most lookups do not modify the cache.
 */
export class RecentObjects<K extends object, V> {
  readonly #limit: number;
  #young = new WeakMap<K, V>();
  #old = new WeakMap<K, V>();
  #added = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: K): V | undefined {
    const known = this.#young.get(key);
    if (known !== undefined) return known;
    const older = this.#old.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: K, value: V): void {
    if (this.#added === this.#limit) {
      this.#old = this.#young;
      this.#young = new WeakMap();
      this.#added = 0;
    }
    this.#young.set(key, value);
    this.#added++;
  }
}
