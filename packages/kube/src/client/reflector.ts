import {
  ApiError,
  type ApiStatus,
  isApiError,
  type Kind,
  type KubeList,
  type KubeObject,
  type Runtime,
  type WatchEvent,
} from '@outrigger/core';
import { ConnectionError } from './connection-error.js';
import { linkSignals } from './signals.js';
import type { Client, Selection } from './types.js';

/**
 * The changes of a kind, in a fixed order: `Init`, then `InitApply` for every object that exists, then `InitDone`, then changes. A second
 * `Init` means that changes were missed. An object that is not applied between this `Init` and its `InitDone` no longer exists.
 */
export type ReflectorEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'Init' }
  | { readonly type: 'InitApply'; readonly object: T }
  | { readonly type: 'InitDone'; readonly resourceVersion: string }
  | { readonly type: 'Apply'; readonly object: T }
  | { readonly type: 'Delete'; readonly object: T }
  /** All changes up to this resourceVersion have been delivered. */
  | { readonly type: 'Bookmark'; readonly resourceVersion: string };

export type ReflectorState<T extends KubeObject = KubeObject> =
  | { readonly at: 'start'; readonly paged: boolean }
  | { readonly at: 'page'; readonly paged: boolean; readonly next?: Promise<PageRead<T>> }
  | {
      readonly at: 'items';
      readonly items: readonly T[];
      readonly index: number;
      readonly resourceVersion: string;
      readonly next?: Promise<PageRead<T>>;
    }
  | { readonly at: 'ready'; readonly resourceVersion: string }
  | { readonly at: 'watching'; readonly resourceVersion: string; readonly watch: OpenWatch<T> };

/** The outcome of the request for a page. The request for the next page is sent while the items of a page are handled. */
export type PageRead<T extends KubeObject = KubeObject> = { readonly page: KubeList<T> } | { readonly error: unknown };

/**
 * The result of a step. It usually contains an event. It contains a failure if the caller must wait before the next step. It contains
 * neither if only the state changed.
 */
export interface Step<T extends KubeObject = KubeObject> {
  readonly state: ReflectorState<T>;
  readonly event?: ReflectorEvent<T>;
  readonly failure?: unknown;
}

export interface ReflectorContext<T extends KubeObject = KubeObject> {
  readonly client: Client;
  readonly runtime: Runtime;
  readonly kind: Kind<T>;
  readonly selection: Selection;
  readonly metadataOnly: boolean;
  readonly gatherMs: number | undefined;
  readonly pageSize: number;
  readonly signal: AbortSignal;
}

interface OpenWatch<T extends KubeObject> {
  readonly events: AsyncIterator<WatchEvent<T>>;
  readonly openedAt: number;
  readonly deliveredAny: boolean;
  /** Called for every event, because an event shows that the connection works. */
  readonly touch: (type: WatchEvent['type']) => void;
  close(): Promise<void>;
}

export const START: ReflectorState<never> = { at: 'start', paged: true };

/**
 * The range of timeouts after which servers end watches. The random part prevents the watches of many clients from ending at the same time.
 */
const WATCH_SECONDS = { least: 300, spread: 300 } as const;
/** If the server has not ended a watch this long after its timeout, the connection counts as lost. */
const OVERDUE_MS = 30_000;
/**
 * A watch without an event for this long counts as stalled, because servers that send bookmarks send one every minute. This is checked only
 * after the first bookmark, because some servers send none.
 */
const STALLED_MS = 150_000;
/**
 * A watch that ends sooner than this and without an event counts as a failure. Without a delay after it, the client would reconnect in a
 * busy loop.
 */
const SHORT_WATCH_MS = 1_000;

/**
 * Executes one step of the state machine. Never throws for errors of the server or the network; it returns them as a `failure` with the
 * state to continue from.
 */
export async function step<T extends KubeObject>(state: ReflectorState<T>, context: ReflectorContext<T>): Promise<Step<T>> {
  switch (state.at) {
    case 'start':
      return { state: { at: 'page', paged: state.paged }, event: { type: 'Init' } };
    case 'page':
      return readPage(state, context);
    case 'items':
      return nextItem(state);
    case 'ready':
      return openWatch(state.resourceVersion, context);
    case 'watching':
      return nextEvent(state, context);
  }
}

async function readPage<T extends KubeObject>(state: ReflectorState<T> & { at: 'page' }, context: ReflectorContext<T>): Promise<Step<T>> {
  const { next, paged } = state;
  const read = await (next ?? requestPage(context, paged));
  if ('page' in read) {
    const { items, metadata } = read.page;
    const following = metadata.continue ? { next: requestPage(context, paged, metadata.continue) } : {};
    return { state: { at: 'items', items, index: 0, resourceVersion: metadata.resourceVersion ?? '', ...following } };
  }
  // The snapshot behind the continue token was compacted before all pages were read. Reading in pages is too slow for this kind, so list
  // without pages.
  if (next !== undefined && isGone(read.error)) return { state: { at: 'start', paged: false } };
  return { state: { at: 'start', paged: true }, failure: read.error };
}

/** Requests a page. Never rejects, because a page that was requested ahead of time may not be awaited. */
async function requestPage<T extends KubeObject>(
  { client, kind, selection, metadataOnly, pageSize, signal }: ReflectorContext<T>,
  paged: boolean,
  token?: string,
): Promise<PageRead<T>> {
  try {
    const limit = paged ? { limit: pageSize } : {};
    const position = token === undefined ? {} : { continue: token };
    return { page: await client.list(kind, { ...selection, ...limit, ...position, metadataOnly, signal }) };
  } catch (error) {
    return { error };
  }
}

