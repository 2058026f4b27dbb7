// Keeps the views of the page current: loads a snapshot of each view, then applies changes from one event stream. For each view, the server
// process and the sequence number of the shown content are remembered, so that a new stream resumes the view from there. A tab in the
// background has no stream and sends no repeated requests. After a gap, or after the server was unavailable, a view is requested again and
// shows its last state until the response arrives.
import {
  addressOf,
  canBeFollowed,
  type FleetSnapshot,
  type Position,
  SESSION_ADDRESS,
  type StreamMessage,
  streamAddress,
  type ViewAnswer,
  type ViewData,
  type ViewError,
  type ViewRequest,
} from '@outrigger/console-contract';
import type { OpenStream, StreamEvents } from '../adapters/event-stream.js';
import { GoneError, hasNoSession, RefusedError } from '../adapters/request.js';
import { changeFleet, type Fleet, fleetOf } from '../fleet/fleet.js';
import type { FleetPart } from '../fleet/slices.js';
import { FleetDeltas } from './fleet-deltas.js';
import type { Link } from './link.js';
import { createStore, type Store } from './store.js';

export interface Shown<Data> {
  readonly data: Data | undefined;
  readonly error: ViewError | undefined;
}

/** The parts of the browser that the views need. */
export interface Browser {
  readonly nowMs: () => number;
  /** Calls `act` once after the delay. The returned function cancels the call. */
  readonly after: (delayMs: number, act: () => void) => () => void;
  readonly nextFrame: (act: () => void) => void;
  readonly isHidden: () => boolean;
  readonly getJson: (address: string) => Promise<unknown>;
  readonly openStream: (address: string, events: StreamEvents) => OpenStream;
}

/** The functions to call when the state of the connection changes. */
export interface Reports {
  readonly found: (beat: { readonly hub?: Link['hub'] }) => void;
  readonly lost: () => void;
  readonly signedOut: (message: string, needsAddress?: boolean) => void;
  /** Called when the server responds again. The user may have another session then. */
  readonly recovered: () => void;
}

interface LiveView {
  readonly request: ViewRequest;
  readonly store: Store<Shown<unknown>>;
  uses: number;
  since: Position | undefined;
  isAsked: boolean;
  /** Whether the view has to be requested again because the pending request may return an older state. */
  isOutdated: boolean;
  cancelRetry: () => void;
}

const FLEET = addressOf({ view: 'fleet' });
const SILENCE_MS = 25_000;
const RETRIES_MS = [500, 1_000, 2_000, 5_000];
/** The time in milliseconds after which a view is requested again, for each error that can disappear by itself. */
const VIEW_RETRIES_MS: Readonly<Partial<Record<ViewError['code'], number>>> = { 'not-ready': 1_000, failed: 5_000 };
/** The errors of a view that does not exist or that the user may not see. */
const HIDING: readonly ViewError['code'][] = ['forbidden', 'not-found', 'bad-request'];

export class LiveViews {
  readonly #browser: Browser;
  readonly #reports: Reports;
  readonly #views = new Map<string, LiveView>();
  /** The tasks that wait until the tab is shown again. */
  readonly #postponed = new Map<string, () => void>();
  /** The deltas of the current stream. */
  readonly #deltas: FleetDeltas;
  #stream: OpenStream | undefined;
  /** The addresses of the views that the stream follows. */
  #streamed = '';
  /** The epoch of the server process that sends the stream; empty until the stream has started. */
  #epoch = '';
  #lastHeard = 0;
  #failures = 0;
  #cancelRecovery: (() => void) | undefined;
  #isPlanned = false;

