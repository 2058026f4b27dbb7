import { toYaml } from '@outrigger/core/yaml';
import type { ApiResponse } from '@outrigger/core';

const encoder = new TextEncoder();

/** The bytes of a response that is not a watch, in the syntax its content type names. */
export function encodeBody({ body, headers }: ApiResponse): Uint8Array {
  if (body === undefined) return new Uint8Array();
  if (body instanceof Uint8Array) return body;
  if (typeof body === 'string') return encoder.encode(body);
  const isYaml = headers['content-type'] === 'application/yaml';
  return encoder.encode(isYaml ? toYaml(body) : `${JSON.stringify(body)}\n`);
}
