import { type Json, type JsonObject, isJsonObject } from '@outrigger/core';
import { sha256Hex } from '@outrigger/core/hash';

/** Returns the manifest with the contents of a Secret replaced by digests, so that a change is still visible. */
export function redact(manifest: JsonObject): JsonObject {
  if (manifest['kind'] !== 'Secret' || manifest['apiVersion'] !== 'v1') return manifest;
  const hidden = Object.entries(manifest).map(
    ([key, value]) => [key, key === 'data' || key === 'stringData' ? digests(value) : value] as const,
  );
  return Object.fromEntries(hidden.filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

function digests(value: Json | undefined): Json | undefined {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, content]) => [key, `(hidden, sha256 ${sha256Hex(JSON.stringify(content)).slice(0, 12)})`]),
  );
}
