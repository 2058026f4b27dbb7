import { backoffMs, errorMessage, isApiError, type Backoff, type Cancel, type Runtime, WorkQueue } from '@outrigger/core';

/** One pass over a key. Returning a number requests another pass after that many milliseconds. */
export type Pass = (key: string) => Promise<number | undefined>;

const RETRY: Backoff = { baseMs: 5, maxMs: 60_000 };
/** After this much time the worker yields to the event loop, because passes that write nothing never yield. */
const TURN_MS = 8;

/** The parts of the runtime that a worker uses. */
type WorkerRuntime = Pick<Runtime, 'clock' | 'timers' | 'log' | 'scope'>;

/** Runs passes over the keys of a queue, several keys at once. A failed pass is retried with increasing delays. */
export class Worker {
  readonly #runtime: WorkerRuntime;
  readonly #name: string;
  readonly #pass: Pass;
  readonly #concurrency: number;
  readonly #queue = new WorkQueue();
  readonly #running = new Set<Promise<void>>();
  #timer: { readonly at: number; readonly cancel: Cancel } | undefined;
  #turnStarted = 0;
  #stopped = false;
  #started = false;

  constructor(runtime: WorkerRuntime, name: string, pass: Pass, concurrency = 8) {
    this.#runtime = runtime;
    this.#name = name;
    this.#pass = pass;
    this.#concurrency = concurrency;
  }

  /** Starts the passes. Keys may be added before `start`, but no pass runs before it. */
  start(): void {
    this.#started = true;
    this.#fill();
  }

  add(key: string): void {
    if (this.#stopped) return;
    this.#queue.add(key, this.#now());
    this.#fill();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#queue.clear();
    this.#timer?.cancel();
    await Promise.all(this.#running);
  }

  #fill(): void {
    if (!this.#started || this.#stopped) return;
    while (this.#running.size < this.#concurrency) {
      const key = this.#queue.take(this.#now());
      if (key === undefined) return this.#wakeWhenDue();
      const run: Promise<void> = this.#run(key).finally(() => {
        this.#running.delete(run);
        this.#fill();
      });
      this.#running.add(run);
    }
  }

  #wakeWhenDue(): void {
    const at = this.#queue.nextDueAt();
    if (at === this.#timer?.at) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    if (at === undefined) return;
    const cancel = this.#runtime.timers.after(Math.max(0, at - this.#now()), () => {
      this.#timer = undefined;
      this.#fill();
    });
    this.#timer = { at, cancel };
  }

  async #run(key: string): Promise<void> {
    await this.#takeTurn();
    try {
      const againMs = this.#isOver() ? undefined : await this.#pass(key);
      this.#queue.forget(key);
      if (againMs !== undefined) this.#addAfter(key, againMs);
    } catch (error) {
      this.#retry(key, error);
    } finally {
      this.#queue.done(key, this.#now());
    }
  }

  async #takeTurn(): Promise<void> {
    if (this.#now() - this.#turnStarted < TURN_MS) return;
    await this.#runtime.timers.yield();
    this.#turnStarted = this.#now();
  }

  #retry(key: string, error: unknown): void {
    if (this.#isOver()) return;
    const failures = this.#queue.fail(key, 'failed');
    // With optimistic locking, a Conflict is normal; any other failure is logged.
    if (!isApiError(error, 'Conflict')) {
      this.#runtime.log.warn({ controller: this.#name, key, failures, error: errorMessage(error) }, 'pass failed, will be retried');
    }
    this.#addAfter(key, backoffMs(failures, RETRY));
  }

  /** Adds a key to the queue after a delay. The key then has the same priority as a key that was added because of a change. */
  #addAfter(key: string, delayMs: number): void {
    if (!this.#stopped) this.#queue.addAfter(key, delayMs, this.#now(), 'fresh');
  }

  #now(): number {
    return this.#runtime.clock.monotonic();
  }

  #isOver(): boolean {
    return this.#stopped || this.#runtime.scope.isCut;
  }
}
