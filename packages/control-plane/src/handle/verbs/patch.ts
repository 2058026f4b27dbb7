import { ApiError, jsonPatch, mergePatch, strategicMergePatch, type ApiResponse, type KubeObject } from '@outrigger/core';
import { fieldError, invalidError } from '@outrigger/core/schema';
import { contentTypeOf, decodeBody, type BodyProblems } from '../../request/body.js';
import { writeOptionsOf } from '../../request/write-options.js';
import { isFields, type Draft } from '../../registry/draft.js';
import type { RequestContext } from '../context.js';
import { objectResponse } from '../responses/respond.js';
import { patchedDraft } from '../write/decode.js';
import { changeExisting, privateCopy } from '../write/update.js';
import { applyObject } from './apply.js';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const PATCH_TYPES: readonly string[] = [JSON_PATCH, MERGE_PATCH, STRATEGIC, APPLY];

/** Handles a PATCH of an object or its status, in the patch format that the content type names. */
export async function patchObject(context: RequestContext): Promise<ApiResponse> {
  const accepted = context.resource.isCustom ? PATCH_TYPES.filter((type) => type !== STRATEGIC) : PATCH_TYPES;
  const contentType = contentTypeOf(context.request);
  if (!PATCH_TYPES.includes(contentType)) throw new ApiError('UnsupportedMediaType', '415: Unsupported Media Type', { details: {} });
  if (!accepted.includes(contentType)) throw unsupported(accepted);
  if (contentType === APPLY) return applyObject(context);
  const options = writeOptionsOf(context.request, 'PatchOptions');
  if (options.force !== undefined) {
    const errors = [fieldError.forbidden('force', 'may not be specified for non-apply patch')];
    throw invalidError({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', errors);
  }
  const { value: patch, problems: found } = decodeBody(context.request, accepted);
  const problems = contentType === JSON_PATCH ? problemsOf(patch, found) : found;
  const updated = await changeExisting(context, {
    options,
    compute(old) {
      const patched = apply(context, contentType, old, patch);
      if (!isFields(patched)) throw new ApiError('BadRequest', 'the patch must leave an object');
      return patchedDraft(context, privateCopy(context.resource, patched), problems, options.fieldValidation);
    },
  });
  return objectResponse(context, updated, 200);
}

function apply({ resource }: RequestContext, contentType: string, old: KubeObject, patch: unknown): unknown {
  if (contentType === JSON_PATCH) return jsonPatch<Draft>(old, patch);
  if (!isFields(patch)) throw notAnObject(patch, contentType);
  return contentType === MERGE_PATCH ? mergePatch(old, patch) : strategicMergePatch(old, patch, resource.structural());
}

const OPERATION_MEMBERS: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

/** Returns the problems of a JSON patch: `found`, and the members of its operations that no operation has. */
function problemsOf(patch: unknown, found: BodyProblems): BodyProblems {
  const operations = Array.isArray(patch) ? patch : [];
  const unknown = operations.flatMap((operation: unknown, i) =>
    isFields(operation) ? Object.keys(operation).flatMap((name) => (OPERATION_MEMBERS.has(name) ? [] : [`[${i}].${name}`])) : [],
  );
  const texts = [...found.texts, ...unknown.map((path) => `unknown field "${path}"`)];
  return { syntax: 'json patch', texts: texts.map((text) => `json patch ${text}`) };
}

function notAnObject(patch: unknown, contentType: string): ApiError {
  if (patch === null) return new ApiError('BadRequest', 'Invalid JSON Patch');
  const found = Array.isArray(patch) ? 'array' : typeof patch === 'boolean' ? 'bool' : typeof patch;
  const prefix = contentType === MERGE_PATCH ? 'error decoding patch: ' : '';
  return new ApiError('BadRequest', `${prefix}json: cannot unmarshal ${found} into Go value of type map[string]interface {}`);
}

function unsupported(accepted: readonly string[]): ApiError {
  const list = accepted.join(', ');
  return new ApiError('UnsupportedMediaType', `the body of the request was in an unknown format - accepted media types include: ${list}`);
}
