const CHUNK = 512;

/**
 * An ordered set of strings, kept as a list of short sorted arrays (chunks). Adding and removing a key moves at most one chunk, ranks are
 * counted by chunk, and iteration visits the chunks in order.
 */
export class SortedKeys {
  readonly #chunks: string[][] = [[]];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a key, if the set does not contain it. Returns the string that the set contains, so that callers can share it. */
  add(key: string): string {
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at] as string[];
    const index = lowerBound(chunk, key);
    const known = chunk[index];
    if (known === key) return known;
    chunk.splice(index, 0, key);
    this.#size++;
    if (chunk.length > CHUNK) this.#chunks.splice(at + 1, 0, chunk.splice(CHUNK / 2));
    return key;
  }

  /** Returns the equal string that the set contains, or `key` if it contains none. */
  own(key: string): string {
    const chunk = this.#chunks[this.#chunkOf(key)] as string[];
    const known = chunk[lowerBound(chunk, key)];
    return known === key ? known : key;
  }

  /** Removes a key. Returns the string that the set contained, or `key` if it contained none. */
  delete(key: string): string {
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at] as string[];
    const index = lowerBound(chunk, key);
    const known = chunk[index];
    if (known !== key) return key;
    chunk.splice(index, 1);
    this.#size--;
    if (chunk.length === 0 && this.#chunks.length > 1) this.#chunks.splice(at, 1);
    return known;
  }

  /** Yields the keys that are not below `start`, in order. The set must not change during the iteration. */
  *from(start: string): Generator<string, void, void> {
    const first = this.#chunkOf(start);
    let index = lowerBound(this.#chunks[first] as string[], start);
    for (let at = first; at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at] as string[];
      for (; index < chunk.length; index++) yield chunk[index] as string;
      index = 0;
    }
  }

  /** Returns the number of keys below `key`. */
  rank(key: string): number {
    const at = this.#chunkOf(key);
    let before = 0;
    for (let i = 0; i < at; i++) before += (this.#chunks[i] as string[]).length;
    return before + lowerBound(this.#chunks[at] as string[], key);
  }

  /** Returns the index of the last chunk that starts at or below `key`. */
  #chunkOf(key: string): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const first = this.#chunks[middle]?.[0];
      if (first !== undefined && first <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function lowerBound(sorted: readonly string[], key: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
