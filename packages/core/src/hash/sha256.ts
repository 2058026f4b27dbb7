import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson } from './canonical-json.js';

/** Returns the SHA-256 of bytes, or of a string's UTF-8 encoding, in lower-case hex. */
export function sha256Hex(input: string | Uint8Array): string {
  return bytesToHex(sha256(typeof input === 'string' ? utf8ToBytes(input) : input));
}

/**
 * Returns the content hash of a config object, as upstream computes it: the SHA-256 of the canonical JSON of the object without
 * `apiVersion`, `kind`, `metadata` and `status`. It covers `spec`, or for example `data` of a ConfigMap.
 */
export function specHash(object: object): string {
  const {
    apiVersion: _apiVersion,
    kind: _kind,
    metadata: _metadata,
    status: _status,
    ...content
  } = object as Readonly<Record<string, unknown>>;
  return sha256Hex(canonicalJson(content));
}
