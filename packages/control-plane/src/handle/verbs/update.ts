import type { ApiError, ApiResponse, KubeObject } from '@outrigger/core';
import type { Draft } from '../../registry/draft.js';
import { writeOptionsOf, type WriteOptions } from '../../request/write-options.js';
import type { RequestContext } from '../context.js';
import { conflict } from '../errors.js';
import { objectResponse } from '../responses/respond.js';
import { decodeDraft, pruneDraft } from '../write/decode.js';
import { assertName, assignNamespace } from '../write/metadata.js';
import { keyFor } from '../write/save.js';
import { changeExisting, privateCopy } from '../write/update.js';
import { create } from './create.js';

/** Handles a PUT of an object or of its status. */
export async function updateObject(context: RequestContext): Promise<ApiResponse> {
  const options = writeOptionsOf(context.request, 'UpdateOptions');
  const { draft: sent, problems } = decodeDraft(context, context.resource);
  const pruned = pruneDraft(context, sent, problems, options.fieldValidation);
  assertName(context, pruned);
  assignNamespace(context, pruned);
  const { strategy } = context.resource;
  if (strategy.allowCreateOnUpdate && context.path.subresource === '' && !context.server.store.get(keyFor(context))) {
    return objectResponse(context, await createInstead(context, pruned, options), 201);
  }
  const { uid } = pruned.metadata;
  const updated = await changeExisting(context, {
    options,
    compute(old) {
      if (uid !== undefined && uid !== '' && uid !== old.metadata.uid) throw uidConflict(context, uid, old.metadata.uid);
      return privateCopy(context.resource, pruned);
    },
  });
  return objectResponse(context, updated, 200);
}

/**
 * Creates the object that a PUT names, for kinds that allow this. A resourceVersion is ignored. A uid causes a Conflict, because no object
 * with this uid exists.
 */
async function createInstead(context: RequestContext, draft: Draft, options: WriteOptions): Promise<KubeObject> {
  const { uid } = draft.metadata;
  if (uid !== undefined && uid !== '') throw uidConflict(context, uid, '');
  delete draft.metadata.resourceVersion;
  return create(context, draft, options);
}

/** Returns the Conflict error for an update that contains a uid other than that of the object with this name. */
export function uidConflict(context: RequestContext, sent: string, actual: string | undefined): ApiError {
  const why = `StorageError: invalid object, Code: 4, Key: /registry/${keyFor(context)}, ResourceVersion: 0, AdditionalErrorMsg: `;
  return conflict(
    context.resource,
    context.path.name,
    `${why}Precondition failed: UID in precondition: ${sent}, UID in object meta: ${actual}`,
  );
}
