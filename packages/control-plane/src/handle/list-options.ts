import { ApiError } from '@outrigger/core';
import { fieldError, invalidError, type FieldError } from '@outrigger/core/schema';
import type { Query } from '../request/query.js';
import { decodeContinue, invalidContinue } from './continue-token.js';
import { assertNotInFuture, resourceVersionOf } from './resource-version.js';

export interface ListStart {
  /** The store's revision to read at; absent if the list reads the newest state. */
  readonly revision?: number;
  readonly after?: string;
}

/**
 * Throws if the query option `limit` or `timeoutSeconds` is not a number, in any request that lists, watches or deletes a collection, even
 * if the request does not use the option. A real API server parses all options first.
 */
export function assertNumbers(query: Query): void {
  for (const name of ['limit', 'timeoutSeconds']) query.integer(name);
}

/**
 * Returns the position and the revision at which a list starts, from the query options `continue`, `resourceVersion` and
 * `resourceVersionMatch`. `isByName` is true for a list that reads one object by its name.
 */
export function listStart(query: Query, current: number, isByName: boolean): ListStart {
  assertNumbers(query);
  const token = query.text('continue');
  const match = query.text('resourceVersionMatch');
  const version = resourceVersionOf(query);
  const problem =
    matchProblem(match, token !== undefined, query.text('resourceVersion')) ??
    (query.has('sendInitialEvents') ? fieldError.forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list') : undefined);
  if (problem) throw invalidError({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', [problem]);
  if (token !== undefined) {
    if (version !== 0) throw new ApiError('BadRequest', 'specifying resource version is not allowed when using continue');
    const start = decodeContinue(token);
    if (start.revision !== undefined && start.revision > current) throw invalidContinue();
    return start;
  }
  assertNotInFuture(version, current);
  const isExact = match === 'Exact' || (match === undefined && isPage(query, version) && !isByName);
  return isExact ? { revision: version } : {};
}

/** Whether the list asks for a page of a version. From before resourceVersionMatch existed, such a list shows exactly that version. */
function isPage(query: Query, version: number): boolean {
  return version > 0 && (query.integer('limit') ?? 0) > 0;
}

function matchProblem(match: string | undefined, isContinued: boolean, version: string | undefined): FieldError | undefined {
  const field = 'resourceVersionMatch';
  if (match === undefined) return undefined;
  if (isContinued) return fieldError.forbidden(field, 'resourceVersionMatch is forbidden when continue is provided');
  if (version === undefined) return fieldError.forbidden(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided');
  if (match !== 'Exact' && match !== 'NotOlderThan') return fieldError.unsupported(field, match, ['Exact', 'NotOlderThan', '']);
  if (match === 'Exact' && version === '0')
    return fieldError.forbidden(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  return undefined;
}
