import { parseTime } from '@outrigger/core';
import type { Now } from '@outrigger/kube';

/** Where a stored instant is on the monotonic clock of this process. */
export interface Timing {
  /** In milliseconds of wall time, as somebody wrote it down. */
  readonly stored: number;
  /** By the monotonic clock; before this process started, it may be negative. */
  readonly startedAt: number;
}

/** What a cluster can be timed at. */
export type Activity = 'moving' | 'soaking' | 'away';

export type Timings = ReadonlyMap<string, Timing>;

/**
 * The hub's clock, which no step of the wall clock moves. Instants are stored as wall time; within one process they are timed by its
 * monotonic clock: what begins while the process leads is timed from when it is first seen, which is a moment late and never early. Only
 * what a predecessor left behind is believed from its stored time, and what is ahead of the clock there counts as beginning now.
 *
 * It lasts one pass, answers from what the pass before it timed, and gathers what the next one is to know.
 */
export class Stopwatch {
  readonly #before: Timings | undefined;
  readonly #now: Pick<Now, 'wall' | 'monotonic'>;
  readonly #running = new Map<string, Timing>();
  #isChanged = false;

  /** `before` is undefined where this process has timed nothing yet. */
  constructor(before: Timings | undefined, now: Pick<Now, 'wall' | 'monotonic'>) {
    this.#before = before;
    this.#now = now;
  }

  get wall(): number {
    return this.#now.wall;
  }

  /** Since when, in wall time as it reads now. */
  since(activity: Activity, name: string, stored: number): number {
    const { startedAt } = this.#timing(`${activity} ${name}`, stored);
    return this.#now.wall - (this.#now.monotonic - startedAt);
  }

  /** Times something from this pass on, which writes down `time` for it. */
  start(activity: Activity, name: string, time: string): void {
    this.#set(`${activity} ${name}`, { stored: parseTime(time) ?? this.#now.wall, startedAt: this.#now.monotonic });
  }

  /** What the next pass is to know, or undefined if it is what this one knew. */
  changes(): Timings | undefined {
    return this.#isChanged || this.#running.size !== (this.#before?.size ?? 0) ? this.#running : undefined;
  }

  #timing(key: string, stored: number): Timing {
    const known = this.#running.get(key) ?? this.#before?.get(key);
    if (known?.stored === stored) {
      this.#running.set(key, known);
      return known;
    }
    const { wall, monotonic } = this.#now;
    const passed = this.#before === undefined ? Math.max(0, wall - stored) : 0;
    return this.#set(key, { stored, startedAt: monotonic - passed });
  }

  #set(key: string, timing: Timing): Timing {
    this.#isChanged = true;
    this.#running.set(key, timing);
    return timing;
  }
}
