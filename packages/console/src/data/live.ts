// Keeps the views of the page current: loads a snapshot of each view, then applies changes from one event stream. A tab in the background
// has no stream. After a gap, or after the server was unavailable, a view is requested again and shows its last state until the response
// arrives.
import {
  addressOf,
  canBeFollowed,
  type FleetDelta,
  type FleetSnapshot,
  type StreamMessage,
  streamAddress,
  type ViewAnswer,
  type ViewData,
  type ViewError,
  type ViewRequest,
} from '@outrigger/console-contract';
import { after, every, nextFrame, nowMs } from '../adapters/clock.js';
import { changeFleet, type Fleet, fleetOf } from '../fleet/fleet.js';
import { type FleetPart, slices } from '../fleet/slices.js';
import { linkFound, linkLost, signedOut } from './link.js';
import { GoneError, getJson, hasNoSession, RefusedError } from '../adapters/request.js';
import { readSession } from './session.js';
import { createStore, type Store } from './store.js';

export interface Shown<Data> {
  readonly data: Data | undefined;
  readonly error: { readonly code: string; readonly message: string } | undefined;
}

interface LiveView {
  readonly request: ViewRequest;
  readonly store: Store<Shown<unknown>>;
  uses: number;
  since: { epoch: string; sequence: number } | undefined;
  isAsked: boolean;
}

const SILENCE_MS = 25_000;
/** If more parts of deltas than this are pending, they are applied at once instead of one per frame. */
const MOST_PENDING = 60;
const RETRIES_MS = [500, 1_000, 2_000, 5_000];

const views = new Map<string, LiveView>();
let stream: EventSource | undefined;
let streamed = '';
let lastHeard = 0;
let failures = 0;
let cancelRetry: () => void = () => undefined;
let planned = false;

/** Keeps a view current as long as it is used. Unused views are dropped. */
export function watchView(request: ViewRequest): { readonly store: Store<Shown<unknown>>; readonly stop: () => void } {
  const address = addressOf(request);
  const known = views.get(address);
  const view = known ?? {
    request,
    store: createStore<Shown<unknown>>({ data: undefined, error: undefined }),
    uses: 0,
    since: undefined,
    isAsked: false,
  };
  views.set(address, view);
  view.uses++;
  if (known === undefined) void ask(view);
  return {
    store: view.store,
    stop() {
      view.uses--;
      // Wait for the next page to request its views. If it uses this view too, the view is kept.
      after(0, () => {
        if (view.uses > 0 || views.get(address) !== view) return;
        views.delete(address);
        planStream();
      });
    },
  };
}

export function askAgain(request: ViewRequest): void {
  const view = views.get(addressOf(request));
  if (view !== undefined) void ask(view);
}

export function startLive(): void {
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) closeStream();
    else planStream();
  });
  every(1_000, () => {
    if (stream !== undefined && nowMs() - lastHeard > SILENCE_MS) lose();
  });
}

async function ask(view: LiveView): Promise<void> {
  if (view.isAsked) return;
  view.isAsked = true;
  try {
    const answer = (await getJson(addressOf(view.request))) as ViewAnswer | FleetSnapshot;
    view.since = { epoch: answer.epoch, sequence: answer.sequence };
    // The fleet snapshot contains its own sequence number, so it has no wrapper with a field `data`, as other views have.
    show(view, 'data' in answer ? answer.data : answer);
    linkFound({});
    planStream();
  } catch (error) {
    refuse(view, error);
  } finally {
    view.isAsked = false;
  }
}

/** The errors of a view that does not exist or that the user may not see. */
const HIDING: readonly string[] = ['forbidden', 'not-found', 'bad-request'] satisfies readonly ViewError['code'][];

function refuse(view: LiveView, error: unknown): void {
  if (error instanceof GoneError) {
    lose();
    return;
  }
  if (hasNoSession(error)) {
    signedOut(error.message, error.code === 'not-opened');
    return;
  }
  const code = error instanceof RefusedError ? error.code : 'failed';
  const message = error instanceof Error ? error.message : String(error);
  // A user who may not see the view any more must not see its last state. After any other error the last state stays, with the error.
  const data = HIDING.includes(code) ? undefined : view.store.get().data;
  view.store.set({ data, error: { code, message } });
  if (code === 'not-ready') after(1_000, () => void ask(view));
}

function show(view: LiveView, data: ViewData): void {
  const shown = view.request.view === 'fleet' && 'strings' in data ? fleetOf(data) : data;
  view.store.set({ data: shown, error: undefined });
}

