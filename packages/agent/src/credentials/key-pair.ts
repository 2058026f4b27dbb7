import type { Keys } from '@outrigger/core';
import { importPrivateKey } from '@outrigger/core/x509';

export interface KeyPair extends CryptoKeyPair {
  /** The public key as DER SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
}

/** Returns the key pair for a private key in PEM. */
export async function importKeyPair(keys: Keys, pem: string): Promise<KeyPair> {
  const privateKey = await importPrivateKey(keys, pem);
  const { d: _, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, key_ops: _ops, ...open } = await keys.subtle.exportKey('jwk', privateKey);
  const publicKey = await keys.subtle.importKey('jwk', open, privateKey.algorithm, true, ['verify']);
  return { privateKey, publicKey, spki: new Uint8Array(await keys.subtle.exportKey('spki', publicKey)) };
}
