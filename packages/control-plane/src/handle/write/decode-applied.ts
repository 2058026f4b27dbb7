import { ApiError, apiVersionOf, typeNameOf } from '@outrigger/core';
import { fieldError, invalidError } from '@outrigger/core/schema';
import type { Draft } from '../../registry/draft.js';
import { contentTypeOf, decodeObject, type BodyProblems } from '../../request/body.js';
import type { FieldValidation } from '../../request/field-validation.js';
import { writeOptionsOf, type WriteOptions } from '../../request/write-options.js';
import type { RequestContext } from '../context.js';
import { asDraft, yamlErrors, type ExpectedKind } from './decode.js';

const APPLY = 'application/apply-patch+yaml';

export function isApply({ request }: RequestContext): boolean {
  return contentTypeOf(request) === APPLY;
}

/** Decodes the body and the options of a server-side apply. The options must contain a field manager, and the body apiVersion and kind. */
export function decodeApplied(
  context: RequestContext,
  expected: ExpectedKind,
): { readonly options: WriteOptions; readonly applied: Draft } {
  const options = writeOptionsOf(context.request, 'PatchOptions');
  if (options.fieldManager === undefined) {
    const errors = [fieldError.required('fieldManager', 'is required for apply patch')];
    throw invalidError({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', errors);
  }
  const { value, problems } = decodeObject(context.request, [APPLY]);
  reportDuplicates(context, problems, options.fieldValidation);
  const isOther = !context.resource.isCustom && (value['apiVersion'] !== apiVersionOf(expected) || value['kind'] !== expected.kind);
  if (!value['apiVersion'] || !value['kind'] || isOther) throw new ApiError('BadRequest', `invalid object type: ${typeNameOf(value)}`);
  return { options, applied: asDraft(value, expected, context.resource) };
}

/** Warns about duplicate keys, or rejects the request because of them. An apply refuses unknown fields itself, whatever the caller requested. */
function reportDuplicates({ warnings }: RequestContext, { texts }: BodyProblems, level: FieldValidation): void {
  if (level === 'Warn') warnings.push(...texts);
  if (level !== 'Strict' || texts.length === 0) return;
  throw new ApiError('BadRequest', `error strict decoding YAML: error converting YAML to JSON: ${yamlErrors(texts)}`);
}
