import type { Runtime } from '@outrigger/core';
import type { AnyResponse } from './respond.js';

/**
 * The answers that were written completely but that their clients have not read. A client that never reads, for example over HTTP/2 with a
 * window of zero, would keep its answers in the server's memory, so an unread answer is destroyed after `ms` milliseconds.
 */
export class UnreadAnswers {
  readonly #timers: Runtime['timers'];
  readonly #clock: Runtime['clock'];
  readonly #ms: number;
  /** The time at which each answer was written, oldest first. */
  readonly #since = new Map<AnyResponse, number>();
  #cancel: (() => void) | undefined;

  constructor({ timers, clock }: Pick<Runtime, 'timers' | 'clock'>, ms: number) {
    this.#timers = timers;
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Called when an answer has been written completely. */
  add(response: AnyResponse): void {
    if (response.destroyed || response.closed) return;
    this.#since.set(response, this.#clock.monotonic());
    response.once('close', () => this.#since.delete(response));
    this.#check();
  }

  /** Called when the server stops, which closes all connections. */
  stop(): void {
    this.#cancel?.();
    this.#since.clear();
  }

  /** Sets one timer for all answers, because clients read nearly every answer immediately. */
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
