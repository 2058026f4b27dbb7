import { ApiError, type ApiResponse } from '@outrigger/core';
import { fieldError, invalidError } from '@outrigger/core/schema';
import { PROTOBUF } from '../../protobuf/layout.js';
import type { ContentType } from '../../request/negotiate.js';
import type { ServedWatchEvent } from '../contract.js';
import type { RequestContext } from '../context.js';
import { assertNumbers } from '../list-options.js';
import { assertNotInFuture, resourceVersionOf } from '../resource-version.js';
import { selectionOf } from '../selection.js';
import { viewFor } from '../responses/view.js';
import { startWatch, type WatchOptions } from '../watch/session.js';
import { RevisionExpired } from '../../store/contract.js';
import { storagePrefix } from '../../store/key.js';
import { errorEvent, tooOld } from '../watch/error-event.js';

/** A watch without timeoutSeconds ends after a random time of 30 to 60 minutes, so that many clients do not reconnect at once. */
const MIN_TIMEOUT_SECONDS = 1800;

export function watchObjects(context: RequestContext): ApiResponse {
  const { resource, query, path, server } = context;
  assertNumbers(query);
  const view = viewFor(context);
  const options: WatchOptions = {
    prefix: storagePrefix(resource.storage, resource.namespaced && path.namespace === '' ? undefined : path.namespace),
    selection: selectionOf(resource, query, path.name),
    view,
    ...startOf(context),
    allowBookmarks: query.flag('allowWatchBookmarks'),
    timeoutMs: 1000 * (query.integer('timeoutSeconds') || MIN_TIMEOUT_SECONDS * (1 + server.runtime.random.next())),
  };
  const headers = { 'content-type': streamType(view.contentType), 'cache-control': 'no-cache, private' };
  return { status: 200, headers, events: eventsOf(context, options) };
}

/** Returns the content type of a watch. A stream of YAML is not possible, because it has no separator between events. */
function streamType(contentType: ContentType): string {
  if (contentType === 'application/json') return contentType;
  const binary = `${PROTOBUF};stream=watch`;
  if (contentType === PROTOBUF) return binary;
  throw new ApiError('NotAcceptable', `only the following media types are accepted: application/json;stream=watch, ${binary}`);
}

/** Opens a watch. If this fails, the error is sent in the stream, where clients expect it. */
function eventsOf(context: RequestContext, options: WatchOptions): AsyncIterable<ServedWatchEvent> {
  const { store, runtime } = context.server;
  try {
    assertNotInFuture(options.fromRevision, store.revision);
    return startWatch(context, options);
  } catch (error) {
    return only(errorEvent(runtime, error instanceof RevisionExpired ? tooOld(error) : error, options.view.encodeEvent));
  }
}

async function* only<T>(item: T): AsyncGenerator<T, void, void> {
  yield item;
}

/**
 * Returns whether a watch begins with the current state, whether it marks the end of that state, and the revision after which it sends
 * changes.
 */
function startOf({ query, server }: RequestContext): Pick<WatchOptions, 'initialState' | 'fromRevision' | 'marksInitialEnd'> {
  const version = resourceVersionOf(query);
  const match = query.text('resourceVersionMatch');
  const wantsInitial = query.has('sendInitialEvents') ? query.flag('sendInitialEvents') : undefined;
  assertOptions(wantsInitial, match, query.text('continue') !== undefined);
  if (wantsInitial === true) return { initialState: true, fromRevision: version, marksInitialEnd: true };
  if (wantsInitial === false && version === 0) return { initialState: false, fromRevision: server.store.revision, marksInitialEnd: false };
  return { initialState: version === 0, fromRevision: version, marksInitialEnd: false };
}

function assertOptions(wantsInitial: boolean | undefined, match: string | undefined, isContinued: boolean): void {
  const problems = [];
  if (isContinued)
    problems.push(fieldError.forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'));
  if (wantsInitial !== undefined && match !== 'NotOlderThan') {
    problems.push(fieldError.forbidden('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
    if (match !== undefined) problems.push(fieldError.unsupported('resourceVersionMatch', match, ['NotOlderThan']));
  }
  if (wantsInitial === undefined && match !== undefined) {
    problems.push(
      fieldError.forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
    );
  }
  if (problems.length > 0) throw invalidError({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', problems);
}
