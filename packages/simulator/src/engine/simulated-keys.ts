import type { Keys } from '@outrigger/core';
import { sha256Bytes } from './adapters/sha256.js';

/** The DER of the SubjectPublicKeyInfo of a P-256 key, up to the curve point. */
const SPKI_HEADER: readonly number[] = [
  0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07,
  0x03, 0x42, 0x00, 0x04,
];
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' };

/** A CryptoKey without key material. Keys differ only in their `id`. */
interface NamedKey {
  readonly algorithm: typeof ALGORITHM;
  readonly type: 'private' | 'public';
  readonly extractable: boolean;
  readonly usages: readonly string[];
  readonly id: string;
}

const subtle = {
  digest: async (_: unknown, bytes: ArrayBuffer | Uint8Array): Promise<ArrayBuffer> =>
    sha256Bytes(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes)).buffer,
  sign: async (): Promise<ArrayBuffer> => new Uint8Array(64).fill(0x11).buffer,
  verify: async (): Promise<boolean> => true,
  importKey: async (): Promise<NamedKey> => keyOf('imported', 'public'),
  exportKey: async (format: string, key: NamedKey): Promise<ArrayBuffer> => {
    const half = (name: string): Uint8Array<ArrayBuffer> => sha256Bytes(new TextEncoder().encode(`${key.id} ${name}`));
    if (format !== 'spki') return half(format).buffer;
    return Uint8Array.from([...SPKI_HEADER, ...half('x'), ...half('y')]).buffer;
  },
};

function keyOf(id: string, type: NamedKey['type']): NamedKey {
  return { algorithm: ALGORITHM, type, extractable: true, usages: [type === 'private' ? 'sign' : 'verify'], id };
}

/** The key pair with this name. */
export function namedKeyPair(id: string): CryptoKeyPair {
  return { privateKey: keyOf(id, 'private'), publicKey: keyOf(id, 'public') } as unknown as CryptoKeyPair;
}

/**
 * Keys without cryptography. The bytes of a public key are a function of its name, and every signature is valid. Requests and certificates
 * are still well-formed DER, so the hub parses them with the code that it ships. A run does not wait for the threads of WebCrypto.
 */
export const SIMULATED_KEYS: Keys = {
  generate: () => Promise.reject(new Error('simulated keys have names; use namedKeyPair')),
  subtle: subtle as unknown as SubtleCrypto,
};
