import {
  ApiError,
  assertDepth,
  checkJsonText,
  errorMessage,
  isJsonObject,
  jsonSize,
  MAX_DEPTH,
  tooDeep,
  type ApiRequest,
  type JsonObject,
} from '@outrigger/core';
import { parseYamlDocument, YamlExpansionError } from '@outrigger/core/yaml';
import { cloneJson, wellFormed } from './json-value.js';
import { duplicateKeys } from './duplicate-keys.js';
import { assertExactIntegers, inexact, isInexact } from './numbers.js';
import { decodeProtobuf } from '../protobuf/decode.js';
import { messageOf } from '../protobuf/kinds.js';
import { PROTOBUF } from '../protobuf/layout.js';

/** The maximum size of a request body, as on a real server. */
export const MAX_BODY_BYTES: number = 3 * 1024 * 1024;

/**
 * The maximum number of tokens in a YAML body, about 30,000 lines. Parsing YAML takes a hundred times as long as parsing JSON, and other
 * requests wait meanwhile. The limit does not affect kubectl and client libraries, because they send JSON even for server-side apply.
 */
const MAX_YAML_TOKENS = 200_000;

/**
 * The maximum number of values in a body: members of objects and items of lists. A write costs up to 15 µs for each value (for its schema,
 * its owner and its validation), and other requests wait meanwhile. Objects of 1.5 MiB, the largest that are stored, have fewer values unless
 * they consist of values of a few bytes.
 */
const MAX_VALUES = 100_000;

/** The maximum number of duplicate keys in YAML that a response names. */
const MAX_DUPLICATES = 100;

export interface DecodedBody {
  /** The decoded body: a private copy that the caller may change. */
  readonly value: unknown;
  readonly problems: BodyProblems;
}

/**
 * What a body contains that no object has, in a real server's words: members that occur twice, by path in JSON and by line in YAML, and
 * unknown members of the operations of a JSON patch. Duplicates are known only if the body was received as bytes.
 */
export interface BodyProblems {
  readonly syntax: 'json' | 'yaml' | 'json patch';
  readonly texts: readonly string[];
}

export const NO_PROBLEMS: BodyProblems = { syntax: 'json', texts: [] };

const SYNTAX: Readonly<Record<string, 'json' | 'yaml'>> = {
  'application/json': 'json',
  'application/yaml': 'yaml',
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'json',
  'application/strategic-merge-patch+json': 'json',
  'application/apply-patch+yaml': 'yaml',
};

/** Returns the media type without its parameters; JSON if the caller specified none. */
export function contentTypeOf(request: ApiRequest): string {
  const type = request.headers?.['content-type']?.split(';')[0]?.trim().toLowerCase();
  return type === undefined || type === '' ? 'application/json' : type;
}

export function isEmptyBody({ body }: ApiRequest): boolean {
  return body === undefined || (body instanceof Uint8Array && body.length === 0);
}

/** Decodes the body in the syntax of its content type. For an invalid body it throws the error that a Kubernetes server returns. */
export function decodeBody(request: ApiRequest, accepted: readonly string[]): DecodedBody {
  const contentType = contentTypeOf(request);
  if (!accepted.includes(contentType)) {
    const list = accepted.join(', ');
    throw new ApiError('UnsupportedMediaType', `the body of the request was in an unknown format - accepted media types include: ${list}`);
  }
  const { body } = request;
  if (!(body instanceof Uint8Array)) {
    assertDepth(body);
    if (jsonSize(body, MAX_BODY_BYTES) > MAX_BODY_BYTES) throw tooLarge();
    return { value: cloneJson(body), problems: NO_PROBLEMS };
  }
  if (body.length > MAX_BODY_BYTES) throw tooLarge();
  if (contentType === PROTOBUF) {
    const value = parse(() => decodeProtobuf(body, messageOf));
    survey(value);
    return { value, problems: NO_PROBLEMS };
  }
  return SYNTAX[contentType] === 'yaml' ? decodeYaml(body) : decodeJson(body);
}

function tooLarge(): ApiError {
  return new ApiError('RequestEntityTooLarge', `Request entity too large: limit is ${MAX_BODY_BYTES}`);
}