function nextItem<T extends KubeObject>(state: ReflectorState<T> & { at: 'items' }): Step<T> {
  const object = state.items[state.index];
  if (object !== undefined) return { state: { ...state, index: state.index + 1 }, event: { type: 'InitApply', object } };
  if (state.next !== undefined) return { state: { at: 'page', paged: true, next: state.next } };
  const { resourceVersion } = state;
  return { state: { at: 'ready', resourceVersion }, event: { type: 'InitDone', resourceVersion } };
}

function openWatch<T extends KubeObject>(resourceVersion: string, context: ReflectorContext<T>): Step<T> {
  const { client, kind, selection, metadataOnly, gatherMs, runtime } = context;
  const linked = linkSignals([context.signal]);
  const timeoutSeconds = Math.floor(WATCH_SECONDS.least + WATCH_SECONDS.spread * runtime.random.next());
  const lose = (): void => linked.abort(stalled(kind));
  const cancelOverdue = runtime.timers.after(timeoutSeconds * 1000 + OVERDUE_MS, lose);
  const stall = createStallTimer(runtime, lose);
  const gathering = gatherMs === undefined ? {} : { gatherMs };
  const options = {
    ...selection,
    resourceVersion,
    timeoutSeconds,
    allowBookmarks: true,
    metadataOnly,
    ...gathering,
    signal: linked.signal,
  };
  const events = client.watch(kind, options);
  const watch: OpenWatch<T> = {
    events,
    openedAt: runtime.clock.monotonic(),
    deliveredAny: false,
    touch: stall.touch,
    async close() {
      cancelOverdue();
      stall.cancel();
      linked.release();
      await events.return?.();
    },
  };
  return { state: { at: 'watching', resourceVersion, watch } };
}

interface StallTimer {
  readonly touch: (type: WatchEvent['type']) => void;
  readonly cancel: () => void;
}

/** Fires if no event arrives for `STALLED_MS`. Uses one timer that checks the clock, because a timer per event would be too expensive. */
function createStallTimer(runtime: Runtime, fire: () => void): StallTimer {
  let lastAt = 0;
  let cancel: (() => void) | undefined;
  const arm = (delayMs: number): void => {
    cancel = runtime.timers.after(delayMs, () => {
      const restMs = lastAt + STALLED_MS - runtime.clock.monotonic();
      if (restMs > 0) arm(restMs);
      else fire();
    });
  };
  return {
    touch(type) {
      lastAt = runtime.clock.monotonic();
      if (type === 'BOOKMARK' && cancel === undefined) arm(STALLED_MS);
    },
    cancel: () => cancel?.(),
  };
}

async function nextEvent<T extends KubeObject>(
  state: ReflectorState<T> & { at: 'watching' },
  { runtime }: ReflectorContext<T>,
): Promise<Step<T>> {
  const { watch, resourceVersion } = state;
  try {
    const next = await watch.events.next();
    if (!next.done) {
      watch.touch(next.value.type);
      const moved = applyEvent(state, next.value);
      if (moved.state.at !== 'watching') await watch.close();
      return moved;
    }
    await watch.close();
    const wasShort = !watch.deliveredAny && runtime.clock.monotonic() - watch.openedAt < SHORT_WATCH_MS;
    return { state: { at: 'ready', resourceVersion }, ...(wasShort ? { failure: new Error('the server ended the watch at once') } : {}) };
  } catch (error) {
    await watch.close();
    return afterWatchError(error, resourceVersion);
  }
}

function applyEvent<T extends KubeObject>(state: ReflectorState<T> & { at: 'watching' }, { type, object }: WatchEvent<T>): Step<T> {
  if (type === 'ERROR') return afterWatchError(ApiError.fromStatus(object as unknown as Partial<ApiStatus>), state.resourceVersion);
  const resourceVersion = object.metadata.resourceVersion ?? state.resourceVersion;
  const watch = state.watch.deliveredAny ? state.watch : { ...state.watch, deliveredAny: true };
  const next = { ...state, resourceVersion, watch };
  switch (type) {
    case 'BOOKMARK':
      return { state: next, event: { type: 'Bookmark', resourceVersion } };
    case 'DELETED':
      return { state: next, event: { type: 'Delete', object } };
    case 'ADDED':
    case 'MODIFIED':
      return { state: next, event: { type: 'Apply', object } };
  }
}

/**
 * Continues the watch from the last observed version if the connection was lost or the server is busy. After any other error, lists the
 * kind again.
 */
function afterWatchError<T extends KubeObject>(error: unknown, resourceVersion: string): Step<T> {
  if (isGone(error)) return { state: { at: 'start', paged: true } };
  const canResume = !isApiError(error) || error.code === 429 || (error.code >= 500 && !isVersionTooLarge(error));
  return { state: canResume ? { at: 'ready', resourceVersion } : { at: 'start', paged: true }, failure: error };
}

function isGone(error: unknown): boolean {
  return isApiError(error) && error.code === 410;
}

/** Whether the server does not have the observed version yet, because it was restored from a backup. */
function isVersionTooLarge(error: ApiError): boolean {
  return error.details?.causes?.some((cause) => cause.reason === 'ResourceVersionTooLarge') ?? false;
}

function stalled(kind: Kind): ConnectionError {
  return new ConnectionError(`the watch of ${kind.plural} has gone silent`, { code: 'STALLED', server: '', sent: true });
}
