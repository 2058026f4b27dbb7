import { type Cancel, type KubeObject, type Runtime, errorMessage, isApiError } from '@outrigger/core';
import { type Client, isConnectionError } from '@outrigger/kube';
import { ABSENT, ABSENT_YET, type Live, UNKNOWN, isOlder, isSameLive, liveOf, revisionOf } from './live.js';
import { type ObjectRef, keyOfRef, objectId } from './object-ref.js';

export interface TrackedObjectOptions {
  readonly ref: ObjectRef;
  readonly client: Client;
  readonly runtime: Runtime;
  /** Told whenever what is known of the object changed. */
  readonly changed: () => void;
}

/** An object that changes all the time is read at most this often: one noisy object must not keep an agent busy. */
const REST_BETWEEN_READS_MS = 500;
/** The event of a write of ours races its answer: whoever waits a moment need not read what was just written. */
const NEWS_REST_MS = 20;
/** A server that is away for a moment takes nothing back that it said before. */
const PASSING_BEFORE_TOLD = 3;
/** As long as a request waits for its answer: one that was sent before then has reached the server, or never will. */
const UNANSWERED_MS = 30_000;
const RETRY = { firstMs: 1_000, mostMs: 300_000 } as const;

/** One object as it is on the cluster: read when somebody says that it changed. */
export class TrackedObject {
  readonly ref: ObjectRef;
  /** Who hears of it. */
  readonly owners: Set<string> = new Set();
  readonly #options: TrackedObjectOptions;
  #live: Live = UNKNOWN;
  #isReading = false;
  #readAt = Number.NEGATIVE_INFINITY;
  /** A revision told of and not yet read; empty for "any". */
  #news: string | undefined;
  #failures = 0;
  /** Until then a create may arrive that was sent earlier. */
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** Counts what we learned, or came to doubt, other than by reading: an answer to an older question is then void. */
  #epoch = 0;
  #cancel: Cancel | undefined;
  #cancelLook: Cancel | undefined;
  #isClosed = false;

  constructor(options: TrackedObjectOptions) {
    this.ref = options.ref;
    this.#options = options;
  }

  get live(): Live {
    return this.#live;
  }

  /** A watch told of this revision; without one, something may have happened. */
  tell(revision = ''): void {
    if (isCovered(revision, revisionOf(this.#live))) return;
    this.#news = revision;
    this.#schedule(revision === '' ? 0 : NEWS_REST_MS);
  }

  /** A watch told that the object with this uid is gone. */
  tellGone(uid: string | undefined): void {
    if (this.#live.state === 'present' && this.#live.object.metadata.uid !== uid) return;
    // Watches lag: since then another one may have been made, by a write of ours whose answer was lost too.
    if (this.#live.state === 'unknown') this.tell();
    else this.learn(undefined);
  }

  /** A write of ours got no answer: whatever was known, or is being read, may be from before it. */
  doubt(): void {
    this.#epoch++;
    this.mayCome();
    this.#set(UNKNOWN);
    this.tell();
  }

  /** Somebody of ours set out to make the object and did not tell what came of it: its absence is believed once that is long ago. */
  mayCome(): void {
    this.#answeredAt = this.#options.runtime.clock.monotonic() + UNANSWERED_MS;
  }

  /** What a write of ours answered: known at once, before its event comes. */
  learn(object: KubeObject | undefined): void {
    this.#epoch++;
    const live = liveOf(object);
    if (this.#news !== undefined && isCovered(this.#news, revisionOf(live))) {
      this.#news = undefined;
      this.#cancelTimer();
    }
    this.#set(live);
  }

  /** Reads now, and resolves when it is known. */
  async read(): Promise<void> {
    this.#cancelTimer();
    const { client, runtime } = this.#options;
    const epoch = this.#epoch;
    this.#isReading = true;
    this.#news = undefined;
    this.#readAt = runtime.clock.monotonic();
    let live: Live;
    try {
      live = liveOf(await client.get(this.ref.kind, keyOfRef(this.ref)));
      this.#failures = 0;
    } catch (error) {
      live = this.#afterFailure(error, this.#readAt);
    }
    this.#isReading = false;
    if (this.#isClosed) return;
    if (epoch === this.#epoch) this.#set(live);
    // Two answers on the way at once: which is the later one only a third can tell.
    else this.#news ??= '';
    if (live === ABSENT_YET) this.#lookAgainWhenAnswered();
    if (this.#failures > 0) this.#schedule(retryMs(this.#failures, runtime.random.next()));
    else if (this.#news !== undefined && (this.#news === '' || this.#news !== revisionOf(this.#live))) this.#schedule(0);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelTimer();
    this.#cancelLook?.();
  }

  #afterFailure(error: unknown, askedAt: number): Live {
    if (isApiError(error, 'NotFound')) {
      this.#failures = 0;
      return askedAt < this.#answeredAt ? ABSENT_YET : ABSENT;
    }
    this.#failures++;
    this.#options.runtime.log.warn({ object: objectId(this.ref), error: errorMessage(error) }, 'object could not be read');
    if (isPassing(error) && this.#failures < PASSING_BEFORE_TOLD) return this.#live;
    return { state: 'unreadable', error: errorMessage(error) };
  }

  #schedule(delayMs: number): void {
    if (this.#isReading || this.#isClosed || this.#cancel) return;
    const { clock, timers } = this.#options.runtime;
    const restMs = Math.max(delayMs, this.#readAt + REST_BETWEEN_READS_MS - clock.monotonic());
    if (restMs <= 0) void this.read();
    else this.#cancel = timers.after(restMs, () => void this.read());
  }

  /** Besides whatever else makes it be read: a watch may be all that runs, and it tells of changes only. */
  #lookAgainWhenAnswered(): void {
    const { clock, timers } = this.#options.runtime;
    this.#cancelLook?.();
    this.#cancelLook = timers.after(Math.max(1, this.#answeredAt - clock.monotonic()), () => this.tell());
  }

  #cancelTimer(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #set(live: Live): void {
    if (isSameLive(this.#live, live)) return;
    this.#live = live;
    this.#options.changed();
  }
}

/** Whether what is known at `known` includes the news of `revision`. News of "anything" is never covered: a list may have been the later word. */
function isCovered(revision: string, known: string): boolean {
  return revision !== '' && (revision === known || isOlder(revision, known));
}

function isPassing(error: unknown): boolean {
  return isConnectionError(error) || (isApiError(error) && (error.code === 429 || error.code >= 500));
}

function retryMs(failures: number, random: number): number {
  return Math.min(RETRY.firstMs * 2 ** (failures - 1), RETRY.mostMs) * (1 - random / 2);
}
