import { TimeHeap } from '@outrigger/core';

/** A step of a run. It returns a promise only if it executes a controller's effect, which is an async function. */
export type Task = () => void | Promise<void>;

/** The virtual clock of a run, with the run's tasks in the order of their times. Time advances only when tasks run. */
export class Agenda {
  readonly #heap = new TimeHeap<Task>();
  #now: number;
  #steps = 0;

  constructor(startAt: number) {
    this.#now = startAt;
  }

  /** True time in milliseconds. */
  get now(): number {
    return this.#now;
  }

  get steps(): number {
    return this.#steps;
  }

  /** The instant of the next task. */
  get nextAt(): number | undefined {
    return this.#heap.peek()?.at;
  }

  at(instant: number, task: Task): void {
    this.#heap.push(Math.max(instant, this.#now), task);
  }

  after(delayMs: number, task: Task): void {
    this.at(this.#now + delayMs, task);
  }

  /**
   * Runs tasks up to the given time, or until `isOver` returns true after a task. The clock then shows the given time, or the time of the
   * last task.
   */
  async runUntil(instant: number, isOver: () => boolean = () => false): Promise<void> {
    for (let next = this.#heap.peek(); next && next.at <= instant; next = this.#heap.peek()) {
      this.#heap.pop();
      this.#now = next.at;
      this.#steps++;
      const running = next.value();
      if (running) await running;
      if (isOver()) return;
    }
    this.#now = Math.max(this.#now, instant);
  }
}
