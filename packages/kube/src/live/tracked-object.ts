import { type Cancel, type KubeObject, type Runtime, backoffMs, errorMessage, isApiError } from '@outrigger/core';
import { isConnectionError } from '../client/connection-error.js';
import type { Client } from '../client/types.js';
import { ABSENT, ABSENT_YET, type Live, UNKNOWN, isOlder, isSameLive, liveOf, revisionOf } from './live.js';
import { type ObjectRef, keyOfRef, objectId } from './object-ref.js';

export interface TrackedObjectOptions {
  readonly ref: ObjectRef;
  readonly client: Client;
  readonly runtime: Runtime;
  /** Called whenever the known state of the object changed. */
  readonly changed: () => void;
}

/** An object that changes constantly is read at most this often, so that it does not keep the process busy. */
const REST_BETWEEN_READS_MS = 500;
/**
 * The watch event of a write of this process may arrive before the response. A short delay avoids reading the object that was just written.
 */
const NEWS_REST_MS = 20;
/**
 * A short outage of the server does not invalidate the known state: it becomes `unreadable` only after this many transient failures in a
 * row.
 */
const PASSING_BEFORE_UNREADABLE = 3;
/** Maximum time for a request to reach the server: a create request that was sent earlier has either arrived or never will. */
const UNANSWERED_MS = 30_000;
const RETRY = { baseMs: 1_000, maxMs: 300_000 } as const;

/** One object and its state on the cluster. It is read again when a change is reported. */
export class TrackedObject {
  readonly ref: ObjectRef;
  /** The owners that are woken by changes. */
  readonly owners: Set<string> = new Set();
  readonly #options: TrackedObjectOptions;
  #live: Live = UNKNOWN;
  #isReading = false;
  #readAt = Number.NEGATIVE_INFINITY;
  /** A reported revision that has not been read yet; empty if the revision is unknown. */
  #news: string | undefined;
  #failures = 0;
  /** The time until which a create request that was sent earlier may still reach the server. */
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** The uid of the object that was last found deleted. No object will have this uid again, so a later response that shows it is stale. */
  #goneUid: string | undefined;
  /**
   * Incremented when the state changes or may have become stale, other than by a read. Results of reads started before the increment are
   * discarded.
   */
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

  /** Notes that a watch reported this resourceVersion. Without an argument, the object may have changed, and it is read at once. */
  noteChange(revision = ''): void {
    if (isCovered(revision, revisionOf(this.#live))) return;
    this.#news = revision;
    this.#schedule(revision === '' ? 0 : NEWS_REST_MS);
  }

  /** A watch reported that the object with this uid was deleted. */
  noteGone(uid: string | undefined): void {
    this.#goneUid = uid;
    if (this.#live.state === 'present' && this.#live.object.metadata.uid !== uid) return;
    // Watches lag: a write of this process that got no response may have created a new object since then.
    if (this.#live.state === 'unknown') this.noteChange();
    else this.learn(undefined);
  }

  /** A write of this process got no response: the known state, and any read in progress, may predate the write. */
  doubt(): void {
    this.#epoch++;
    this.mayCome();
    this.#set(UNKNOWN);
    this.noteChange();
  }

  /** Another process may have sent a create whose outcome is unknown: absence is final only after `UNANSWERED_MS`. */
  mayCome(): void {
    this.#answeredAt = this.#options.runtime.clock.monotonic() + UNANSWERED_MS;
  }

  /**
   * Uses the response to a write of this process immediately, before the watch event arrives. Ignores a response that is older than the
   * known state: no later event would correct it.
   */
  learn(object: KubeObject | undefined): void {
    if (object && this.#isOutdated(object)) return;
    this.#epoch++;
    const live = liveOf(object);
    if (this.#news !== undefined && isCovered(this.#news, revisionOf(live))) {
      this.#news = undefined;
      this.#cancelTimer();
    }
    this.#set(live);
  }

  /** Reads now, and resolves when the state is known. */
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
    // A read overlapped with another response; read again to determine which state is newer.
    else this.#news ??= '';
    if (live === ABSENT_YET) this.#lookAgainWhenAnswered();
    if (this.#failures > 0) this.#schedule(backoffMs(this.#failures, RETRY, runtime.random.next()));
    else if (this.#news !== undefined && (this.#news === '' || this.#news !== revisionOf(this.#live))) this.#schedule(0);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelTimer();
    this.#cancelLook?.();
  }

  #isOutdated({ metadata: { uid, resourceVersion = '' } }: KubeObject): boolean {
    if (uid !== undefined && uid === this.#goneUid) return true;
    const isSameObject = this.#live.state === 'present' && this.#live.object.metadata.uid === uid;
    return isSameObject && isOlder(resourceVersion, revisionOf(this.#live));
  }

  #afterFailure(error: unknown, askedAt: number): Live {
    if (isApiError(error, 'NotFound')) {
      this.#failures = 0;
      return askedAt < this.#answeredAt ? ABSENT_YET : ABSENT;
    }
    this.#failures++;
    this.#options.runtime.log.warn({ object: objectId(this.ref), error: errorMessage(error) }, 'object could not be read');
    if (isPassing(error) && this.#failures < PASSING_BEFORE_UNREADABLE) return this.#live;
    return { state: 'unreadable', error: errorMessage(error) };
  }

  #schedule(delayMs: number): void {
    if (this.#isReading || this.#isClosed || this.#cancel) return;
    const { clock, timers } = this.#options.runtime;
    const restMs = Math.max(delayMs, this.#readAt + REST_BETWEEN_READS_MS - clock.monotonic());
    if (restMs <= 0) void this.read();
    else this.#cancel = timers.after(restMs, () => void this.read());
  }

  /** Reads again when the outcome of the create is final, because a watch reports only changes. */
  #lookAgainWhenAnswered(): void {
    const { clock, timers } = this.#options.runtime;
    this.#cancelLook?.();
    this.#cancelLook = timers.after(Math.max(1, this.#answeredAt - clock.monotonic()), () => this.noteChange());
  }

  #cancelTimer(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #set(live: Live): void {
    if (isSameLive(this.#live, live)) return;
    if (live.state === 'absent' && this.#live.state === 'present') this.#goneUid = this.#live.object.metadata.uid;
    this.#live = live;
    this.#options.changed();
  }
}

/**
 * Whether the state at `known` is at least as new as `revision`. False for an empty revision: the reported change may be newer than the
 * state.
 */
function isCovered(revision: string, known: string): boolean {
  return revision !== '' && (revision === known || isOlder(revision, known));
}

function isPassing(error: unknown): boolean {
  return isConnectionError(error) || (isApiError(error) && (error.code === 429 || error.code >= 500));
}
