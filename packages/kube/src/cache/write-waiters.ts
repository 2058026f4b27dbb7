import { type Cancel, keyString, type ObjectKey } from '@outrigger/core';

/** A write by this process that a cache must contain before the next pass over the key. */
export interface AwaitedWrite {
  readonly key: ObjectKey;
  /** The resourceVersion in the server's response. */
  readonly resourceVersion?: string;
  /** The uid of a deleted object. The wait ends when the cache contains no object with this uid under the key. */
  readonly goneUid?: string;
}

interface Waiter {
  readonly write: AwaitedWrite;
  readonly task: () => void;
}

/** The waiters of each object. An event is compared with the waiters of its object. A bookmark or a relist is compared with all waiters. */
export class WriteWaiters {
  readonly #byKey = new Map<string, Set<Waiter>>();
  readonly #isReached: (write: AwaitedWrite) => boolean;

  constructor(isReached: (write: AwaitedWrite) => boolean) {
    this.#isReached = isReached;
  }

  add(write: AwaitedWrite, task: () => void): Cancel {
    if (this.#isReached(write)) {
      task();
      return () => undefined;
    }
    const waiter = { write, task };
    const id = keyString(write.key);
    const waiters = this.#byKey.get(id) ?? new Set();
    this.#byKey.set(id, waiters.add(waiter));
    return () => this.#forget(id, waiter);
  }

  check(key: ObjectKey): void {
    if (this.#byKey.size > 0) this.#check(keyString(key));
  }

  checkAll(): void {
    for (const id of this.#byKey.keys()) this.#check(id);
  }

  releaseAll(): void {
    for (const [id, waiters] of this.#byKey) for (const waiter of waiters) this.#release(id, waiter);
  }

  #check(id: string): void {
    for (const waiter of this.#byKey.get(id) ?? []) if (this.#isReached(waiter.write)) this.#release(id, waiter);
  }

  #release(id: string, waiter: Waiter): void {
    this.#forget(id, waiter);
    waiter.task();
  }

  #forget(id: string, waiter: Waiter): void {
    const waiters = this.#byKey.get(id);
    if (waiters?.delete(waiter) && waiters.size === 0) this.#byKey.delete(id);
  }
}
