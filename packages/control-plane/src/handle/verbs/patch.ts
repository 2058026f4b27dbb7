import { ApiError, jsonPatch, mergePatch, strategicMergePatch, type ApiResponse, type KubeObject } from '@outrigger/core';
import { fieldError, invalidError } from '@outrigger/core/schema';
import { contentTypeOf, decodeBody } from '../../request/body.js';
import { writeOptionsOf } from '../../request/write-options.js';
import { isFields, type Draft } from '../../registry/draft.js';
import type { RequestContext } from '../context.js';
import { objectResponse } from '../show/respond.js';
import { asDraft, prunePatched } from '../write/decode.js';
import { changeExisting, privateCopy } from '../write/update.js';
import { applyObject } from './apply.js';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

/** PATCH of an object or its status, in whichever of the four languages the content type names. */
export async function patchObject(context: RequestContext): Promise<ApiResponse> {
  const accepted = context.resource.isCustom ? [JSON_PATCH, MERGE_PATCH, APPLY] : [JSON_PATCH, MERGE_PATCH, STRATEGIC, APPLY];
  const contentType = contentTypeOf(context.request);
  if (!accepted.includes(contentType)) throw unsupported(accepted);
  if (contentType === APPLY) return applyObject(context);
  const options = writeOptionsOf(context.request, 'PatchOptions');
  if (options.force !== undefined) {
    const errors = [fieldError.forbidden('force', 'may not be specified for non-apply patch')];
    throw invalidError({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', errors);
  }
  const { value: patch, duplicates } = decodeBody(context.request, accepted);
  const updated = await changeExisting(context, {
    options,
    compute(old) {
      const patched = apply(context, contentType, old, patch);
      if (!isFields(patched)) throw new ApiError('BadRequest', 'the patch must leave an object');
      const draft = asDraft(privateCopy(context.resource, patched), context.resource, context.resource);
      return prunePatched(context, draft, duplicates, options.fieldValidation);
    },
  });
  return objectResponse(context, updated, 200);
}

function apply({ resource }: RequestContext, contentType: string, old: KubeObject, patch: unknown): unknown {
  if (contentType === JSON_PATCH) return jsonPatch<Draft>(old, patch);
  if (!isFields(patch)) throw new ApiError('BadRequest', 'Invalid JSON Patch: it must be an object');
  return contentType === MERGE_PATCH ? mergePatch(old, patch) : strategicMergePatch(old, patch, resource.structural());
}

function unsupported(accepted: readonly string[]): ApiError {
  const list = accepted.join(', ');
  return new ApiError('UnsupportedMediaType', `the body of the request was in an unknown format - accepted media types include: ${list}`);
}
