import type { Timers } from '@outrigger/core';

/** Something happened that a sleeper waits for. A wake while nobody sleeps is kept for the next one. */
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

  /** Forgets what nobody slept for: whoever calls this looks at everything anew. */
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

  /** The same, but not for longer than this. */
  async within(timers: Timers, delayMs: number): Promise<void> {
    const cancel = timers.after(delayMs, () => this.wake());
    await this.next();
    cancel();
  }
}
