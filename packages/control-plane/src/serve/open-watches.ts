import { ApiError } from '@outrigger/core';

/** Counts the open watches of each user, and refuses more than a maximum, because every watch is kept in memory and gets every event. */
export class OpenWatches {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts a watch of the user. Returns a function to call when the watch has ended. Throws TooManyRequests above the maximum. */
  begin(user: string): () => void {
    const count = this.#counts.get(user) ?? 0;
    if (count >= this.#most) {
      throw new ApiError('TooManyRequests', `user ${JSON.stringify(user)} has ${count} open watches, the maximum; close some of them`, {
        details: { retryAfterSeconds: 1 },
      });
    }
    this.#counts.set(user, count + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.#counts.get(user) ?? 1) - 1;
      if (left === 0) this.#counts.delete(user);
      else this.#counts.set(user, left);
    };
  }
}
