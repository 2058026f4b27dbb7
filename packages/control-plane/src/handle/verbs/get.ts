import type { ApiResponse, KubeObject } from '@outrigger/core';
import type { RequestContext } from '../context.js';
import { notFound } from '../errors.js';
import { objectResponse } from '../show/respond.js';
import { assertNotInFuture, resourceVersionOf } from '../resource-version.js';
import { keyFor } from '../write/save.js';

export function getObject(context: RequestContext): ApiResponse {
  const version = resourceVersionOf(context.query);
  assertNotInFuture(version, context.server.store.revision);
  return objectResponse(context, stored(context), 200);
}

/** The object a request names, in the request's version. Throws NotFound. */
export function stored(context: RequestContext): KubeObject {
  const entry = context.server.store.get(keyFor(context));
  if (!entry) throw notFound(context.resource, context.path.name);
  return context.resource.fromStorage(entry.object);
}
