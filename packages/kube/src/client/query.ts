import { defined } from '@outrigger/core';
import type { ListOptions, Selection, WatchOptions, WriteOptions } from './types.js';

export type Query = Readonly<Record<string, string>>;

export function listQuery(options: ListOptions): Query {
  const { limit, continue: token, resourceVersion, resourceVersionMatch } = options;
  return defined({
    ...selectionQuery(options),
    limit: limit?.toString(),
    continue: token,
    // A continue token already contains a version, and servers reject requests with both a token and a resourceVersion.
    resourceVersion: token === undefined ? resourceVersion : undefined,
    resourceVersionMatch: token === undefined ? resourceVersionMatch : undefined,
  });
}

export function watchQuery(options: WatchOptions): Query {
  return defined({
    ...selectionQuery(options),
    watch: 'true',
    resourceVersion: options.resourceVersion,
    allowWatchBookmarks: options.allowBookmarks ? 'true' : undefined,
    timeoutSeconds: options.timeoutSeconds?.toString(),
  });
}

export function writeQuery(options: WriteOptions & { readonly force?: boolean }, fieldManager: string | undefined): Query {
  return defined({
    fieldManager: options.fieldManager ?? fieldManager,
    fieldValidation: options.fieldValidation,
    dryRun: options.dryRun ? 'All' : undefined,
    force: options.force ? 'true' : undefined,
  });
}

export function selectionQuery({ labelSelector, fieldSelector }: Selection): Query {
  return defined({ labelSelector, fieldSelector });
}
