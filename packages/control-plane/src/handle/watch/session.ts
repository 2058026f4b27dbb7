import { apiVersionOf, type KubeObject, type WatchEvent } from '@outrigger/core';
import { RevisionExpired, type Change } from '../../store/contract.js';
import type { ServedWatchEvent } from '../contract.js';
import type { RequestContext } from '../context.js';
import type { Selection } from '../selection.js';
import type { View } from '../responses/view.js';
import { Channel } from './channel.js';
import { errorEvent, tooOld } from './error-event.js';
import { SharedChange, servedEvent } from './shared-change.js';
import type { RemoteConversion } from '../../registry/resource.js';

const BOOKMARK_INTERVAL_MS = 60_000;
/** The time in milliseconds before the end of a watch at which the watch sends its last bookmark. */
const LAST_BOOKMARK_MS = 2000;
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

export interface WatchOptions {
  readonly prefix: string;
  readonly selection: Selection;
  readonly view: View;
  /** Whether to begin with an ADDED event for every existing object. */
  readonly initialState: boolean;
  /** The revision after which changes are sent. It is ignored with `initialState`, which starts with the newest state. */
  readonly fromRevision: number;
  /** Whether to send a bookmark when the initial state is complete. */
  readonly marksInitialEnd: boolean;
  readonly allowBookmarks: boolean;
  readonly timeoutMs: number;
}

/**
 * Opens a watch. The watch reads the history and subscribes to the hub in one turn of the event loop, so no change is lost or sent twice.
 * Throws `RevisionExpired` if the history from the requested revision is no longer kept.
 */
export function startWatch(context: RequestContext, options: WatchOptions): AsyncIterable<ServedWatchEvent> {
  const { server, signal } = context;
  let isOver = false;
  const cleanups: (() => void)[] = [];
  const channel = new Channel<ServedWatchEvent>(() => {
    isOver = true;
    for (const cleanup of cleanups.splice(0)) cleanup();
  });
  const end = (): void => channel.end();
  const views = new EventViews(options.view);
  const inOrder = turnsOf(context.resource.remote, (error) => {
    // If an object cannot be converted to this version, the error is the watch's last event.
    channel.push(errorEvent(server.runtime, error, options.view.encodeEvent));
    channel.end();
  });
  const states = (shared: SharedChange): readonly KubeObject[] => statesOf(shared, options);
  const send = (shared: SharedChange): void => {
    const event = eventFor(context, options.selection, views.view, shared);
    if (event) channel.push(views.with(event));
  };
  const deliver = (shared: SharedChange): void => inOrder(shared, states, send);
  const sendBookmark = (annotations?: Readonly<Record<string, string>>): void =>
    inOrder(annotations, showsNothing, () => channel.push(views.with(bookmark(context, views.view, annotations))));

  if (options.initialState) {
    const stored = server.store.range(options.prefix).entries.map(({ object }) => object);
    inOrder(
      stored,
      () => stored,
      () => pushInitialState(context, options.selection, views, stored, channel),
    );
    if (options.marksInitialEnd && options.allowBookmarks) sendBookmark({ [INITIAL_EVENTS_END]: 'true' });
  } else {
    const missed = server.store.since(options.fromRevision, options.prefix);
    // Deliver the missed events one by one if a webhook converts the objects, or if events after the first are shown in a different form.
    if (context.resource.remote || options.view.following) for (const change of missed) deliver(new SharedChange(change));
    else channel.begin(replay(context, options, missed, channel));
  }
  // If the watch has failed, the channel has already ended.
  if (isOver) return channel;

  cleanups.push(server.watches.add({ prefix: options.prefix, version: context.resource.version }, deliver, end));
  cleanups.push(server.runtime.timers.after(options.timeoutMs, end));
  if (options.allowBookmarks) cleanups.push(...bookmarkTimers(context, options.timeoutMs, () => sendBookmark()));
  if (signal) {
    signal.addEventListener('abort', end, { once: true });
    cleanups.push(() => signal.removeEventListener('abort', end));
    if (signal.aborted) end();
  }
  return channel;
}

/**
 * Yields the events for the changes that the client missed. Each change is read when the client takes its event. If the change has been
 * compacted by then, the watch fails.
 */
function* replay(
  context: RequestContext,
  { selection, view }: WatchOptions,
  missed: Iterable<Change>,
  channel: Channel<ServedWatchEvent>,
): Generator<ServedWatchEvent, void, void> {
  try {
    for (const change of missed) {
      const event = eventFor(context, selection, view, new SharedChange(change));
      if (event) yield event;
    }
  } catch (error) {
    channel.cut();
    yield errorEvent(context.server.runtime, error instanceof RevisionExpired ? tooOld(error) : error, view.encodeEvent);
  }
}

