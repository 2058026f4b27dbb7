/**
 * An async iterable to which other code pushes values. `end` ends it after all pushed values have been read; `fail` ends it immediately
 * with an error.
 */
export class AsyncQueue<T> implements AsyncIterableIterator<T> {
  readonly #items: T[] = [];
  readonly #readers: { resolve(result: IteratorResult<T>): void; reject(error: unknown): void }[] = [];
  #state: 'open' | 'ended' | { readonly error: unknown } = 'open';
  /** Called when the reader stops reading. */
  onReturn: () => void = () => undefined;

  push(item: T): void {
    if (this.#state !== 'open') return;
    const reader = this.#readers.shift();
    if (reader) reader.resolve({ done: false, value: item });
    else this.#items.push(item);
  }

  end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'ended';
    for (const reader of this.#readers.splice(0)) reader.resolve({ done: true, value: undefined });
  }

  fail(error: unknown): void {
    if (this.#state !== 'open') return;
    this.#state = { error };
    this.#items.length = 0;
    for (const reader of this.#readers.splice(0)) reader.reject(error);
  }

  next(): Promise<IteratorResult<T>> {
    if (this.#items.length > 0) return Promise.resolve({ done: false, value: this.#items.shift() as T });
    if (this.#state === 'ended') return Promise.resolve({ done: true, value: undefined });
    if (this.#state !== 'open') return Promise.reject(this.#state.error);
    return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
  }

  return(): Promise<IteratorResult<T>> {
    this.end();
    this.#items.length = 0;
    this.onReturn();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
