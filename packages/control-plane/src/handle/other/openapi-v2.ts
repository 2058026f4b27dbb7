import { ApiError, type ApiRequest, type ApiResponse } from '@outrigger/core';
import { bodyResponse } from '../show/respond.js';
import { VERSION } from './version.js';

const PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** What clients ask for; no media type may hold an `@`, so that it cannot be the answer's. */
const ASKED_PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const TITLE = 'Kubernetes';

/**
 * Clients that know version 3 ask for this one only about kinds they did not find there (kubectl), and some only as protobuf (client-go).
 * All get a document that promises nothing, and leave validation to the server.
 */
export function openApiV2({ headers }: ApiRequest): ApiResponse {
  const accept = headers?.['accept'] ?? '*/*';
  if (/\*\/\*|application\/(\*|json)/.test(accept))
    return bodyResponse({ swagger: '2.0', info: { title: TITLE, version: VERSION.gitVersion }, paths: {}, definitions: {} });
  if (accept.includes(ASKED_PROTOBUF) || accept.includes(PROTOBUF)) return bodyResponse(protobufDocument(), 200, PROTOBUF);
  throw new ApiError('NotAcceptable', `only the following media types are accepted: application/json, ${PROTOBUF}`);
}

/** The same document as gnostic's `openapi.v2.Document`. */
function protobufDocument(): Uint8Array {
  const info = [...field(1, encode(TITLE)), ...field(2, encode(VERSION.gitVersion))];
  return Uint8Array.from([...field(1, encode('2.0')), ...field(2, info), ...field(8, []), ...field(9, [])]);
}

/** Length-delimited; everything here is shorter than 128 bytes, so that numbers take one byte. */
function field(number: number, content: Iterable<number> & { readonly length: number }): readonly number[] {
  return [number * 8 + 2, content.length, ...content];
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
