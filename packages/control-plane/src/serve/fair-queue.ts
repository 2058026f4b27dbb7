import { ApiError } from '@outrigger/core';

export interface FairQueueOptions {
  /** The maximum number of requests that run at once. */
  readonly concurrent: number;
  /** The maximum number of waiting requests per caller. Further requests are rejected with Retry-After. */
  readonly waitingPerCaller: number;
}

/**
 * Shares the server among its callers. While the limit on concurrent requests is reached, callers with waiting requests take turns with one
 * request each, so that a caller that floods the server delays only its own requests.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  /** The waiting requests by caller, in the order of the callers' turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #running = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  async run<T>(caller: string, task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#options.concurrent) await this.#wait(caller);
    else this.#running += 1;
    try {
      return await task();
    } finally {
      this.#handOn();
    }
  }

  #wait(caller: string): Promise<void> {
    const queue = this.#waiting.get(caller) ?? [];
    if (queue.length >= this.#options.waitingPerCaller) {
      throw new ApiError('TooManyRequests', 'too many requests of yours are waiting, please try again later', {
        details: { retryAfterSeconds: 1 },
      });
    }
    this.#waiting.set(caller, queue);
    return new Promise((resolve) => queue.push(resolve));
  }

  /** Starts the next waiting request, if there is one, in place of the request that has ended. */
  #handOn(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#running -= 1;
      return;
    }
    const [caller, queue] = next;
    const start = queue.shift();
    this.#waiting.delete(caller);
    if (queue.length > 0) this.#waiting.set(caller, queue);
    start?.();
  }
}
