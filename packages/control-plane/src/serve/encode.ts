import { isJsonObject } from '@outrigger/core';
import { toYaml } from '@outrigger/core/yaml';
import { itemsOf } from '../handle/responses/listed-items.js';
import { encodeProtobuf } from '../protobuf/encode.js';
import { PROTOBUF } from '../protobuf/layout.js';

/** Large responses are sent in chunks of about this size, because one large write exceeds the memory limit of an HTTP/2 session. */
export const CHUNK_BYTES: number = 64 * 1024;

/** The members that can make a response large. */
const LARGE_MEMBERS = ['items', 'rows'] as const;

const encoder = new TextEncoder();

/** Encodes a response body in chunks, which are produced as they are read. */
export function* encodeBody(body: unknown, contentType: string): Generator<Uint8Array> {
  if (body === undefined) return;
  if (body instanceof Uint8Array) yield* cut(body);
  else if (typeof body === 'string') yield* cut(encoder.encode(body));
  else if (contentType.startsWith(PROTOBUF)) yield* cut(encodeProtobuf(body as object));
  else if (contentType.startsWith('application/yaml')) yield* cut(encoder.encode(toYaml(body)));
  else yield* inPieces(encodeJson(body));
}

function* encodeJson(body: unknown): Generator<string> {
  const listed = isJsonObject(body) ? itemsOf(body) : undefined;
  const large = isJsonObject(body) && !listed ? LARGE_MEMBERS.find((name) => Array.isArray(body[name])) : undefined;
  if (listed) {
    const { kind, apiVersion, metadata } = body as Record<string, unknown>;
    yield* withElements({ kind, apiVersion, metadata }, 'items', listed, (item) => item.text ?? JSON.stringify(item.object));
  } else if (large === undefined) {
    yield JSON.stringify(body);
  } else {
    const { [large]: elements, ...rest } = body as Record<string, unknown>;
    yield* withElements(rest, large, elements as readonly unknown[], (element) => JSON.stringify(element));
  }
  yield '\n';
}

function* withElements<T>(
  rest: Readonly<Record<string, unknown>>,
  name: string,
  elements: readonly T[],
  encode: (element: T) => string,
): Generator<string> {
  const head = JSON.stringify(rest).slice(0, -1);
  yield `${head}${head === '{' ? '' : ','}"${name}":[`;
  let separator = '';
  for (const element of elements) {
    yield `${separator}${encode(element)}`;
    separator = ',';
  }
  yield ']}';
}

/** Joins small strings and splits large ones, so that every chunk except the last has about `CHUNK_BYTES` bytes. */
function* inPieces(texts: Iterable<string>): Generator<Uint8Array> {
  let pending: string[] = [];
  let length = 0;
  for (const text of texts) {
    pending.push(text);
    length += text.length;
    if (length < CHUNK_BYTES) continue;
    yield* cut(encoder.encode(pending.join('')));
    pending = [];
    length = 0;
  }
  if (length > 0) yield* cut(encoder.encode(pending.join('')));
}

function* cut(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) yield bytes.subarray(start, start + CHUNK_BYTES);
}
