import type { Keys } from '../runtime.js';
import { type DerValue, readDer, readSequence, TAG, writeDer } from './der.js';
import { decodePem, encodePem, type PemBlock } from './pem.js';

const RSA_OID = '2a864886f70d010101';
const EC_OID = '2a8648ce3d0201';
const CURVES: Readonly<Record<string, string>> = { '2a8648ce3d030107': 'P-256', '2b81040022': 'P-384', '2b81040023': 'P-521' };
const VERSION_0 = writeDer(TAG.integer, Uint8Array.of(0));

/** Returns a private key as PKCS#8 PEM. The key must be extractable. */
export async function exportPrivateKey(keys: Keys, key: CryptoKey): Promise<string> {
  return encodePem('PRIVATE KEY', await keys.subtle.exportKey('pkcs8', key));
}

/**
 * Parses an RSA or EC private key for signing, from PKCS#8 (`PRIVATE KEY`), PKCS#1 (`RSA PRIVATE KEY`) or SEC 1 (`EC PRIVATE KEY`, with or
 * without the `EC PARAMETERS` block that openssl writes before it).
 */
export async function importPrivateKey(keys: Keys, pem: string): Promise<CryptoKey> {
  const block = decodePem(pem).find(({ label }) => label.endsWith('PRIVATE KEY'));
  if (block === undefined) throw new Error('no PEM block with a private key found');
  try {
    const { pkcs8, algorithm } = toPkcs8(block);
    return await keys.subtle.importKey('pkcs8', pkcs8, algorithm, true, ['sign']);
  } catch (error) {
    throw new Error(`cannot read the private key ("${block.label}"): ${(error as Error).message}`, { cause: error });
  }
}

interface Pkcs8Key {
  readonly pkcs8: Uint8Array<ArrayBuffer>;
  readonly algorithm: RsaHashedImportParams | EcKeyImportParams;
}

function toPkcs8({ label, bytes }: PemBlock): Pkcs8Key {
  switch (label) {
    case 'PRIVATE KEY':
      return { pkcs8: bytes, algorithm: algorithmOf(readDer(required(readSequence(bytes)[1], TAG.sequence).content)) };
    case 'RSA PRIVATE KEY':
      return wrap(bytes, [writeDer(TAG.oid, fromHex(RSA_OID)), writeDer(TAG.null)]);
    case 'EC PRIVATE KEY':
      return wrap(bytes, [writeDer(TAG.oid, fromHex(EC_OID)), curveOf(bytes)]);
    default:
      throw new Error('this format is not supported; use PKCS#8, PKCS#1 or SEC 1, unencrypted');
  }
}

function wrap(key: Uint8Array, identifier: readonly Uint8Array<ArrayBuffer>[]): Pkcs8Key {
  const pkcs8 = writeDer(TAG.sequence, VERSION_0, writeDer(TAG.sequence, ...identifier), writeDer(TAG.octetString, key));
  return { pkcs8, algorithm: algorithmOf(identifier.flatMap((part) => readDer(part))) };
}

function curveOf(sec1: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const parameters = readSequence(sec1).find(({ tag }) => tag === TAG.context0);
  const [curve] = readDer(required(parameters, TAG.context0).content);
  return required(curve, TAG.oid).whole;
}

function algorithmOf([oid, parameters]: readonly DerValue[]): RsaHashedImportParams | EcKeyImportParams {
  const name = toHex(required(oid, TAG.oid).content);
  if (name === RSA_OID) return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  if (name !== EC_OID) throw new Error('only RSA and EC keys are supported');
  const namedCurve = CURVES[toHex(required(parameters, TAG.oid).content)];
  if (namedCurve === undefined) throw new Error('only the curves P-256, P-384 and P-521 are supported');
  return { name: 'ECDSA', namedCurve };
}

function required(value: DerValue | undefined, tag: number): DerValue {
  if (value?.tag !== tag) throw new Error('the key is malformed');
  return value;
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}
