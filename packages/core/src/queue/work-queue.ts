import { Fifo } from './fifo.js';
import { TimeHeap } from './heap.js';

/**
 * The urgency of a key. `fresh` keys are queued because of a change. `background` keys are resyncs and retries, which are processed after
 * fresh keys.
 */
export type Urgency = 'fresh' | 'background';

/**
 * The reason why a pass over a key did not succeed. `stale` means that the cache was behind the server. Stale passes are counted separately
 * from failures, because the cache catches up soon.
 */
export type Setback = 'failed' | 'stale';

/**
 * After this many consecutive fresh keys, the queue returns one background key if there is one. Otherwise, constant changes in a fleet
 * would delay its retries forever.
 */
const FRESH_IN_A_ROW = 16;

interface Entry {
  readonly key: string;
  ready: Urgency | undefined;
  processing: boolean;
  /** The urgency with which the key was added again while it was being processed; undefined if it was not added again. */
  again: Urgency | undefined;
  dueAt: number | undefined;
  dueUrgency: Urgency;
  readonly setbacks: Record<Setback, number>;
  restUntil: number;
}

/**
 * The keys that a controller has to process. A key is queued at most once and is never processed twice at the same time. The queue has no
 * timers. Its methods take the time as an argument, and the caller sets a timer for `nextDueAt`.
 */
export class WorkQueue {
  readonly #entries = new Map<string, Entry>();
  readonly #lists: Readonly<Record<Urgency, Fifo<Entry>>> = { fresh: new Fifo(), background: new Fifo() };
  readonly #waiting: Record<Urgency, number> = { fresh: 0, background: 0 };
  readonly #delayed = new TimeHeap<Entry>();
  readonly #resting = new TimeHeap<Entry>();
  #freshRun = 0;

  /** The number of keys that can be taken now. */
  get depth(): number {
    return this.#waiting.fresh + this.#waiting.background;
  }

  /**
   * The number of keys that can be taken now or wait for the minimum delay after their last pass. Keys that are being processed do not
   * count.
   */
  get busyKeys(): number {
    return this.depth + this.#resting.size;
  }

  /** Whether every change has been processed. Retries, and passes postponed to a given time, do not count. */
  get isSettled(): boolean {
    for (const { ready, processing, dueAt, dueUrgency } of this.#entries.values()) {
      if (processing || ready !== undefined || (dueAt !== undefined && dueUrgency === 'fresh')) return false;
    }
    return true;
  }

  /** Returns the number of passes over the key that failed or were stale since the key was last processed successfully. */
  setbacks(key: string): number {
    const entry = this.#entries.get(key);
    return entry ? entry.setbacks.failed + entry.setbacks.stale : 0;
  }

  add(key: string, now: number, urgency: Urgency = 'fresh'): void {
    const entry = this.#entry(key);
    if (entry.processing) entry.again = entry.again === 'fresh' ? 'fresh' : urgency;
    else if (entry.restUntil > now) this.#delay(entry, entry.restUntil, urgency);
    else this.#makeReady(entry, urgency);
  }

  /**
   * Adds a key after a delay. If a key is added several times, the earliest time applies. If the key is taken before that time, the delayed
   * addition is dropped.
   */
  addAfter(key: string, delayMs: number, now: number, urgency: Urgency = 'background'): void {
    if (delayMs <= 0) this.add(key, now, urgency);
    else this.#delay(this.#entry(key), now + delayMs, urgency);
  }

  /** Returns the next key. The key is not returned again until `done` is called for it. */
  take(now: number): string | undefined {
    this.#promote(now);
    const entry = this.#next();
    if (entry === undefined) return undefined;
    entry.processing = true;
    entry.dueAt = undefined;
    return entry.key;
  }

  /** Ends the processing of a taken key. `restMs` is the minimum delay before the key can be taken again. */
  done(key: string, now: number, restMs = 0): void {
    const entry = this.#entries.get(key);
    if (!entry?.processing) return;
    entry.processing = false;
    if (restMs > 0) this.#resting.push((entry.restUntil = now + restMs), entry);
    const again = entry.again;
    entry.again = undefined;
    if (again !== undefined) this.add(key, now, again);
    this.#release(entry);
  }

