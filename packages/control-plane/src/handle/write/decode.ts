import { ApiError, apiVersionOf, errorMessage, isJsonObject } from '@outrigger/core';
import { fieldError, invalidError, malformedMeta } from '@outrigger/core/schema';
import type { Draft } from '../../registry/draft.js';
import type { Resource } from '../../registry/resource.js';
import { decodeObject } from '../../request/body.js';
import { PROTOBUF } from '../../request/protobuf.js';
import type { FieldValidation } from '../../request/field-validation.js';
import type { RequestContext } from '../context.js';

const TEXT_TYPES: readonly string[] = ['application/json', 'application/yaml'];

/** In which forms a resource's objects may be sent: custom ones have no binary form. */
export function objectTypes({ isCustom }: Pick<Resource, 'isCustom'>): readonly string[] {
  return isCustom ? TEXT_TYPES : [...TEXT_TYPES, PROTOBUF];
}

/** What kind of object a request carries; differs from the resource's own for subresources such as `scale`. */
export interface ExpectedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The request's object, of the expected kind, still with all its fields, and the members it named twice. */
export function decodeDraft(context: RequestContext, expected: ExpectedKind): { draft: Draft; duplicates: readonly string[] } {
  const { value, duplicates } = decodeObject(context.request, objectTypes(context.resource));
  return { draft: asDraft(value, expected, context.resource), duplicates };
}

/** Checks type and metadata, which everything after relies on. Built-in kinds may leave out apiVersion and kind. */
export function asDraft(value: object, expected: ExpectedKind, resource: Pick<Resource, 'isCustom'>): Draft {
  const draft = value as Draft;
  const apiVersion = apiVersionOf(expected);
  if (resource.isCustom) assertTyped(draft);
  draft.apiVersion ??= apiVersion;
  draft.kind ??= expected.kind;
  if (draft.apiVersion === '') draft.apiVersion = apiVersion;
  if (draft.kind === '') draft.kind = expected.kind;
  assertKind(draft, apiVersion, expected.kind);
  const malformed = malformedMeta(draft.metadata ?? {});
  if (malformed !== undefined) throw unreadable(draft, expected.kind, malformed);
  draft.metadata = isJsonObject(draft.metadata) ? draft.metadata : {};
  return draft;
}

function assertTyped(draft: Draft): void {
  for (const [field, name] of [
    ['kind', 'Kind'],
    ['apiVersion', 'apiVersion'],
  ] as const) {
    if (typeof draft[field] === 'string' && draft[field] !== '') continue;
    throw new ApiError('BadRequest', `Object '${name}' is missing in '${JSON.stringify(draft).slice(0, 200)}'`);
  }
}

function assertKind(draft: Draft, apiVersion: string, kind: string): void {
  if (draft.kind === kind && draft.apiVersion === apiVersion) return;
  if (draft.kind === kind) {
    throw new ApiError(
      'BadRequest',
      `the API version in the data (${draft.apiVersion}) does not match the expected API version (${apiVersion})`,
    );
  }
  throw unreadable(draft, kind, `the object is a ${draft.kind}`);
}

function unreadable(draft: Draft, kind: string, why: string): ApiError {
  const version = String(draft.apiVersion).split('/').at(-1);
  return new ApiError('BadRequest', `${draft.kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
}

/** Drops unknown fields, and warns about or refuses them and duplicates as the caller asked. */
export function pruneDraft(context: RequestContext, draft: Draft, duplicates: readonly string[], level: FieldValidation): Draft {
  return pruneOrRefuse(context, draft, duplicates, level, (why) => unreadable(draft, context.resource.kind, why));
}

/** The same for what a patch made of an object: what is wrong is the patch. */
export function prunePatched(context: RequestContext, draft: Draft, duplicates: readonly string[], level: FieldValidation): Draft {
  const refusal = (why: string): ApiError => invalidError({ group: '', kind: '' }, '', [fieldError.invalid('patch', undefined, why)]);
  return pruneOrRefuse(context, draft, duplicates, level, refusal);
}

function pruneOrRefuse(
  context: RequestContext,
  draft: Draft,
  duplicates: readonly string[],
  level: FieldValidation,
  refusal: (why: string) => ApiError,
): Draft {
  normalizeDraft(context.resource, draft);
  const { value, unknownFields } = context.resource.schema().pruned(draft);
  const problems = [...unknownFields.map((path) => `unknown field "${path}"`), ...duplicates.map((path) => `duplicate field "${path}"`)];
  if (level === 'Warn') context.warnings.push(...problems);
  if (level === 'Strict' && problems.length > 0) throw refusal(`strict decoding error: ${problems.join(', ')}`);
  return value;
}

/** Quantities and the like in the form they are kept in. */
export function normalizeDraft(resource: Resource, draft: Draft): void {
  try {
    resource.normalize(draft);
  } catch (error) {
    throw unreadable(draft, resource.kind, errorMessage(error));
  }
}
