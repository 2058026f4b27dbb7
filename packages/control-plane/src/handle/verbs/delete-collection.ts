import { isApiError, type ApiResponse } from '@outrigger/core';
import { deleteOptionsOf } from '../../request/delete-options.js';
import type { RequestContext } from '../context.js';
import { listResponse } from '../responses/respond.js';
import { deleteOne } from './delete.js';
import { collect } from './list.js';

/** Deletes the objects that a list with the same selectors would return. Responds with that list, so with the objects before the deletion. */
export async function deleteCollection(context: RequestContext): Promise<ApiResponse> {
  const options = deleteOptionsOf(context.request);
  const { items, metadata } = await collect(context);
  for (const { object } of items) {
    const { name = '', namespace = '' } = object.metadata;
    const one = { ...context, path: { ...context.path, name, namespace } };
    try {
      await deleteOne(one, options, '');
    } catch (error) {
      // It is not an error if another client has already deleted the object.
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }
  return listResponse(context, items, metadata);
}
