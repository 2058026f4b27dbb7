/**
 * The maximum number of undelivered events of one reader. Above this number, the watch ends. The client then resumes from the last
 * resourceVersion that it received, and the server sends the missed events from the store. The limit is small, because queued events keep
 * their objects in memory.
 */
const MAX_BEHIND = 10_000;

/**
 * A queue of events between the watch hub and one reader. Writing never waits; reading waits for the next event or the end. `onEnd` runs
 * once, whether the reader stops (`return`) or the writer ends the channel.
 */
export class Channel<T extends NonNullable<unknown>> implements AsyncIterable<T> {
  #backlog: Iterator<T> | undefined;
  #queue: T[] = [];
  #head = 0;
  #wake: (() => void) | undefined;
  #ended = false;
  /** The maximum number of queued events: MAX_BEHIND plus the number of initial events, which is not limited. */
  #allowed = MAX_BEHIND;
  readonly #onEnd: () => void;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  /** Delivers the events of `backlog` before all others. Each event is created when the reader takes it. */
  begin(backlog: Iterable<T>): void {
    this.#backlog = backlog[Symbol.iterator]();
    this.#notify();
  }

  push(item: T): void {
    if (this.#ended) return;
    this.#queue.push(item);
    if (this.#queue.length - this.#head > this.#allowed) this.end();
    this.#notify();
  }

  /** Queues an event of the initial state. The number of such events is not limited. */
  pushInitial(item: T): void {
    this.#allowed++;
    this.push(item);
  }

  /** Ends the channel without delivering the queued events. */
  cut(): void {
    this.#queue = [];
    this.#head = 0;
    this.end();
  }

  /** Ends the channel. Queued events are still delivered. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd();
    this.#notify();
  }

  /** Returns the next item if one is queued, for a reader that takes several items at once. */
  poll(): T | undefined {
    const old = this.#backlog?.next();
    if (old && !old.done) return old.value;
    this.#backlog = undefined;
    return this.#head < this.#queue.length ? this.#take() : undefined;
  }

  /**
   * Returns an iterator. A generator would be slower, because it needs several turns of the event loop per item, and a busy server forwards
   * every event thousands of times.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<T> {
    const iterator: AsyncIterableIterator<T> = {
      next: () => this.#next(),
      return: async () => {
        this.#backlog = undefined;
        this.cut();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  }

  async #next(): Promise<IteratorResult<T, undefined>> {
    for (;;) {
      const value = this.poll();
      if (value !== undefined) return { done: false, value };
      if (this.#ended) return { done: true, value };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
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
