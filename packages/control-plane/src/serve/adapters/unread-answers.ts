import type { Runtime } from '@outrigger/core';
import type { AnyResponse } from './respond.js';

/**
 * The answers that were written in full and that their clients have not read. A client that never reads, for example over HTTP/2 with a
 * window of zero, would keep its answers in the memory of the server; after `ms` they are dropped.
 */
export class UnreadAnswers {
  readonly #timers: Runtime['timers'];
  readonly #clock: Runtime['clock'];
  readonly #ms: number;
  /** With the time at which each was written; oldest first. */
  readonly #since = new Map<AnyResponse, number>();
  #cancel: (() => void) | undefined;

  constructor({ timers, clock }: Pick<Runtime, 'timers' | 'clock'>, ms: number) {
    this.#timers = timers;
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Call when an answer was written to its end. */
  add(response: AnyResponse): void {
    if (response.destroyed || response.closed) return;
    this.#since.set(response, this.#clock.monotonic());
    response.once('close', () => this.#since.delete(response));
    this.#check();
  }

  /** Call when the server stops, which closes all connections. */
  stop(): void {
    this.#cancel?.();
    this.#since.clear();
  }

  /** One timer for all answers, because nearly every answer is read at once. */
  #check(): void {
    if (this.#cancel || this.#since.size === 0) return;
    this.#cancel = this.#timers.after(this.#ms, () => {
      this.#cancel = undefined;
      const now = this.#clock.monotonic();
      for (const [response, since] of this.#since) {
        if (now - since < this.#ms) break;
        this.#since.delete(response);
        response.destroy();
      }
      this.#check();
    });
  }
}
