import { FLEET_ROLLOUT } from '@outrigger/api';
import { type FollowedView, type HubTrouble, type StreamMessage, type ViewRequest, addressOf } from '@outrigger/console-contract';
import type { Runtime } from '@outrigger/core';
import type { Session } from '../sessions/sessions.js';
import type { Change } from '../state/change-log.js';
import type { ConsoleState } from '../state/state.js';
import { fleetDelta } from '../views/fleet.js';
import type { Sink } from './messages.js';

export interface StreamSources {
  readonly runtime: Runtime;
  readonly epoch: string;
  readonly state: ConsoleState;
  /** Returns the view as JSON for this user, or the text of an error if the view fails. */
  view(session: Session, request: ViewRequest): Promise<{ readonly text: string } | { readonly error: string }>;
  trouble(): HubTrouble | undefined;
}

/** Changes within this time are sent together in one message. */
const GATHER_MS = 250;
/** The minimum interval between two computations of a costly view for one stream. */
const SUMMARY_MS = 1_000;
/**
 * The interval at which a view that depends on the time is computed again, even if no object has changed, unless it was computed within the
 * last half of the interval.
 */
const TIMED_MS = 60_000;
const BEAT_MS = 10_000;
/** The interval at which a stream asks for its session. The sessions review the token less often, see `RECHECK_MS`. */
const SESSION_MS = 5_000;
/** A browser that has not read for this long is disconnected from the stream. */
const STUCK_MS = 30_000;

interface Followed {
  readonly request: ViewRequest;
  readonly address: string;
  /** The sequence number up to which the stream has handled the changes for this view. */
  sequence: number;
  lastText: string;
  lastAddOns: string;
  computedAt: number;
  /** The time at which the view was last computed, or at which the stream started. */
  judgedAt: number;
}

/** One event stream. It sends the changes of its views until it is closed. */
export class Stream {
  readonly #sources: StreamSources;
  readonly #sink: Sink;
  readonly #refresh: () => Promise<Session | undefined>;
  readonly #views: readonly Followed[];
  readonly #cancels = new Map<string, () => void>();
  #session: Session;
  #isClosed = false;
  #isPumping = false;
  #isWanted = false;
  #isRechecking = false;
  #sentAt: number;
  #busySince: number | undefined;

