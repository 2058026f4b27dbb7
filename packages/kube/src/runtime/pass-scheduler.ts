import { type Cancel, type Runtime, earliest } from '@outrigger/core';
import type { ControllerLoop } from './controller-loop.js';

/**
 * The time for which passes run before the scheduler yields to the event loop, so that timers and I/O, such as the renewal of the leader's
 * lease, are not delayed.
 */
const SLICE_MS = 8;
/** Maximum number of passes in one turn. Needed for a clock that does not advance during a turn, such as a virtual clock. */
const SLICE_PASSES = 1000;

/** Shares the thread between controllers in time slices. The controllers take turns, one pass each. */
export class PassScheduler {
  readonly #runtime: Runtime;
  readonly #loops: readonly ControllerLoop[];
  #next = 0;
  #scheduled = false;
  #stopped = false;
  #cancelTimer: Cancel = () => undefined;

  constructor(runtime: Runtime, loops: readonly ControllerLoop[]) {
    this.#runtime = runtime;
    this.#loops = loops;
  }

  wake(): void {
    if (this.#scheduled || this.#stopped) return;
    this.#scheduled = true;
    void this.#runtime.timers.yield().then(() => this.#slice());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelTimer();
  }

  #slice(): void {
    this.#scheduled = false;
    if (this.#stopped || this.#runtime.scope.isCut) return;
    const { clock } = this.#runtime;
    const endAt = clock.monotonic() + SLICE_MS;
    let passes = 0;
    let isBusy = true;
    while (isBusy && passes++ < SLICE_PASSES && clock.monotonic() < endAt) isBusy = this.#runOne();
    for (const loop of this.#loops) loop.reportDepth();
    if (isBusy) this.wake();
    else this.#sleep();
  }

  #runOne(): boolean {
    for (let tried = 0; tried < this.#loops.length; tried++) {
      const loop = this.#loops[this.#next++ % this.#loops.length];
      if (loop?.runNext()) return true;
    }
    return false;
  }

  #sleep(): void {
    this.#cancelTimer();
    const dueAt = earliest(...this.#loops.map((loop) => loop.nextDueAt()));
    if (dueAt === undefined) return;
    const delayMs = Math.max(0, dueAt - this.#runtime.clock.monotonic());
    this.#cancelTimer = this.#runtime.timers.after(Math.ceil(delayMs), () => this.wake());
  }
}
