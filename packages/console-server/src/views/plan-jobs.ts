import type { PlanForecast, PlanPage } from '@outrigger/console-contract';
import { type Runtime, errorMessage, toTime } from '@outrigger/core';

/**
 * Maximum number of plans that are computed concurrently. Further computations wait, because with thousands of clusters each one takes
 * seconds of processor time.
 */
const MOST_AT_ONCE = 2;
/** Maximum number of plans per user that are being computed or wait to be computed. */
const MOST_OF_A_USER = 2;
/** The time in milliseconds for which a request waits for its plan. After this time it is answered without the plan. */
const WAIT_MS = 1_000;
/** The time in milliseconds for which a result is kept, so that a repeated request does not start a new computation. */
const KEEP_MS = 15_000;

export type ForecastPart = Pick<PlanPage, 'forecast' | 'forecastProblem' | 'planningSince'>;

interface Job {
  readonly user: string;
  readonly startedAt: number;
  /** Resolves with the outcome; never rejects. */
  readonly ended: Promise<ForecastPart>;
  outcome: ForecastPart | undefined;
  endedAt: number;
}

/** Computes plans with limits, so that no user can occupy all processors of the console. */
export class PlanJobs {
  readonly #runtime: Pick<Runtime, 'clock' | 'timers'>;
  readonly #jobs = new Map<string, Job>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(runtime: Pick<Runtime, 'clock' | 'timers'>) {
    this.#runtime = runtime;
  }

  /**
   * Returns the result of the user's computation with this name, or the time at which the computation was requested. A repeated request
   * joins the computation in progress or gets the recent result.
   */
  async ask(user: string, name: string, compute: () => Promise<PlanForecast>): Promise<ForecastPart> {
    const now = this.#runtime.clock.now();
    for (const [key, { outcome, endedAt }] of this.#jobs) if (outcome && endedAt + KEEP_MS < now) this.#jobs.delete(key);
    const key = JSON.stringify([user, name]);
    const known = this.#jobs.get(key);
    const open = [...this.#jobs.values()].filter((job) => job.user === user && !job.outcome).length;
    if (!known && open >= MOST_OF_A_USER)
      return { forecastProblem: `${open} other forecasts for you are being computed: ask again when one of them is done` };
    const job = known ?? this.#start(user, now, compute);
    this.#jobs.set(key, job);
    if (job.outcome) return job.outcome;
    return Promise.race([job.ended, this.#after(WAIT_MS, { planningSince: toTime(job.startedAt) })]);
  }

  #start(user: string, startedAt: number, compute: () => Promise<PlanForecast>): Job {
    const ended = this.#inTurn(compute).then(
      (forecast): ForecastPart => ({ forecast }),
      (error: unknown): ForecastPart => ({ forecastProblem: errorMessage(error) }),
    );
    const job: Job = { user, startedAt, ended, outcome: undefined, endedAt: 0 };
    void ended.then((outcome) => Object.assign(job, { outcome, endedAt: this.#runtime.clock.now() }));
    return job;
  }

  async #inTurn<T>(compute: () => Promise<T>): Promise<T> {
    if (this.#running >= MOST_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await compute();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }

  #after<T>(ms: number, value: T): Promise<T> {
    return new Promise((resolve) => this.#runtime.timers.after(ms, () => resolve(value)));
  }
}
