import { type Cancel, type Random, TimeHeap } from '@outrigger/core';
import { endOfTurn } from './adapters/turn.js';
import { createPrng } from './prng.js';

export interface SimulatorOptions {
  readonly seed: string | number;
  /** Wall time at the start, in milliseconds since the epoch. */
  readonly startAt?: number;
}

const START_AT = 1_767_225_600_000; // 2026-01-01T00:00:00Z

interface Task {
  readonly run: () => void;
  isCancelled: boolean;
}

/**
 * The only source of macrotasks of a simulation: a heap of tasks in virtual time. All promise callbacks caused by a task run before the
 * next task, so a run is a function of its seed.
 */
export class Simulator {
  readonly seed: string;
  readonly random: Random;
  readonly #startAt: number;
  readonly #tasks = new TimeHeap<Task>();
  readonly #log: string[] = [];
  /** Asynchronous work that runs outside this thread (WebCrypto), oldest first. */
  #outside: Promise<() => void>[] = [];
  #now = 0;

  constructor({ seed, startAt = START_AT }: SimulatorOptions) {
    this.seed = String(seed);
    this.random = createPrng(`${this.seed}/simulator`);
    this.#startAt = startAt;
  }

  /** The virtual time in milliseconds since the start. */
  get now(): number {
    return this.#now;
  }

  get wallNow(): number {
    return this.#startAt + this.#now;
  }

  /** The log of the run, in order. Equal for equal seeds. */
  get log(): readonly string[] {
    return this.#log;
  }

  note(text: string): void {
    this.#log.push(`${this.#now.toFixed(3)} ${text}`);
  }

  schedule(delayMs: number, run: () => void): Cancel {
    return this.scheduleAt(this.#now + delayMs, run);
  }

  /** Like `schedule`, but at an absolute time. A delay computed from two times is rounded, so the task could run too early. */
  scheduleAt(at: number, run: () => void): Cancel {
    const task = { run, isCancelled: false };
    this.#tasks.push(Math.max(at, this.#now), task);
    return () => {
      task.isCancelled = true;
    };
  }

  /** Awaits work done outside this thread and settles each result in a separate turn, in the order of the requests. */
  settleInOrder<T>(work: Promise<T>, settle: { readonly resolve: (value: T) => void; readonly reject: (error: unknown) => void }): void {
    this.#outside.push(
      work.then(
        (value) => () => settle.resolve(value),
        (error: unknown) => () => settle.reject(error),
      ),
    );
  }

  /** Runs all tasks due within the next `ms` milliseconds and advances the virtual clock by `ms`. */
  async advance(ms: number): Promise<void> {
    const endAt = this.#now + ms;
    do await this.#settle();
    while (this.#runNext(endAt));
    this.#now = endAt;
  }

  /** Runs until `isDone` returns true at the end of a turn. Throws if this takes longer than `withinMs`, or if no tasks are left. */
  async runUntil(isDone: () => boolean, withinMs = 3_600_000): Promise<void> {
    const endAt = this.#now + withinMs;
    await this.#settle();
    while (!isDone()) {
      if (!this.#runNext(endAt)) throw new Error(`not done after ${withinMs} ms of virtual time (seed ${this.seed})`);
      await this.#settle();
    }
  }

  #runNext(endAt: number): boolean {
    for (;;) {
      const next = this.#tasks.peek();
      if (next === undefined || next.at > endAt) return false;
      this.#tasks.pop();
      if (next.value.isCancelled) continue;
      this.#now = Math.max(this.#now, next.at);
      next.value.run();
      return true;
    }
  }

  async #settle(): Promise<void> {
    await endOfTurn();
    while (this.#outside.length > 0) {
      const outside = this.#outside;
      this.#outside = [];
      for (const work of outside) this.schedule(0, await work);
      await endOfTurn();
    }
  }
}