  /** `refresh` checks the user's token and permissions again, and returns undefined if the session has ended. */
  constructor(
    sources: StreamSources,
    sink: Sink,
    session: Session,
    refresh: () => Promise<Session | undefined>,
    views: readonly FollowedView[],
  ) {
    this.#sources = sources;
    this.#sink = sink;
    this.#session = session;
    this.#refresh = refresh;
    this.#views = views.map(({ request, since }) => ({
      request,
      address: addressOf(request),
      // The log never has all changes after sequence number -1, so a view whose position comes from another server process gets a `gap`
      // message.
      sequence: since?.epoch === sources.epoch ? since.sequence : -1,
      lastText: '',
      lastAddOns: '',
      computedAt: -SUMMARY_MS,
      judgedAt: sources.runtime.clock.monotonic(),
    }));
    this.#sentAt = sources.runtime.clock.monotonic();
    this.#send({ type: 'start', epoch: sources.epoch });
    this.#every('beat', BEAT_MS / 2, () => this.#beat());
    if (this.#views.some(({ request }) => isTimed(request))) this.#every('refresh', TIMED_MS, () => this.wake());
    this.#every('recheck', SESSION_MS, () => void this.#recheck());
    this.wake();
  }

  /** Schedules the sending of changes. */
  wake(): void {
    if (this.#isClosed || this.#cancels.has('pump')) return;
    this.#after('pump', GATHER_MS, () => void this.#pump());
  }

  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#cancels.values()) cancel();
    this.#cancels.clear();
    this.#sink.close();
  }

  /** Sends the last message and closes the stream. */
  end(reason: Extract<StreamMessage, { type: 'end' }>['reason'], message: string): void {
    if (this.#isClosed) return;
    this.#send({ type: 'end', reason, message });
    this.close();
  }

  async #pump(): Promise<void> {
    if (this.#isPumping) {
      this.#isWanted = true;
      return;
    }
    this.#isPumping = true;
    try {
      if (this.#isHeldUp()) return;
      for (const one of this.#views) if (!this.#isClosed) await this.#update(one);
    } catch (error) {
      this.#sources.runtime.log.error({ error }, 'console stream failed');
      this.close();
    } finally {
      this.#isPumping = false;
      const isWanted = this.#isWanted;
      this.#isWanted = false;
      if (isWanted) this.wake();
    }
  }

  /** Whether the browser reads too slowly at the moment. If so, the stream sends nothing, and the changes stay in the log. */
  #isHeldUp(): boolean {
    const now = this.#sources.runtime.clock.monotonic();
    if (!this.#sink.isBusy) {
      this.#busySince = undefined;
      return false;
    }
    this.#busySince ??= now;
    if (now - this.#busySince > STUCK_MS) this.close();
    else this.wake();
    return true;
  }

  async #update(one: Followed): Promise<void> {
    const { log } = this.#sources.state;
    const { sequence } = log;
    if (one.sequence === sequence && one.request.view === 'fleet') return;
    const changes = log.after(one.sequence);
    if (changes === undefined) {
      one.sequence = sequence;
      one.lastText = '';
      this.#send({ type: 'gap', view: one.address, sequence });
      return;
    }
    if (one.request.view === 'fleet') return this.#updateFleet(one, sequence, changes);
    const { clock } = this.#sources.runtime;
    const isDue = isTimed(one.request) && clock.monotonic() - one.judgedAt >= TIMED_MS / 2;
    if (!isDue && !changes.some((change) => touches(one.request, change))) {
      one.sequence = sequence;
      return;
    }
    const wait = isCostly(one.request) ? one.computedAt + SUMMARY_MS - clock.monotonic() : 0;
    if (wait > 0) {
      this.#after(one.address, wait, () => this.wake());
      return;
    }
    one.computedAt = clock.monotonic();
    one.judgedAt = one.computedAt;
    one.sequence = sequence;
    const answer = await this.#sources.view(this.#session, one.request);
    const text = 'text' in answer ? answer.text : answer.error;
    if (this.#isClosed || text === one.lastText) return;
    one.lastText = text;
    const body = 'text' in answer ? `"type":"view","sequence":${sequence},"data":${text}` : `"type":"error","error":${text}`;
    this.#sendText(`{"view":${JSON.stringify(one.address)},${body}}`);
  }

  #updateFleet(one: Followed, sequence: number, changes: readonly Change[]): void {
    const { addOns, ...delta } = fleetDelta(this.#sources.state, this.#session.sight, one.sequence, sequence, changes);
    one.sequence = sequence;
    const text = addOns === undefined ? one.lastAddOns : JSON.stringify(addOns);
    const isNew = addOns !== undefined && text !== one.lastAddOns;
    one.lastAddOns = text;
    if (!isNew && delta.rows.length === 0 && delta.removed.length === 0) return;
    this.#send({ type: 'fleet', delta: { ...delta, ...(isNew ? { addOns } : {}) } });
  }

  #beat(): void {
    const now = this.#sources.runtime.clock.monotonic();
    if (now - this.#sentAt < BEAT_MS || this.#sink.isBusy) return;
    const hub = this.#sources.trouble();
    this.#send({ type: 'beat', sequence: this.#sources.state.log.sequence, ...(hub === undefined ? {} : { hub }) });
  }

  async #recheck(): Promise<void> {
    if (this.#isRechecking) return;
    this.#isRechecking = true;
    const before = this.#session.sight.fingerprint;
    let session: Session | undefined;
    try {
      session = await this.#refresh();
    } catch (error) {
      // The API server did not respond, so the last check of the permissions is now too old. End the stream.
      this.#sources.runtime.log.warn({ error }, 'permissions of a user could not be checked');
      return this.end('rights-changed', 'your rights could not be checked: the hub does not answer');
    } finally {
      this.#isRechecking = false;
    }
    if (session === undefined) return this.end('token-ended', 'your session has ended: sign in again');
    if (session.sight.fingerprint !== before) return this.end('rights-changed', 'your rights have changed');
    this.#session = session;
  }

  #send(message: StreamMessage): void {
    this.#sendText(JSON.stringify(message));
  }

  #sendText(text: string): void {
    if (this.#isClosed) return;
    this.#sentAt = this.#sources.runtime.clock.monotonic();
    this.#sink.send(text);
  }

  #after(name: string, delayMs: number, task: () => void): void {
    if (this.#isClosed || this.#cancels.has(name)) return;
    const cancel = this.#sources.runtime.timers.after(delayMs, () => {
      this.#cancels.delete(name);
      task();
    });
    this.#cancels.set(name, cancel);
  }

  #every(name: string, periodMs: number, task: () => void): void {
    this.#after(name, periodMs, () => {
      task();
      this.#every(name, periodMs, task);
    });
  }
}

/** Whether computing the view needs every cluster or every Event. */
function isCostly({ view }: ViewRequest): boolean {
  return view === 'summary' || view === 'rollout' || view === 'add-on' || view === 'activity';
}

/** Whether the view contains problems that appear without a change: certificates that were not renewed, and rollouts that are late. */
function isTimed({ view }: ViewRequest): boolean {
  return view === 'summary' || view === 'rollout';
}

/** Whether the change affects the view. */
function touches(request: ViewRequest, { cluster, addOn }: Change): boolean {
  const isActivity = cluster === undefined && addOn === undefined;
  switch (request.view) {
    case 'fleet':
    case 'summary':
      return !isActivity;
    case 'add-on':
      // The page draws the dependencies and dependents, so it also shows changes to the declarations of other add-ons.
      return cluster === undefined || addOn === undefined || addOn === request.addOn;
    case 'rollout':
      return isActivity || addOn === undefined || addOn === request.addOn || addOn === FLEET_ROLLOUT;
    case 'cluster':
    case 'cell':
      return cluster === undefined || cluster === request.cluster;
    case 'activity':
      // The page contains the timelines of the rollouts.
      return cluster === undefined;
    case 'object':
    case 'plan':
    case 'replay':
      return false;
  }
}
