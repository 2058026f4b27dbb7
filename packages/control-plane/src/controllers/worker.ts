import { errorMessage, isApiError, type Cancel, type Runtime } from '@outrigger/core';

/** One pass over a key. Returning a number requests another pass after that many milliseconds. */
export type Pass = (key: string) => Promise<number | undefined>;

const FIRST_RETRY_MS = 5;
const LAST_RETRY_MS = 60_000;
/** Passes that only read and write nothing never yield to the event loop by themselves; the worker yields after this time. */
const TURN_MS = 8;

/**
 * Runs passes over keys: a key is never in two passes at once, a key added while it runs runs again, a failed one is retried with
 * growing delays. Keys are worked in the order they were added.
 */
export class Worker {
  readonly #runtime: Runtime;
  readonly #name: string;
  readonly #pass: Pass;
  readonly #concurrency: number;
  readonly #queue = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, { readonly due: number; readonly cancel: Cancel }>();
  #turnStarted = 0;
  #stopped = false;
  #started = false;

  constructor(runtime: Runtime, name: string, pass: Pass, concurrency = 8) {
    this.#runtime = runtime;
    this.#name = name;
    this.#pass = pass;
    this.#concurrency = concurrency;
  }

  /** Keys may be added before the start; no pass runs until then. */
  start(): void {
    this.#started = true;
    this.#fill();
  }

  add(key: string): void {
    if (this.#stopped) return;
    this.#queue.add(key);
    this.#fill();
  }

  /** The earliest of several delays for one key wins. */
  addAfter(key: string, delayMs: number): void {
    if (this.#stopped) return;
    const due = this.#runtime.clock.monotonic() + delayMs;
    const pending = this.#timers.get(key);
    if (pending && pending.due <= due) return;
    pending?.cancel();
    const cancel = this.#runtime.timers.after(delayMs, () => {
      this.#timers.delete(key);
      this.add(key);
    });
    this.#timers.set(key, { due, cancel });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#queue.clear();
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
    await Promise.all(this.#running.values());
  }

  #fill(): void {
    if (!this.#started) return;
    for (const key of this.#queue) {
      if (this.#stopped || this.#running.size >= this.#concurrency) return;
      if (this.#running.has(key)) continue;
      this.#queue.delete(key);
      this.#running.set(key, this.#run(key));
    }
  }

  async #run(key: string): Promise<void> {
    await this.#takeTurn();
    try {
      const again = this.#isOver() ? undefined : await this.#pass(key);
      this.#failures.delete(key);
      if (again !== undefined) this.addAfter(key, again);
    } catch (error) {
      this.#retry(key, error);
    } finally {
      this.#running.delete(key);
      this.#fill();
    }
  }

  async #takeTurn(): Promise<void> {
    const now = this.#runtime.clock.monotonic();
    if (now - this.#turnStarted < TURN_MS) return;
    await this.#runtime.timers.yield();
    this.#turnStarted = this.#runtime.clock.monotonic();
  }

  #retry(key: string, error: unknown): void {
    if (this.#isOver()) return;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    // A Conflict is normal with optimistic writes; any other failure is logged.
    if (!isApiError(error, 'Conflict')) {
      this.#runtime.log.warn({ controller: this.#name, key, failures, error: errorMessage(error) }, 'pass failed, will be retried');
    }
    this.addAfter(key, Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LAST_RETRY_MS));
  }

  #isOver(): boolean {
    return this.#stopped || this.#runtime.scope.isCut;
  }
}
