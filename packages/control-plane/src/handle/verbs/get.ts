import type { ApiResponse, KubeObject } from '@outrigger/core';
import type { RequestContext } from '../context.js';
import { notFound } from '../errors.js';
import { objectResponse } from '../responses/respond.js';
import { assertNotInFuture, resourceVersionOf } from '../resource-version.js';
import { keyFor } from '../write/save.js';

export async function getObject(context: RequestContext): Promise<ApiResponse> {
  const version = resourceVersionOf(context.query);
  assertNotInFuture(version, context.server.store.revision);
  return objectResponse(context, await stored(context), 200);
}

/** Returns the object that a request names, in the request's version. Throws NotFound if it does not exist. */
export async function stored(context: RequestContext): Promise<KubeObject> {
  const entry = context.server.store.get(keyFor(context));
  if (!entry) throw notFound(context.resource, context.path.name);
  // A request for one object always converts it anew, as on a real server; lists and watches may use a cached conversion.
  if (context.resource.remote) await context.resource.remote.fetchShown([entry.object], 'all');
  return context.resource.fromStorage(entry.object);
}
