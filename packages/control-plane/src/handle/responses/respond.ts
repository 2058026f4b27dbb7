import type { ApiRequest, ApiResponse, KubeObject, ListMeta } from '@outrigger/core';
import { negotiatePlain } from '../../request/negotiate.js';
import type { RequestContext } from '../context.js';
import type { ListedItem } from './listed-items.js';
import { viewFor } from './view.js';

/** Returns a response that contains an object in the requested format. */
export function objectResponse(context: RequestContext, object: KubeObject, status: number): ApiResponse {
  const { as, contentType } = context.accepted;
  // Most callers want the full object, so no Table or metadata-only view is built for them.
  return bodyResponse(as === 'object' ? object : viewFor(context).object(object), status, contentType);
}

export function listResponse(context: RequestContext, items: readonly ListedItem[], metadata: ListMeta): ApiResponse {
  const view = viewFor(context);
  return bodyResponse(view.list(items, metadata), 200, view.contentType);
}

/** Returns a response in the requested media type, for a body that is not an object of the requested resource. */
export function plainResponse({ headers }: ApiRequest, body: object): ApiResponse {
  return bodyResponse(body, 200, negotiatePlain(headers?.['accept']));
}

export function bodyResponse(body: unknown, status = 200, contentType = 'application/json'): ApiResponse {
  return { status, headers: { 'content-type': contentType, 'cache-control': 'no-cache, private' }, body };
}
