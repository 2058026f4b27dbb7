import { createHash } from 'node:crypto';

/** Returns the SHA-256 of bytes synchronously. */
export function sha256Bytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(createHash('sha256').update(bytes).digest());
}
