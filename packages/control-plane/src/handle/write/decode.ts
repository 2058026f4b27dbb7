import { ApiError, apiVersionOf, errorMessage, isApiError, isJsonObject } from '@outrigger/core';
import { fieldError, invalidError, malformedMeta, type FieldError } from '@outrigger/core/schema';
import type { Draft } from '../../registry/draft.js';
import type { Decoding, Resource } from '../../registry/resource.js';
import { decodeObject, type BodyProblems } from '../../request/body.js';
import { PROTOBUF } from '../../protobuf/layout.js';
import type { FieldValidation } from '../../request/field-validation.js';
import type { RequestContext } from '../context.js';

const TEXT_TYPES: readonly string[] = ['application/json', 'application/yaml'];

/** Returns the media types in which clients may send a resource's objects. Custom resources have no binary format. */
export function objectTypes({ isCustom }: Pick<Resource, 'isCustom'>): readonly string[] {
  return isCustom ? TEXT_TYPES : [...TEXT_TYPES, PROTOBUF];
}

/** The kind of the object in a request body. It differs from the resource's kind for subresources such as `scale`. */
export interface ExpectedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * Decodes the request body as an object of the expected kind, without dropping unknown fields. Also returns the problems of the body.
 */
export function decodeDraft(context: RequestContext, expected: ExpectedKind): { draft: Draft; problems: BodyProblems } {
  const { value, problems } = decodeObject(context.request, objectTypes(context.resource));
  return { draft: asDraft(value, expected, context.resource), problems };
}

/** Checks the type and the metadata, on which all later steps rely. Objects of built-in kinds may omit apiVersion and kind. */
export function asDraft(value: object, expected: ExpectedKind, resource: Pick<Resource, 'isCustom'>): Draft {
  const draft = value as Draft;
  const apiVersion = apiVersionOf(expected);
  if (resource.isCustom) assertTyped(draft, expected);
  draft.apiVersion ??= apiVersion;
  draft.kind ??= expected.kind;
  if (draft.apiVersion === '') draft.apiVersion = apiVersion;
  if (draft.kind === '') draft.kind = expected.kind;
  assertKind(draft, apiVersion, expected, resource);
  const malformed = malformedMeta(draft.metadata ?? {});
  if (malformed !== undefined) throw unreadable(draft, expected.kind, resource.isCustom ? malformed : typed(malformed, expected.kind));
  draft.metadata = isJsonObject(draft.metadata) ? draft.metadata : {};
  return draft;
}

/**
 * Rewords an error as a real server words it for built-in kinds. A real server decodes them into Go types, and its message names the field
 * of the Go type.
 */
function typed(malformed: string, kind: string): string {
  return malformed
    .replace('Go value of type v1.ObjectMeta', `Go struct field ${kind}.metadata of type v1.ObjectMeta`)
    .replace(/Go struct field (ObjectMeta|OwnerReference|ManagedFieldsEntry)\./, 'Go struct field $1.metadata.');
}

function assertTyped(draft: Draft, expected: ExpectedKind): void {
  for (const [field, name] of [
    ['kind', 'Kind'],
    ['apiVersion', 'apiVersion'],
  ] as const) {
    if (typeof draft[field] === 'string' && draft[field] !== '') continue;
    const text = JSON.stringify(draft).slice(0, 200);
    const what = `the object provided is unrecognized (must be of type ${expected.kind})`;
    throw new ApiError('BadRequest', `${what}: Object '${name}' is missing in '${text}' (${text})`);
  }
}

function assertKind(draft: Draft, apiVersion: string, { kind }: ExpectedKind, { isCustom }: Pick<Resource, 'isCustom'>): void {
  if (draft.kind === kind && draft.apiVersion === apiVersion) return;
  if (draft.kind === kind) {
    throw new ApiError(
      'BadRequest',
      `the API version in the data (${draft.apiVersion}) does not match the expected API version (${apiVersion})`,
    );
  }
  if (!isCustom) throw unreadable(draft, kind, `the object is a ${draft.kind}`);
  const [group = ''] = String(draft.apiVersion).split('/', 1);
  const name = isJsonObject(draft.metadata) ? String(draft.metadata['name'] ?? '') : '';
  throw invalidError({ group, kind: String(draft.kind) }, name, [fieldError.invalid('kind', draft.kind, `must be ${kind}`)]);
}