/** Opens the stream for the current views. All changes in this turn share one stream. */
function planStream(): void {
  if (planned) return;
  planned = true;
  queueMicrotask(() => {
    planned = false;
    openStream();
  });
}

function openStream(): void {
  const ready = [...views.values()].filter(({ since, request }) => since !== undefined && canBeFollowed(request));
  const names = ready.map(({ request }) => addressOf(request)).join('\n');
  if (document.hidden || ready.length === 0) {
    closeStream();
    return;
  }
  if (stream !== undefined && names === streamed) return;
  closeStream();
  const since = ready
    .map((view) => view.since)
    .reduce((least, one) => (one !== undefined && least !== undefined && one.sequence < least.sequence ? one : least));
  if (since === undefined) return;
  streamed = names;
  lastHeard = nowMs();
  const opened = new EventSource(
    streamAddress(
      since,
      ready.map(({ request }) => request),
    ),
  );
  stream = opened;
  opened.onmessage = (event: MessageEvent<string>) => {
    if (stream !== opened) return;
    lastHeard = nowMs();
    failures = 0;
    hear(JSON.parse(event.data) as StreamMessage);
  };
  opened.onopen = () => {
    lastHeard = nowMs();
    linkFound({});
  };
  opened.onerror = () => {
    if (stream === opened) lose();
  };
}

function closeStream(): void {
  stream?.close();
  stream = undefined;
  streamed = '';
}

/** Handles a failed stream. Determines whether the server is unavailable or rejects the stream, and retries until the server responds. */
function lose(): void {
  closeStream();
  cancelRetry();
  const pause = failures === 0 ? 0 : (RETRIES_MS[Math.min(failures, RETRIES_MS.length) - 1] ?? 5_000);
  cancelRetry = after(pause, () => void recover());
  failures++;
}

async function recover(): Promise<void> {
  try {
    await getJson('/api/session');
  } catch (error) {
    if (hasNoSession(error)) signedOut(error.message, error.code === 'not-opened');
    else {
      linkLost();
      lose();
    }
    return;
  }
  linkFound({});
  readSession();
  for (const view of views.values()) void ask(view);
}

function hear(message: StreamMessage): void {
  switch (message.type) {
    case 'beat':
      linkFound({ hub: message.hub });
      return;
    case 'end':
      closeStream();
      if (message.reason === 'server-stops') lose();
      else if (message.reason === 'rights-changed') for (const view of views.values()) void ask(view);
      else signedOut(message.message);
      return;
    case 'fleet':
      hearFleet(message.delta);
      return;
    case 'gap':
    case 'error':
    case 'view': {
      const view = views.get(message.view);
      if (view !== undefined) hearView(view, message);
    }
  }
}

const pendingDeltas: FleetPart[] = [];

/** Queues the delta. A large delta is applied in parts, one per frame, so that no frame is delayed. */
function hearFleet(delta: FleetDelta): void {
  const isFirst = pendingDeltas.length === 0;
  pendingDeltas.push(...slices(delta));
  if (isFirst) nextFrame(applyPending);
}

function applyPending(): void {
  const delta = pendingDeltas.shift();
  if (delta === undefined) return;
  // If the browser cannot keep up, apply all queued changes immediately, so that it does not fall further behind.
  applyFleet(delta);
  while (pendingDeltas.length > MOST_PENDING) applyFleet(pendingDeltas.shift() as FleetPart);
  if (pendingDeltas.length > 0) nextFrame(applyPending);
}

function applyFleet(delta: FleetPart): void {
  const view = views.get(addressOf({ view: 'fleet' }));
  const fleet = view?.store.get().data as Fleet | undefined;
  if (view === undefined || fleet === undefined) return;
  const changed = changeFleet(fleet, delta);
  if (changed === undefined) {
    pendingDeltas.length = 0;
    void ask(view);
    return;
  }
  view.since = { epoch: changed.epoch, sequence: changed.sequence };
  view.store.set({ data: changed, error: undefined });
}

function hearView(view: LiveView, message: Extract<StreamMessage, { view: string }>): void {
  if (message.type === 'gap') void ask(view);
  else if (message.type === 'error') view.store.set({ ...view.store.get(), error: message.error });
  else {
    if (view.since !== undefined) view.since = { ...view.since, sequence: message.sequence };
    show(view, message.data);
  }
}
