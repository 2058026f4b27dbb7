import { ApiError, applyObject as mergeApplied, type ApiResponse, type KubeObject } from '@outrigger/core';
import type { Draft } from '../../registry/draft.js';
import type { WriteOptions } from '../../request/write-options.js';
import type { RequestContext } from '../context.js';
import { conflict, notFound } from '../errors.js';
import { objectResponse } from '../responses/respond.js';
import { decodeApplied } from '../write/decode-applied.js';
import { decodedResult, normalizeDraft } from '../write/decode.js';
import { ownershipOptions, withVersions } from '../write/managed-fields.js';
import { assertName, assertNamespace } from '../write/metadata.js';
import { assertStorable, keyFor } from '../write/save.js';
import { changeExisting, privateCopy } from '../write/update.js';
import { create } from './create.js';

/**
 * Performs a server-side apply. The body contains exactly the fields that its field manager wants to own. Creates the object if it does not
 * exist.
 */
export async function applyObject(context: RequestContext): Promise<ApiResponse> {
  const { options, applied } = decodeApplied(context, context.resource);
  const exists = context.server.store.get(keyFor(context)) !== undefined;
  if (exists) applied.metadata.name ??= context.path.name;
  assertName(context, applied);
  assertNamespace(context, applied);
  normalizeDraft(context.resource, applied);
  assertStorable(applied);
  if (!exists) return objectResponse(context, await createApplied(context, applied, options), 201);
  const updated = await changeExisting(context, {
    options,
    tracking: 'computed',
    compute: (old) => merged(context, applied, options, old),
  });
  return objectResponse(context, updated, 200);
}

async function createApplied(context: RequestContext, applied: Draft, options: WriteOptions): Promise<KubeObject> {
  const { resource, path } = context;
  if (path.subresource !== '') throw notFound(resource, path.name);
  const { uid } = applied.metadata;
  if (uid) throw conflict(resource, path.name, `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`);
  delete applied.metadata.resourceVersion;
  return create(context, await merged(context, applied, options, undefined), options, 'computed');
}

async function merged(context: RequestContext, applied: Draft, options: WriteOptions, live: KubeObject | undefined): Promise<Draft> {
  const outcome = await withVersions(context, (versions) =>
    mergeApplied<KubeObject>({
      ...ownershipOptions(context, options.fieldManager),
      versions,
      ...(live ? { live } : {}),
      applied,
      force: options.force ?? false,
    }),
  );
  if (outcome.conflict) throw outcome.conflict;
  if (!outcome.object) throw new ApiError('InternalError', 'apply left no object');
  return decodedResult(context.resource, privateCopy(context.resource, outcome.object) as unknown as Draft);
}
