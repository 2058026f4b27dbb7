import type * as X509 from '@peculiar/x509';
import type { Keys } from '../runtime.js';

export type X509Library = typeof X509;

let loading: Promise<X509Library> | undefined;

/** Loads the ASN.1 library on first use, because loading takes 100 ms and most processes never need it. */
export function loadX509(): Promise<X509Library> {
  loading ??= load();
  return loading;
}

async function load(): Promise<X509Library> {
  // Import this first, because the library reads decorator metadata while it loads.
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

/** The library's type requires a complete Crypto, but the library uses only `subtle` if serial numbers are given. */
export function cryptoOf(keys: Keys): Crypto {
  return { subtle: keys.subtle } as Crypto;
}

/** Returns the signing algorithm of a key. The hash depends on the curve of an EC key; RSA uses SHA-256. */
export function signingAlgorithm(key: CryptoKey): Algorithm & { hash: string } {
  if (key.algorithm.name !== 'ECDSA') return { name: key.algorithm.name, hash: 'SHA-256' };
  const { namedCurve } = key.algorithm as EcKeyGenParams;
  return { name: 'ECDSA', hash: namedCurve === 'P-521' ? 'SHA-512' : namedCurve === 'P-384' ? 'SHA-384' : 'SHA-256' };
}
