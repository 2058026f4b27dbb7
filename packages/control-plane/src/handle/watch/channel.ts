/** A slow reader may fall this many events behind before its watch is ended; it then resumes from the last version it saw. */
const MAX_BEHIND = 100_000;

/**
 * Events between the hub and one reader. Writing never waits; reading waits for the next event or the end. The reader leaving
 * (`return`) and the writer ending both run `onEnd` once.
 */
export class Channel<T> implements AsyncIterable<T> {
  #queue: T[] = [];
  #head = 0;
  #wake: (() => void) | undefined;
  #ended = false;
  /** What the reader asked for itself may be read at leisure; only what comes after may fill up. */
  #allowed = MAX_BEHIND;
  readonly #onEnd: () => void;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  push(item: T): void {
    if (this.#ended) return;
    this.#queue.push(item);
    if (this.#queue.length - this.#head > this.#allowed) this.end();
    this.#notify();
  }

  /** For what is there when the watch begins, however much that is. */
  pushInitial(item: T): void {
    this.#allowed++;
    this.push(item);
  }

  /** Ends the channel; queued events are still delivered. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd();
    this.#notify();
  }

  /** The next item if one is there already; for a reader that takes several at once. */
  poll(): T | undefined {
    return this.#head < this.#queue.length ? this.#take() : undefined;
  }

  /** Written by hand: a generator costs several turns per item, and a busy server hands on every event thousands of times. */
  [Symbol.asyncIterator](): AsyncIterableIterator<T> {
    const iterator: AsyncIterableIterator<T> = {
      next: () => this.#next(),
      return: async () => {
        this.#queue = [];
        this.#head = 0;
        this.end();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  }

  async #next(): Promise<IteratorResult<T, undefined>> {
    while (this.#head === this.#queue.length && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#head < this.#queue.length ? { done: false, value: this.#take() } : { done: true, value: undefined };
  }

  #take(): T {
    const item = this.#queue[this.#head++] as T;
    if (this.#head === this.#queue.length) {
      this.#queue = [];
      this.#head = 0;
    }
    return item;
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