  /**
   * Counts a pass over the key that failed or was stale. Returns the number of passes of this type since the key was last processed
   * successfully.
   */
  fail(key: string, setback: Setback): number {
    return ++this.#entry(key).setbacks[setback];
  }

  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    forgive(entry);
    this.#release(entry);
  }

  /** Returns the time at which the next delayed key becomes ready, for which the caller sets a timer. */
  nextDueAt(): number | undefined {
    for (;;) {
      const top = this.#delayed.peek();
      if (top === undefined || top.value.dueAt === top.at) return top?.at;
      this.#delayed.pop();
    }
  }

  /** Drops all queued keys. Keys that are being processed are finished, but are not queued again for earlier changes. */
  clear(): void {
    for (const entry of this.#entries.values()) {
      if (entry.ready) this.#waiting[entry.ready]--;
      entry.ready = undefined;
      entry.again = undefined;
      entry.dueAt = undefined;
      forgive(entry);
      entry.restUntil = 0;
      this.#release(entry);
    }
  }

  #entry(key: string): Entry {
    const found = this.#entries.get(key);
    if (found) return found;
    const entry: Entry = {
      key,
      ready: undefined,
      processing: false,
      again: undefined,
      dueAt: undefined,
      dueUrgency: 'background',
      setbacks: { failed: 0, stale: 0 },
      restUntil: 0,
    };
    this.#entries.set(key, entry);
    return entry;
  }

  #makeReady(entry: Entry, urgency: Urgency): void {
    if (entry.ready === 'fresh' || entry.ready === urgency) return;
    if (entry.ready) this.#waiting[entry.ready]--; // `#next` skips the old entry in the list of `background` keys.
    entry.ready = urgency;
    this.#waiting[urgency]++;
    this.#lists[urgency].push(entry);
  }

  #delay(entry: Entry, at: number, urgency: Urgency): void {
    if (entry.dueAt !== undefined && entry.dueUrgency === 'fresh') urgency = 'fresh';
    entry.dueUrgency = urgency;
    if (entry.dueAt !== undefined && entry.dueAt <= at) return;
    entry.dueAt = at;
    this.#delayed.push(at, entry);
  }

  #promote(now: number): void {
    for (let rest = this.#resting.peek(); rest !== undefined && rest.at <= now; rest = this.#resting.peek()) {
      const entry = this.#resting.pop() as Entry;
      if (entry.restUntil > now) continue;
      entry.restUntil = 0;
      this.#release(entry);
    }
    for (let at = this.nextDueAt(); at !== undefined && at <= now; at = this.nextDueAt()) {
      const entry = this.#delayed.pop() as Entry;
      entry.dueAt = undefined;
      this.add(entry.key, now, entry.dueUrgency);
    }
  }

  #next(): Entry | undefined {
    const background = this.#waiting.background > 0 && (this.#waiting.fresh === 0 || this.#freshRun >= FRESH_IN_A_ROW);
    const urgency = background ? 'background' : 'fresh';
    if (this.#waiting[urgency] === 0) return undefined;
    this.#freshRun = background ? 0 : this.#freshRun + 1;
    for (;;) {
      const entry = this.#lists[urgency].shift() as Entry;
      if (entry.ready !== urgency) continue;
      entry.ready = undefined;
      this.#waiting[urgency]--;
      return entry;
    }
  }

  /** Drops the entry of a key that has no state left, so that the queue stays small. */
  #release(entry: Entry): void {
    // After `clear`, a heap may still contain an old entry of a key that has a new entry by now.
    if (this.#entries.get(entry.key) !== entry) return;
    const idle = entry.ready === undefined && !entry.processing && entry.dueAt === undefined;
    if (idle && entry.setbacks.failed === 0 && entry.setbacks.stale === 0 && entry.restUntil === 0) this.#entries.delete(entry.key);
  }
}

function forgive({ setbacks }: Entry): void {
  setbacks.failed = 0;
  setbacks.stale = 0;
}