/** Queues a step. `shows` returns the stored objects that the step will send. */
type InOrder = <T>(what: T, shows: (what: T) => readonly KubeObject[], step: (what: T) => void) => void;

const NO_OBJECTS: readonly KubeObject[] = [];
const showsNothing = (): readonly KubeObject[] => NO_OBJECTS;

/**
 * Runs steps, each of which sends stored objects, in the order in which the steps are added. A step runs immediately or, if a webhook must
 * convert the objects, after the response and all earlier steps.
 */
function turnsOf(remote: RemoteConversion | undefined, fail: (error: unknown) => void): InOrder {
  const attempt = <T>(what: T, step: (what: T) => void): void => {
    try {
      step(what);
    } catch (error) {
      fail(error);
    }
  };
  // This runs for every change and every watcher, so it allocates nothing.
  if (!remote) return (what, _, step) => attempt(what, step);
  let last = Promise.resolve();
  return (what, shows, step) => {
    const fetched = remote.fetchShown(shows(what));
    last = Promise.all([last, fetched]).then(() => attempt(what, step), fail);
  };
}

/** Returns the states of an object that `eventFor` compares. The previous state matters only if the watch has a selector. */
function statesOf({ change }: SharedChange, { selection }: WatchOptions): readonly KubeObject[] {
  return change.previous && !selection.isEmpty ? [change.object, change.previous] : [change.object];
}

/** Holds the view for the next event of a watch. The first event may need a different view from the others. */
class EventViews {
  view: View;

  constructor(view: View) {
    this.view = view;
  }

  with(event: ServedWatchEvent): ServedWatchEvent {
    this.view = this.view.following ?? this.view;
    return event;
  }
}

function pushInitialState(
  { resource }: RequestContext,
  selection: Selection,
  views: EventViews,
  stored: readonly KubeObject[],
  channel: Channel<ServedWatchEvent>,
): void {
  for (const each of stored) {
    const object = resource.fromStorage(each);
    if (selection.matches(object)) channel.pushInitial(views.with(shown('ADDED', object, views.view)));
  }
}

/**
 * Returns the event that a watcher receives for a change. An object that leaves the watcher's selection is reported as deleted. An object
 * that enters the selection is reported as added.
 */
function eventFor({ resource }: RequestContext, selection: Selection, view: View, shared: SharedChange): ServedWatchEvent | undefined {
  const { change } = shared;
  const object = resource.fromStorage(change.object);
  const event = (type: WatchEvent['type'], what: KubeObject, name = view.name): ServedWatchEvent =>
    shared.event(type, name, view.encodeEvent, () => view.object(what));
  if (selection.isEmpty) return event(typeOf(change), object);
  const before = change.previous && resource.fromStorage(change.previous);
  const matched = before !== undefined && selection.matches(before);
  const matches = change.type === 'put' && selection.matches(object);
  if (matches) return event(matched ? 'MODIFIED' : 'ADDED', object);
  if (!matched) return undefined;
  if (change.type === 'delete') return event('DELETED', object);
  return event('DELETED', atRevision(before, change.revision), `${view.name} before`);
}

function shown(type: WatchEvent['type'], object: KubeObject, view: View): ServedWatchEvent {
  return servedEvent(type, view.object(object), view.encodeEvent);
}

function typeOf(change: Change): WatchEvent['type'] {
  if (change.type === 'delete') return 'DELETED';
  return change.isCreation ? 'ADDED' : 'MODIFIED';
}

function atRevision(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

function bookmark({ resource, server }: RequestContext, view: View, annotations?: Readonly<Record<string, string>>): ServedWatchEvent {
  const metadata = { resourceVersion: String(server.store.revision), ...(annotations ? { annotations } : {}) };
  return shown('BOOKMARK', { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata }, view);
}

/** Runs `task` every minute and shortly before the end of the watch, so that clients can resume from a recent resourceVersion. */
function bookmarkTimers({ server }: RequestContext, timeoutMs: number, task: () => void): (() => void)[] {
  const { timers } = server.runtime;
  const beforeEnd = timeoutMs > LAST_BOOKMARK_MS ? [timers.after(timeoutMs - LAST_BOOKMARK_MS, task)] : [];
  let cancel = timers.after(BOOKMARK_INTERVAL_MS, function again() {
    task();
    cancel = timers.after(BOOKMARK_INTERVAL_MS, again);
  });
  return [() => cancel(), ...beforeEnd];
}
