import { checkPrimeSync, createECDH, webcrypto } from 'node:crypto';
import { BoundedCache } from '@outrigger/core';
import { inverse, signDigest, toBigInt } from '../ecdsa.js';

export const realSubtle: webcrypto.SubtleCrypto = webcrypto.subtle;

/** A cache of imported keys, keyed by format, bytes, algorithm and usages. */
const IMPORTED = new BoundedCache<Promise<webcrypto.CryptoKey>>({ limit: 1_000 });

/**
 * Like `subtle.importKey`, but imports equal bytes only once per thread. The servers of all simulations share their keys, and each start of
 * a server imports these keys. The imported key can be shared, because a CryptoKey never changes.
 */
export function importOnce(...args: readonly [format: string, data: unknown, ...rest: readonly unknown[]]): Promise<webcrypto.CryptoKey> {
  const [format, data, ...rest] = args;
  const load = (): Promise<webcrypto.CryptoKey> =>
    (realSubtle as { importKey(...all: unknown[]): Promise<webcrypto.CryptoKey> }).importKey(...args);
  if (!(data instanceof ArrayBuffer || ArrayBuffer.isView(data))) return load();
  const bytes = ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
  return IMPORTED.get(JSON.stringify([format, bytes.toString('base64'), ...rest]), load);
}

type KeyPair = webcrypto.CryptoKeyPair;

type Bytes = (length: number) => Uint8Array;

/** Derives a real key pair deterministically from the given bytes. For simulations only. */
export function deterministicKeyPair(algorithm: 'P-256' | 'RSA-2048', bytes: Bytes): Promise<KeyPair> {
  return algorithm === 'P-256' ? p256(bytes) : rsa2048(bytes);
}

async function p256(bytes: Bytes): Promise<KeyPair> {
  const scalar = bytes(32);
  scalar[0] = 0x7f & (scalar[0] as number); // keeps the scalar below the order of the curve
  scalar[31] = 1 | (scalar[31] as number); // and not zero
  const point = publicPoint(scalar);
  const jwk = { kty: 'EC', crv: 'P-256', d: url(Buffer.from(scalar)), x: url(point.subarray(1, 33)), y: url(point.subarray(33)) };
  return importPair(jwk, { name: 'ECDSA', namedCurve: 'P-256' });
}

/** Returns the point of P-256 that belongs to a private scalar: a byte for the format of the encoding, then x and y. */
function publicPoint(scalar: Uint8Array): Buffer {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(Buffer.from(scalar));
  return ecdh.getPublicKey();
}

async function rsa2048(bytes: Bytes): Promise<KeyPair> {
  const e = 65_537n;
  const p = prime(bytes, e);
  let q = prime(bytes, e);
  while (q === p) q = prime(bytes, e);
  const d = inverse(e, (p - 1n) * (q - 1n));
  const jwk = {
    kty: 'RSA',
    n: number(p * q),
    e: number(e),
    d: number(d),
    p: number(p),
    q: number(q),
    dp: number(d % (p - 1n)),
    dq: number(d % (q - 1n)),
    qi: number(inverse(q, p)),
  };
  return importPair(jwk, { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' });
}

async function importPair(
  jwk: webcrypto.JsonWebKey & { readonly d: string },
  algorithm: webcrypto.EcKeyImportParams | webcrypto.RsaHashedImportParams,
): Promise<KeyPair> {
  const { d: _, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...open } = jwk;
  const [privateKey, publicKey] = await Promise.all([
    realSubtle.importKey('jwk', jwk, algorithm, true, ['sign']),
    realSubtle.importKey('jwk', open, algorithm, true, ['verify']),
  ]);
  return { privateKey, publicKey };
}

/** Returns a 1024-bit prime whose two top bits are set, so that the product of two such primes has 2048 bits. */
function prime(bytes: Bytes, e: bigint): bigint {
  const start = bytes(128);
  start[0] = 0xc0 | (start[0] as number);
  start[127] = 1 | (start[127] as number);
  for (let candidate = BigInt(`0x${Buffer.from(start).toString('hex')}`); ; candidate += 2n) {
    if ((candidate - 1n) % e !== 0n && checkPrimeSync(candidate)) return candidate;
  }
}

function number(value: bigint): string {
  const hex = value.toString(16);
  return url(Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex'));
}

type Sign = webcrypto.SubtleCrypto['sign'];

/** Like `subtle.sign`, but takes the nonce of an ECDSA signature from `bytes`, so that equal seeds produce equal certificates. */
export function deterministicSign(bytes: Bytes): Sign {
  return async (algorithm, key, data) => {
    const isP256 = 'namedCurve' in key.algorithm && key.algorithm.namedCurve === 'P-256';
    if (!isP256 || !key.extractable || typeof algorithm === 'string' || !('hash' in algorithm)) {
      return realSubtle.sign(algorithm, key, data);
    }
    const nonce = toBigInt(bytes(40));
    const { d = '' } = await realSubtle.exportKey('jwk', key);
    const digest = new Uint8Array(await realSubtle.digest(algorithm.hash, data));
    const pointX = (scalar: Uint8Array): Uint8Array => publicPoint(scalar).subarray(1, 33);
    return signDigest(toBigInt(Buffer.from(d, 'base64url')), digest, nonce, pointX).buffer as ArrayBuffer;
  };
}

function url(bytes: Buffer): string {
  return bytes.toString('base64url');
}
