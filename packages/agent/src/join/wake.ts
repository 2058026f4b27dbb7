import type { Timers } from '@outrigger/core';

/** Wakes one waiting caller. If no caller is waiting, the wake is kept for the next caller. */
export class Wake {
  readonly #ended: AbortSignal;
  #isPending = false;
  #resolve: (() => void) | undefined;

  constructor(ended: AbortSignal) {
    this.#ended = ended;
  }

  wake(): void {
    if (this.#resolve) this.#resolve();
    else this.#isPending = true;
  }

  /** Drops a kept wake, because the caller reads the current state anyway. */
  clear(): void {
    this.#isPending = false;
  }

  async next(): Promise<void> {
    if (!this.#isPending && !this.#ended.aborted) {
      await new Promise<void>((resolve) => {
        this.#resolve = resolve;
      });
    }
    this.#resolve = undefined;
    this.#isPending = false;
  }

  /** Like `next`, but resolves after `delayMs` at the latest. */
  async within(timers: Timers, delayMs: number): Promise<void> {
    const cancel = timers.after(delayMs, () => this.wake());
    await this.next();
    cancel();
  }
}
