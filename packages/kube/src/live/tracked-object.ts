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

/** The minimum time between two reads, so that an object that changes constantly does not keep the process busy. */
const REST_BETWEEN_READS_MS = 500;
/**
 * The delay before an object is read after a watch event. The event for a write by this process may arrive before the response, so the
 * delay avoids reading the object that was just written.
 */
const NEWS_REST_MS = 20;
/**
 * The number of consecutive transient failures after which the state becomes `unreadable`. A short outage of the server does not invalidate
 * the known state.
 */
const PASSING_BEFORE_UNREADABLE = 3;
/** Maximum time that a request takes to reach the server. After this time, a create request has either arrived or never will. */
const UNANSWERED_MS = 30_000;
const RETRY = { baseMs: 1_000, maxMs: 300_000 } as const;

/** One object and its state on the cluster. The object is read again when a watch reports a change of it. */
export class TrackedObject {
  readonly ref: ObjectRef;
  /** The owners to wake when the object changes. */
  readonly owners: Set<string> = new Set();
  readonly #options: TrackedObjectOptions;
  #live: Live = UNKNOWN;
  #isReading = false;
  #readAt = Number.NEGATIVE_INFINITY;
  /** A reported resourceVersion that has not been read yet, or the empty string if a watch reported a change without a resourceVersion. */
  #news: string | undefined;
  #failures = 0;
  /** The time until which a create request that was sent earlier may still reach the server. */
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** The uid of the object that was last found deleted. No object will have this uid again, so any later response with it is stale. */
  #goneUid: string | undefined;
  /**
   * Increased when the state changes, or may have become stale, for a reason other than a read. The result of a read that started before
   * the increase is discarded.
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

  /**
   * Notes that a watch reported this resourceVersion of the object. If the resourceVersion is unknown (empty), the object is read as soon
   * as the minimum time between two reads allows.
   */
  noteChange(revision = ''): void {
    if (isCovered(revision, revisionOf(this.#live))) return;
    this.#news = revision;
    this.#schedule(revision === '' ? 0 : NEWS_REST_MS);
  }

  /** Notes that a watch reported the deletion of the object with this uid. */
  noteGone(uid: string | undefined): void {
    this.#goneUid = uid;
    if (this.#live.state === 'present' && this.#live.object.metadata.uid !== uid) return;
    // Watches lag, so a write by this process that got no response may have created a new object since the reported deletion.
    if (this.#live.state === 'unknown') this.noteChange();
    else this.learn(undefined);
  }

  /** Handles a write by this process that got no response. The known state, and any read in progress, may be older than the write. */
  doubt(): void {
    this.#epoch++;
    this.mayCome();
    this.#set(UNKNOWN);
    this.noteChange();
  }

  /**
   * Notes that another process may have sent a create whose outcome is unknown. The object may then still appear until `UNANSWERED_MS` have
   * passed.
   */
  mayCome(): void {
    this.#answeredAt = this.#options.runtime.clock.monotonic() + UNANSWERED_MS;
  }

  /**
   * Uses the response to a write by this process immediately, before the watch event arrives. Ignores a response that is older than the
   * known state, because no later event would correct the state.
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

  /** Reads the object now. Resolves when the state is known. */
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
    // This read overlapped with another response, so read again to determine which state is newer.
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

  /**
   * Reads the object again at the time from which no earlier create request can reach the server any more. The read is necessary, because a
   * watch sends no event for an object that does not exist.
   */
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
 * Whether the state at the resourceVersion `known` includes the change at the reported resourceVersion `revision`. False if they cannot be
 * compared, and false if `revision` is empty, because the reported change may be newer than the known state.
 */
function isCovered(revision: string, known: string): boolean {
  return revision !== '' && (revision === known || isOlder(revision, known));
}

function isPassing(error: unknown): boolean {
  return isConnectionError(error) || (isApiError(error) && (error.code === 429 || error.code >= 500));
}