/** Decodes the body as an object. Throws BadRequest for any other value. */
export function decodeObject(request: ApiRequest, accepted: readonly string[]): DecodedBody & { readonly value: JsonObject } {
  const decoded = decodeBody(request, accepted);
  if (!isJsonObject(decoded.value)) {
    throw new ApiError('BadRequest', `the body of the request must be an object, ${describe(decoded.value)}`);
  }
  return { ...decoded, value: decoded.value };
}

function decodeJson(bytes: Uint8Array): DecodedBody {
  const { hasSurrogateEscapes } = checkLimits(bytes);
  const text = decodeText(bytes);
  return decodedJson(
    text,
    parse(() => JSON.parse(text) as unknown),
    hasSurrogateEscapes,
  );
}

function decodedJson(text: string, value: unknown, hasSurrogateEscapes: boolean): DecodedBody {
  const { inexactNumber } = survey(value);
  if (inexactNumber !== undefined) assertExactIntegers(text);
  const texts = duplicateKeys(text).map((path) => `duplicate field "${path}"`);
  return { value: hasSurrogateEscapes ? wellFormed(value) : value, problems: { syntax: 'json', texts } };
}

function checkLimits(json: Uint8Array): ReturnType<typeof checkJsonText> {
  return checkJsonText(json, { maxDepth: MAX_DEPTH, tooDeep, maxValues: MAX_VALUES, tooMany: tooManyValues });
}

function tooManyValues(): ApiError {
  return new ApiError('RequestEntityTooLarge', `Request entity too large: it has more than ${MAX_VALUES} values`);
}

interface Survey {
  readonly inexactNumber: number | undefined;
}

/**
 * Rejects a body with too many values, or with a number such as 1e400: `JSON.parse` returns Infinity for it, which would be stored as null.
 */
function survey(root: unknown): Survey {
  let values = 0;
  let inexactNumber: number | undefined;
  const visit = (value: unknown): void => {
    if (typeof value === 'number') {
      if (!Number.isFinite(value))
        throw new ApiError('BadRequest', 'the body of the request cannot be read: a number is out of the range of a 64-bit float');
      if (isInexact(value)) inexactNumber = value;
    }
    if (typeof value !== 'object' || value === null) return;
    const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    values += parts.length;
    if (values > MAX_VALUES) throw tooManyValues();
    for (const part of parts) visit(part);
  };
  visit(root);
  return { inexactNumber };
}

function decodeYaml(bytes: Uint8Array): DecodedBody {
  const text = decodeText(bytes);
  // Most clients that use the YAML type send JSON, so JSON is tried first. Duplicate keys are then looked for as in YAML.
  if (text.trimStart().startsWith('{')) {
    const { hasSurrogateEscapes } = checkLimits(bytes);
    const json = asJson(text);
    if (json !== undefined && duplicateKeys(text).length === 0) return decodedJson(text, json, hasSurrogateEscapes);
  }
  const texts: string[] = [];
  const onDuplicateKey = (key: string, line: number): void => {
    if (texts.length < MAX_DUPLICATES) texts.push(`line ${line}: key ${JSON.stringify(key)} already set in map`);
  };
  const limits = { maxAliasLength: MAX_BODY_BYTES, maxTokens: MAX_YAML_TOKENS };
  const value = parse(() => parseYamlDocument(text, { ...limits, onDuplicateKey }));
  assertDepth(value);
  const { inexactNumber } = survey(value);
  if (inexactNumber !== undefined) throw inexact(inexactNumber);
  return { value: wellFormed(value), problems: { syntax: 'yaml', texts } };
}

/** Returns the value of a JSON text, or undefined if the text is not JSON. */
function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The text is YAML, or it is invalid and the YAML parser reports the error.
  }
}

// Keep a byte order mark in the text, so that the JSON parser rejects it.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeText(bytes: Uint8Array): string {
  return parse(() => utf8.decode(bytes));
}

function parse<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof YamlExpansionError) throw tooLarge();
    throw new ApiError('BadRequest', `the body of the request cannot be read: ${errorMessage(cause)}`, { cause });
  }
}

function describe(value: unknown): string {
  if (value === undefined) return 'but it is empty';
  if (value === null) return 'not null';
  return Array.isArray(value) ? 'not an array' : `not a ${typeof value}`;
}
