import { countText } from '../count-text.js';
import { ApiError, type StatusCause } from '../errors.js';
import { goJson, goNumber, goQuote, Verbatim } from './go-format.js';
import type { FieldError } from './types.js';

type ErrorType = FieldError['type'];

const WORDS: Readonly<Record<ErrorType, string>> = {
  NotFound: 'Not found',
  Required: 'Required value',
  Duplicate: 'Duplicate value',
  Invalid: 'Invalid value',
  Unsupported: 'Unsupported value',
  Forbidden: 'Forbidden',
  TooLong: 'Too long',
  TooMany: 'Too many',
  InternalError: 'Internal error',
  TypeInvalid: 'Invalid value',
};

const REASONS: Readonly<Record<ErrorType, string>> = {
  NotFound: 'FieldValueNotFound',
  Required: 'FieldValueRequired',
  Duplicate: 'FieldValueDuplicate',
  Invalid: 'FieldValueInvalid',
  Unsupported: 'FieldValueNotSupported',
  Forbidden: 'FieldValueForbidden',
  TooLong: 'FieldValueTooLong',
  TooMany: 'FieldValueTooMany',
  InternalError: 'InternalError',
  TypeInvalid: 'FieldValueTypeInvalid',
};

const WITHOUT_VALUE: ReadonlySet<ErrorType> = new Set<ErrorType>(['Required', 'Forbidden', 'TooLong', 'InternalError']);

/** Formats the error without its field, as in `Status.details.causes[].message`: `Invalid value: "x": must be …`. */
export function fieldErrorBody(error: FieldError): string {
  const words = WORDS[error.type];
  const shown = error.value === undefined || WITHOUT_VALUE.has(error.type) ? words : `${words}: ${printed(error.value)}`;
  return error.detail === '' ? shown : `${shown}: ${error.detail}`;
}

/** Formats the whole error: `spec.name: Required value`. */
export function fieldErrorText(error: FieldError): string {
  return `${error.field}: ${fieldErrorBody(error)}`;
}

function printed(value: unknown): string {
  if (value instanceof Verbatim) return value.text;
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number') return goNumber(value);
  return goJson(value);
}

export const fieldError = {
  required: (field: string, detail = ''): FieldError => ({ type: 'Required', field, detail }),
  invalid: (field: string, value: unknown, detail: string): FieldError => ({ type: 'Invalid', field, value, detail }),
  typeInvalid: (field: string, value: unknown, detail: string): FieldError => ({ type: 'TypeInvalid', field, value, detail }),
  forbidden: (field: string, detail: string): FieldError => ({ type: 'Forbidden', field, detail }),
  duplicate: (field: string, value: unknown): FieldError => ({ type: 'Duplicate', field, value, detail: '' }),
  notFound: (field: string, value: unknown): FieldError => ({ type: 'NotFound', field, value, detail: '' }),
  internal: (field: string, detail: string): FieldError => ({ type: 'InternalError', field, detail }),
  unsupported: (field: string, value: unknown, supported: readonly string[]): FieldError => ({
    type: 'Unsupported',
    field,
    value,
    detail: supported.length === 0 ? '' : `supported values: ${supported.map(goQuote).join(', ')}`,
  }),
  tooLong: (field: string, max: number): FieldError => ({
    type: 'TooLong',
    field,
    detail: `may not be more than ${countText(max, 'byte')}`,
  }),
  tooMany: (field: string, actual: number, max: number): FieldError => ({
    type: 'TooMany',
    field,
    value: actual,
    detail: `must have at most ${countText(max, 'item')}`,
  }),
} as const;

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/**
 * The maximum total length of error messages. No further errors are reported above it, because many errors may print the same large value.
 */
const MAX_ERRORS_LENGTH = 256 * 1024;

/** Returns the first errors, up to the maximum total length of their messages. */
function reported(all: readonly FieldError[]): { readonly errors: readonly FieldError[]; readonly texts: readonly string[] } {
  const errors: FieldError[] = [];
  const texts = new Set<string>();
  let length = 0;
  for (const error of all) {
    if (length > MAX_ERRORS_LENGTH) break;
    const text = fieldErrorText(error);
    length += text.length;
    errors.push(error);
    texts.add(text);
  }
  return { errors, texts: [...texts] };
}

/** Returns an API server's Invalid error (422). `message` lists equal messages once; `causes` lists every error. */
export function invalidError(kind: GroupKind, name: string, all: readonly FieldError[]): ApiError {
  const qualified = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  const { errors, texts } = reported(all);
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const message = `${qualified} ${goQuote(name)} is invalid${texts.length === 0 ? '' : `: ${list}`}`;
  const causes = errors.map((error): StatusCause => ({ reason: REASONS[error.type], message: fieldErrorBody(error), field: error.field }));
  const details = {
    ...(name === '' ? {} : { name }),
    ...(kind.group === '' ? {} : { group: kind.group }),
    ...(kind.kind === '' ? {} : { kind: kind.kind }),
    ...(causes.length === 0 ? {} : { causes }),
  };
  return new ApiError('Invalid', message, { details });
}
