import { ApiError, apiVersionOf, type ApiResponse, type KubeObject, type ListMeta } from '@outrigger/core';
import type { RequestContext } from '../context.js';
import { type Continue, decodeContinue, encodeContinue } from '../continue-token.js';
import { expired } from '../errors.js';
import { listResponse } from '../show/respond.js';
import { assertNotInFuture, resourceVersionOf } from '../resource-version.js';
import { selectionOf } from '../selection.js';
import { RevisionExpired, type Entry, type Range } from '../../store/contract.js';
import { storageKey, storagePrefix } from '../../store/key.js';

const PAGE = 1000;

export interface Listed {
  readonly items: readonly KubeObject[];
  readonly metadata: ListMeta;
}

export function listObjects(context: RequestContext): ApiResponse {
  const { items, metadata } = collect(context);
  return listResponse(context, items, metadata);
}

/** The objects a list request asks for: one consistent snapshot, over as many pages as the caller cuts it into. */
export function collect(context: RequestContext): Listed {
  const { resource, query, path } = context;
  const { store } = context.server;
  const selection = selectionOf(resource, query);
  const limit = query.integer('limit') || Number.POSITIVE_INFINITY;
  const start = startOf(context);
  const prefix = storagePrefix(resource.storage, resource.namespaced && path.namespace === '' ? undefined : path.namespace);
  const snapshot = start.revision ?? store.revision;
  if (selection.name !== undefined && (path.namespace !== '' || !resource.namespaced)) {
    const key = storageKey({ ...resource.storage, namespace: path.namespace, name: selection.name });
    const object = shownEntry(context, store.get(key, snapshot));
    return { items: object && selection.matches(object) ? [object] : [], metadata: { resourceVersion: String(snapshot) } };
  }

  const items: KubeObject[] = [];
  let after = start.after;
  for (;;) {
    const want = selection.isEmpty ? Math.min(PAGE, limit - items.length) : PAGE;
    const page = read(context, () => store.range(prefix, { atRevision: snapshot, limit: want, ...(after === undefined ? {} : { after }) }));
    for (const [index, entry] of page.entries.entries()) {
      after = entry.key;
      const object = resource.fromStorage(entry.object);
      if (!selection.matches(object)) continue;
      items.push(object);
      const more = page.more || index < page.entries.length - 1;
      if (items.length === limit)
        return page_(
          items,
          snapshot,
          more ? after : undefined,
          selection.isEmpty ? remaining(context, prefix, snapshot, after) : undefined,
        );
    }
    if (!page.more) return page_(items, snapshot, undefined, undefined);
  }
}

function page_(items: readonly KubeObject[], revision: number, after: string | undefined, left: number | undefined): Listed {
  const resourceVersion = String(revision);
  if (after === undefined) return { items, metadata: { resourceVersion } };
  const metadata = {
    resourceVersion,
    continue: encodeContinue({ revision, after }),
    ...(left === undefined ? {} : { remainingItemCount: left }),
  };
  return { items, metadata };
}

/** Exact where the snapshot is current, else as good as counting the newest state gets. */
function remaining({ server }: RequestContext, prefix: string, snapshot: number, after: string): number {
  return server.store.count(prefix, { after, atRevision: snapshot });
}

function shownEntry({ resource }: RequestContext, entry: Entry | undefined): KubeObject | undefined {
  return entry && resource.fromStorage(entry.object);
}

/** Where to start and in which snapshot, from `continue`, `resourceVersion` and `resourceVersionMatch`. */
function startOf({ query, server, resource }: RequestContext): { readonly revision?: number; readonly after?: string } {
  const token = query.text('continue');
  const version = resourceVersionOf(query);
  const match = query.text('resourceVersionMatch');
  assertOptions(apiVersionOf(resource), {
    token,
    hasVersion: query.has('resourceVersion') && query.text('resourceVersion') !== undefined,
    version,
    match,
  });
  if (token !== undefined) return continued(decodeContinue(token));
  assertNotInFuture(version, server.store.revision);
  return match === 'Exact' ? { revision: version } : {};
}

function continued({ revision, after }: Continue): { readonly revision?: number; readonly after: string } {
  return revision === undefined ? { after } : { revision, after };
}

interface VersionOptions {
  readonly token: string | undefined;
  readonly hasVersion: boolean;
  readonly version: number;
  readonly match: string | undefined;
}

function assertOptions(_apiVersion: string, { token, hasVersion, version, match }: VersionOptions): void {
  const refuse = (field: string, why: string): ApiError =>
    new ApiError('Invalid', `ListOptions.meta.k8s.io "" is invalid: ${field}: ${why}`);
  if (match !== undefined && match !== 'Exact' && match !== 'NotOlderThan') {
    throw refuse('resourceVersionMatch', `Unsupported value: ${JSON.stringify(match)}: supported values: "Exact", "NotOlderThan", ""`);
  }
  if (match !== undefined && token !== undefined)
    throw refuse('resourceVersionMatch', 'Forbidden: resourceVersionMatch is forbidden when continue is provided');
  if (match !== undefined && !hasVersion)
    throw refuse('resourceVersionMatch', 'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided');
  if (match === 'Exact' && version === 0)
    throw refuse('resourceVersionMatch', `Forbidden: resourceVersionMatch "Exact" is forbidden for resourceVersion "0"`);
  if (token !== undefined && version !== 0)
    throw new ApiError('BadRequest', 'specifying resource version is not allowed when using continue');
}

function read(context: RequestContext, range: () => Range): Range {
  try {
    return range();
  } catch (error) {
    if (!(error instanceof RevisionExpired)) throw error;
    throw expired(
      context.query.text('continue') === undefined
        ? `The resourceVersion for the provided list is too old.`
        : 'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
    );
  }
}
