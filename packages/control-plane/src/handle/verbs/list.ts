import type { ApiError, ApiResponse, ListMeta } from '@outrigger/core';
import type { Resource } from '../../registry/resource.js';
import { type Entry, RevisionExpired, type Range } from '../../store/contract.js';
import { storageKey, storagePrefix } from '../../store/key.js';
import type { Query } from '../../request/query.js';
import type { RequestContext } from '../context.js';
import { encodeContinue, invalidContinue } from '../continue-token.js';
import { expired, ExpiredPage } from '../errors.js';
import { listStart } from '../list-options.js';
import { selectionOf, type Selection } from '../selection.js';
import { listResponse } from '../responses/respond.js';
import type { ListedItem } from '../responses/listed-items.js';
import { shown } from '../write/save.js';

/** The maximum number of entries that a list reads from the store at once. */
const PAGE = 1000;
/**
 * The minimum number of entries that a list with a selector reads at once. It is larger than a small limit, because few of the entries may
 * match.
 */
const MIN_PAGE = 100;

export interface Listed {
  readonly items: readonly ListedItem[];
  readonly metadata: ListMeta;
}

export async function listObjects(context: RequestContext): Promise<ApiResponse> {
  const { items, metadata } = await collect(context);
  return listResponse(context, items, metadata);
}

/** Returns the objects that a list request selects: one page of a consistent snapshot. */
export async function collect(context: RequestContext): Promise<Listed> {
  const { resource, query, path, server } = context;
  const selection = selectionOf(resource, query);
  const isOneNamespace = path.namespace !== '' || !resource.namespaced;
  const name = isOneNamespace ? selection.name : undefined;
  const { after, revision = server.store.revision } = listStart(query, server.store.revision, name !== undefined);
  try {
    if (name !== undefined) return await collectOne(context, selection, name, revision);
    const prefix = storagePrefix(resource.storage, isOneNamespace ? path.namespace : undefined);
    if (after !== undefined && !after.startsWith(prefix)) throw invalidContinue();
    return await collectPage(context, selection, { prefix, after, revision, limit: limitOf(query) });
  } catch (error) {
    throw error instanceof RevisionExpired ? tooOld(after) : error;
  }
}

/** Returns the limit of a list. An absent or non-positive limit means no limit. */
function limitOf(query: Query): number {
  const limit = query.integer('limit') ?? 0;
  return limit > 0 ? limit : Number.POSITIVE_INFINITY;
}

async function collectOne(
  { resource, path, server }: RequestContext,
  selection: Selection,
  name: string,
  revision: number,
): Promise<Listed> {
  const entry = server.store.get(storageKey({ ...resource.storage, namespace: path.namespace, name }), revision);
  const object = entry && (await shown(resource, entry.object));
  return { items: object && selection.matches(object) ? [{ object }] : [], metadata: { resourceVersion: String(revision) } };
}

interface Page {
  readonly prefix: string;
  readonly after: string | undefined;
  readonly revision: number;
  readonly limit: number;
}

async function collectPage(
  { resource, server }: RequestContext,
  selection: Selection,
  { prefix, revision, limit, after: start }: Page,
): Promise<Listed> {
  const { store } = server;
  const metadata = { resourceVersion: String(revision) };
  const items: ListedItem[] = [];
  let after = start;
  for (;;) {
    const wanted = Math.min(PAGE, selection.isEmpty ? limit - items.length : Math.max(MIN_PAGE, limit - items.length));
    // From the second page on, the objects that a list reads are not cached, so that a long list does not evict the objects that writes
    // need.
    const position = after === undefined ? {} : { after, inPassing: true };
    const range: Range = store.range(prefix, { atRevision: revision, limit: wanted, ...position });
    if (resource.remote) await resource.remote.fetchShown(range.entries.map(({ object }) => object));
    for (const [index, entry] of range.entries.entries()) {
      after = entry.key;
      const item = listedItem(resource, selection, entry);
      if (!item) continue;
      items.push(item);
      if (items.length < limit) continue;
      const isLast = !range.more && index === range.entries.length - 1;
      if (isLast) return { items, metadata };
      // The remaining count is known only if no selector filters the objects.
      const left = selection.isEmpty ? { remainingItemCount: store.count(prefix, { after, atRevision: revision }) } : {};
      return { items, metadata: { ...metadata, continue: encodeContinue({ revision, after }), ...left } };
    }
    if (!range.more) return { items, metadata };
    // Between two reads, other requests run, so that they need not wait until a list of a whole fleet is complete.
    await server.runtime.timers.yield();
  }
}

/** Returns the item for an entry, or undefined if it does not match. Parses the object only if necessary. */
function listedItem(resource: Resource, selection: Selection, entry: Entry): ListedItem | undefined {
  const { text, revision } = entry;
  const isSelected = text !== undefined && resource.shownAsStored.has(revision) ? selection.matchesText(text) : undefined;
  if (isSelected !== undefined) return isSelected ? entry : undefined;
  const object = resource.fromStorage(entry.object);
  const isAsStored = object === entry.object;
  if (isAsStored) resource.shownAsStored.add(revision);
  return selection.matches(object) ? { object, text: isAsStored ? text : undefined } : undefined;
}

const INCONSISTENT =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/**
 * Returns the error for an expired page. Its token lets the client continue in the newest state, which differs from the state of the
 * earlier pages.
 */
function tooOld(after: string | undefined): ApiError {
  if (after === undefined) return expired('The resourceVersion for the provided list is too old.');
  return new ExpiredPage(INCONSISTENT, encodeContinue({ after }));
}
