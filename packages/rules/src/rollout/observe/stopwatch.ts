import { TIME_ROUNDING_MS, parseTime } from '@outrigger/core';

/** The two clocks of a process at one instant, in milliseconds. */
interface Clocks {
  readonly wall: number;
  readonly monotonic: number;
}

/** A stored time, and the corresponding time on the monotonic clock of this process. */
interface Timing {
  /** Wall time in milliseconds, as stored on the hub. */
  readonly stored: number;
  /** The start time on the monotonic clock; negative if it precedes the start of the clock. */
  readonly startedAt: number;
}

/**
 * The states whose duration is measured. A cluster is `moving`, `soaking` or `away`; an entry with more failures than maxFailures is
 * `failed`.
 */
type Activity = 'moving' | 'soaking' | 'away' | 'failed';

export type Timings = ReadonlyMap<string, Timing>;

/**
 * A clock that steps of the wall clock do not affect. Times are stored as wall time, but a process measures them with its monotonic clock.
 * An activity that begins while the process leads starts when the process first observes it, which is slightly late but never early. The
 * stored time is used only in the first pass of a term, for activities that began under a previous leader. Such an activity counts from
 * the latest instant that the stored time can denote; a time in the future counts as now.
 *
 * A stopwatch serves one pass: it starts with the timings of the previous pass and collects the timings for the next one.
 */
export class Stopwatch {
  readonly #before: Timings | undefined;
  readonly #now: Clocks;
  readonly #running = new Map<string, Timing>();
  #isChanged = false;

  /** `before` is undefined in the first pass of a term, and empty if the last pass timed nothing. */
  constructor(before: Timings | undefined, now: Clocks) {
    this.#before = before;
    this.#now = now;
  }

  /** A stopwatch that starts with the same timings, for a computation that must not change the timings of the pass. */
  fork(): Stopwatch {
    return new Stopwatch(this.#before, this.#now);
  }

  get wall(): number {
    return this.#now.wall;
  }

  /** The start of the activity, converted to the current wall clock. */
  since(activity: Activity, name: string, stored: number): number {
    const { startedAt } = this.#timing(`${activity} ${name}`, stored);
    return this.#now.wall - (this.#now.monotonic - startedAt);
  }

  /** Starts to time an activity. This pass stores `time` as the start of the activity. */
  start(activity: Activity, name: string, time: string): void {
    this.#set(`${activity} ${name}`, { stored: parseTime(time) ?? this.#now.wall, startedAt: this.#now.monotonic });
  }

  /** The timings for the next pass, or undefined if they have not changed. */
  changes(): Timings | undefined {
    return this.#isChanged || this.#running.size !== this.#before?.size ? this.#running : undefined;
  }

  #timing(key: string, stored: number): Timing {
    const known = this.#running.get(key) ?? this.#before?.get(key);
    if (known?.stored === stored) {
      this.#running.set(key, known);
      return known;
    }
    const { wall, monotonic } = this.#now;
    const passed = this.#before === undefined ? Math.max(0, wall - (stored + TIME_ROUNDING_MS)) : 0;
    return this.#set(key, { stored, startedAt: monotonic - passed });
  }

  #set(key: string, timing: Timing): Timing {
    this.#isChanged = true;
    this.#running.set(key, timing);
    return timing;
  }
}