  constructor(browser: Browser, reports: Reports) {
    this.#browser = browser;
    this.#reports = reports;
    this.#deltas = new FleetDeltas(browser.nextFrame, {
      isAsked: () => this.#views.get(FLEET)?.isAsked === true,
      apply: (part) => this.#changeFleet(part),
    });
  }

  /** Keeps a view current as long as it is used. Unused views are dropped. */
  watch(request: ViewRequest): { readonly store: Store<Shown<unknown>>; readonly stop: () => void } {
    const address = addressOf(request);
    const known = this.#views.get(address);
    const view = known ?? {
      request,
      store: createStore<Shown<unknown>>({ data: undefined, error: undefined }),
      uses: 0,
      since: undefined,
      isAsked: false,
      isOutdated: false,
      cancelRetry: () => undefined,
    };
    this.#views.set(address, view);
    view.uses++;
    if (known === undefined) void this.#ask(view);
    return {
      store: view.store,
      stop: () => {
        view.uses--;
        // Wait until the next page has requested its views. If the next page uses this view too, the view is kept.
        this.#browser.after(0, () => {
          if (view.uses > 0 || this.#views.get(address) !== view) return;
          view.cancelRetry();
          this.#views.delete(address);
          this.#planStream();
        });
      },
    };
  }

  askAgain(request: ViewRequest): void {
    const view = this.#views.get(addressOf(request));
    if (view !== undefined) void this.#ask(view);
  }

  /** Must be called when the tab goes to the background or is shown again. */
  visibilityChanged(): void {
    if (this.#browser.isHidden()) {
      this.#closeStream();
      return;
    }
    const acts = [...this.#postponed.values()];
    this.#postponed.clear();
    for (const act of acts) act();
    this.#planStream();
  }

  /** Must be called every second. Detects a silent stream, for example after the machine was suspended. */
  tick(): void {
    if (this.#stream !== undefined && this.#browser.nowMs() - this.#lastHeard > SILENCE_MS) this.#lose();
  }

  #whenVisible(name: string, act: () => void): void {
    if (this.#browser.isHidden()) this.#postponed.set(name, act);
    else act();
  }

  #askAll(): void {
    for (const view of this.#views.values()) void this.#ask(view);
  }

  async #ask(view: LiveView): Promise<void> {
    if (view.isAsked) {
      view.isOutdated = true;
      return;
    }
    view.cancelRetry();
    view.isAsked = true;
    try {
      const answer = (await this.#browser.getJson(addressOf(view.request))) as ViewAnswer | FleetSnapshot;
      const since = { epoch: answer.epoch, sequence: answer.sequence };
      if (!isOlder(since, view.since)) {
        view.since = since;
        // The fleet snapshot contains its own sequence number, so it has no wrapper with a field `data`, as other views have.
        show(view, 'data' in answer ? answer.data : answer);
      }
      this.#reports.found({});
      this.#planStream();
    } catch (error) {
      this.#refuse(view, error);
    } finally {
      view.isAsked = false;
      const { isOutdated } = view;
      view.isOutdated = false;
      if (isOutdated) void this.#ask(view);
      this.#deltas.plan();
    }
  }

  #refuse(view: LiveView, error: unknown): void {
    if (error instanceof GoneError) {
      this.#lose();
      return;
    }
    if (hasNoSession(error)) {
      this.#reports.signedOut(error.message, error.code === 'not-opened');
      return;
    }
    const code = error instanceof RefusedError ? error.code : 'failed';
    this.#showError(view, { code, message: error instanceof Error ? error.message : String(error) });
  }

  #showError(view: LiveView, error: ViewError): void {
    // A user who may not see the view any more must not see its last state. After any other error the last state stays, with the error.
    const data = HIDING.includes(error.code) ? undefined : view.store.get().data;
    view.store.set({ data, error });
    const delayMs = VIEW_RETRIES_MS[error.code];
    if (delayMs === undefined) return;
    view.cancelRetry();
    view.cancelRetry = this.#browser.after(delayMs, () => {
      const address = addressOf(view.request);
      this.#whenVisible(address, () => {
        if (this.#views.get(address) === view) void this.#ask(view);
      });
    });
  }

  /** Opens the stream for the current views at the end of the turn, so that several changes in one turn open only one stream. */
  #planStream(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      this.#openStream();
    });
  }

  #openStream(): void {
    const ready = [...this.#views.values()].filter(({ since, request }) => since !== undefined && canBeFollowed(request));
    if (this.#browser.isHidden() || ready.length === 0) {
      this.#closeStream();
      return;
    }
    const names = ready.map(({ request }) => addressOf(request)).join('\n');
    if (this.#stream !== undefined && names === this.#streamed) return;
    this.#closeStream();
    this.#streamed = names;
    this.#lastHeard = this.#browser.nowMs();
    const opened = this.#browser.openStream(streamAddress(ready), {
      opened: () => {
        if (this.#stream !== opened) return;
        this.#lastHeard = this.#browser.nowMs();
        this.#reports.found({});
      },
      heard: (text) => {
        if (this.#stream !== opened) return;
        this.#lastHeard = this.#browser.nowMs();
        this.#hear(JSON.parse(text) as StreamMessage);
      },
      failed: () => {
        if (this.#stream === opened) this.#lose();
      },
    });
    this.#stream = opened;
  }

  #closeStream(): void {
    this.#stream?.close();
    this.#stream = undefined;
    this.#streamed = '';
    this.#epoch = '';
    // The next stream resumes the fleet before these deltas, so the server sends them again.
    this.#deltas.drop();
  }

  /** Handles a failed stream. Determines whether the server is unavailable or rejects the stream, and retries until the server responds. */
  #lose(): void {
    this.#closeStream();
    if (this.#cancelRecovery !== undefined) return;
    const delayMs = this.#failures === 0 ? 0 : (RETRIES_MS[Math.min(this.#failures, RETRIES_MS.length) - 1] ?? 5_000);
    this.#failures++;
    this.#cancelRecovery = this.#browser.after(delayMs, () => {
      this.#cancelRecovery = undefined;
      this.#whenVisible('recovery', () => void this.#recover());
    });
  }

  async #recover(): Promise<void> {
    try {
      await this.#browser.getJson(SESSION_ADDRESS);
    } catch (error) {
      if (hasNoSession(error)) this.#reports.signedOut(error.message, error.code === 'not-opened');
      else {
        this.#reports.lost();
        this.#lose();
      }
      return;
    }
    this.#reports.found({});
    this.#reports.recovered();
    this.#askAll();
  }

  #hear(message: StreamMessage): void {
    // A proxy may end each stream right after its start, so only a later message shows that streams work.
    if (message.type !== 'start') this.#failures = 0;
    switch (message.type) {
      case 'start':
        this.#epoch = message.epoch;
        return;
      case 'beat':
        this.#reports.found({ hub: message.hub });
        return;
      case 'end':
        this.#closeStream();
        if (message.reason === 'server-stops') this.#lose();
        else if (message.reason === 'rights-changed') this.#askAll();
        else this.#reports.signedOut(message.message);
        return;
      case 'fleet':
        this.#deltas.add(message.delta);
        return;
      case 'gap':
      case 'error':
      case 'view': {
        const view = this.#views.get(message.view);
        if (view !== undefined) this.#hearView(view, message);
      }
    }
  }

  /** Applies a part of a delta to the fleet. If the part does not apply, requests the fleet again and returns false. */
  #changeFleet(part: FleetPart): boolean {
    const view = this.#views.get(FLEET);
    const fleet = view?.store.get().data as Fleet | undefined;
    if (view === undefined || fleet === undefined) return true;
    // A delta of another server process applies to another fleet, even if the sequence numbers match.
    const changed = fleet.epoch === this.#epoch ? changeFleet(fleet, part) : undefined;
    if (changed === undefined) {
      void this.#ask(view);
      return false;
    }
    view.since = { epoch: changed.epoch, sequence: changed.sequence };
    view.store.set({ data: changed, error: undefined });
    return true;
  }

  #hearView(view: LiveView, message: Extract<StreamMessage, { view: string }>): void {
    if (message.type === 'gap') void this.#ask(view);
    else if (message.type === 'error') this.#showError(view, message.error);
    else {
      view.since = { epoch: this.#epoch, sequence: message.sequence };
      show(view, message.data);
    }
  }
}

/** Whether the answer was computed before the state that the view shows. Such an answer must not replace that state. */
function isOlder(answer: Position, shown: Position | undefined): boolean {
  return answer.epoch === shown?.epoch && answer.sequence < shown.sequence;
}

function show(view: LiveView, data: ViewData): void {
  const shown = view.request.view === 'fleet' && 'strings' in data ? fleetOf(data) : data;
  view.store.set({ data: shown, error: undefined });
}