function unreadable(draft: Draft, kind: string, why: string): ApiError {
  const version = String(draft.apiVersion).split('/').at(-1);
  return new ApiError('BadRequest', `${draft.kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
}

/** Drops unknown fields. Warns about unknown and duplicate fields, or rejects the request because of them, as the caller requested. */
export function pruneDraft(context: RequestContext, draft: Draft, problems: BodyProblems, level: FieldValidation): Draft {
  return pruneOrRefuse(context, draft, problems, level, (why) => unreadable(draft, context.resource.kind, why));
}

/**
 * The kind of an object that is not stored: a kind that is never stored, such as a review, or the kind of a subresource, such as an
 * Eviction.
 */
export interface UnstoredKind extends ExpectedKind {
  readonly decoding: Decoding;
}

/** Decodes the request body as an object that is not stored, such as a review or an Eviction. */
export function decodeUnstored(context: RequestContext, kind: UnstoredKind, level: FieldValidation): Draft {
  const { value: body, problems } = decodeObject(context.request, objectTypes(context.resource));
  // An object that is not stored always has a built-in kind. This applies even to the Scale of a custom object.
  const draft = asDraft(body, kind, { isCustom: false });
  return readUnstored(context, draft, { kind, problems, level, refusal: (why) => unreadable(draft, kind.kind, why) });
}

export interface Reading {
  readonly kind: UnstoredKind;
  readonly problems: BodyProblems;
  readonly level: FieldValidation;
  /** Returns the error for an object that cannot be decoded. */
  readonly refusal: (why: string) => ApiError;
}

/**
 * Drops unknown fields of an object that is not stored, and checks the types of the others. A field that cannot be read must not be treated
 * as absent, because the request would then do more than its sender wants, such as evict a pod on a dry run.
 */
export function readUnstored(context: RequestContext, draft: Draft, { kind, problems, level, refusal }: Reading): Draft {
  const { normalize } = kind.decoding;
  const schema = kind.decoding.schema();
  normalized(normalize, draft, refusal);
  const { value: pruned, unknownFields } = schema.pruned(draft);
  // A null counts as absent, as in stored objects. Clients written in Go send nulls.
  const value = schema.defaulted(pruned);
  const wrong = wrongType(schema.validate(value));
  if (wrong !== undefined) throw refusal(wrong);
  reportUnknown(context, unknownFields, problems, level, refusal);
  return value;
}

/** Returns the reason why a real server could not decode a value that has these errors, or undefined if it could decode the value. */
export function wrongType(errors: readonly FieldError[]): string | undefined {
  const error = errors.find(({ type }) => type === 'TypeInvalid');
  return error && `${error.field}: ${error.detail.replace(`${error.field} `, '')}`;
}

/** Like `pruneDraft`, for the result of a patch. Errors are reported as errors in the patch. */
export function patchedDraft(context: RequestContext, patched: object, problems: BodyProblems, level: FieldValidation): Draft {
  const refusal = (why: string): ApiError => badPatch(patched, why);
  try {
    return pruneOrRefuse(context, asDraft(patched, context.resource, context.resource), problems, level, refusal);
  } catch (error) {
    const isUnreadable = isApiError(error, 'BadRequest') && !context.resource.isCustom;
    throw isUnreadable ? refusal(error.message.replace(/^.* cannot be handled as a \w+: /, '')) : error;
  }
}

/** The error for a patch whose result cannot be decoded. As on a real server, it contains the result and the reason. */
export function badPatch(patched: unknown, why: string): ApiError {
  return invalidError({ group: '', kind: '' }, '', [fieldError.invalid('patch', JSON.stringify(patched), why)]);
}

function pruneOrRefuse(
  context: RequestContext,
  draft: Draft,
  problems: BodyProblems,
  level: FieldValidation,
  refusal: (why: string) => ApiError,
): Draft {
  normalizeDraft(context.resource, draft);
  const { value, unknownFields, malformed } = context.resource.schema().pruned(draft);
  if (malformed !== undefined && context.resource.isCustom) throw unreadable(draft, context.resource.kind, malformed);
  reportUnknown(context, unknownFields, problems, level, refusal);
  return value;
}

function reportUnknown(
  context: RequestContext,
  unknownFields: readonly string[],
  problems: BodyProblems,
  level: FieldValidation,
  refusal: (why: string) => ApiError,
): void {
  const unknown = unknownFields.map((path) => `unknown field "${path}"`);
  const { syntax, texts } = problems;
  const all = syntax === 'json' ? [...unknown, ...texts] : [...texts, ...unknown];
  if (all.length === 0) return;
  // `push(...)` is not used, because a body may have more unknown fields than a call can have arguments.
  if (level === 'Warn') for (const problem of all) context.warnings.push(problem);
  if (level !== 'Strict') return;
  const words = syntax === 'yaml' && texts.length > 0 ? [yamlErrors(texts), ...unknown] : all;
  throw refusal(`strict decoding error: ${words.join(', ')}`);
}

/** Returns the message for the duplicate keys of a YAML body. */
export function yamlErrors(texts: readonly string[]): string {
  return `yaml: unmarshal errors:${texts.map((text) => `\n  ${text}`).join('')}`;
}

/**
 * Decodes the result of an apply in the same way as a request body: in metadata and in the maps of built-in kinds, nulls are removed or
 * replaced with empty values. The result has no unknown fields, because the apply refuses them.
 */
export function decodedResult(resource: Resource, draft: Draft): Draft {
  return resource.schema().pruned(draft).value;
}

/** Rewrites quantities and similar values to the format in which they are stored. */
export function normalizeDraft({ kind, normalize }: Resource, draft: Draft): void {
  normalized(normalize, draft, (why) => unreadable(draft, kind, why));
}

function normalized(normalize: Decoding['normalize'], draft: Draft, refusal: (why: string) => ApiError): void {
  try {
    normalize(draft);
  } catch (error) {
    throw refusal(errorMessage(error));
  }
}
