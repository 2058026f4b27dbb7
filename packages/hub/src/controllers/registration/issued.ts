import type { Keys } from '@outrigger/core';
import { sha256Hex } from '@outrigger/core/hash';
import { readCertificate } from '@outrigger/core/x509';
import { certificateCredential } from '../../registration/agent-identity.js';

/** The part of an issued certificate that the identity record of the cluster's agent needs. */
export interface ReadCertificate {
  readonly credentialId: string;
  readonly key: string;
  readonly endsAt: number;
}

const MAX_REMEMBERED = 10_000;

/**
 * Caches parsed certificates by content. Parsing needs WebCrypto, which is asynchronous, so a synchronous pass cannot do it: an effect
 * parses the certificate once, and the next pass reads the result here.
 */
export class IssuedCertificates {
  readonly #read = new Map<string, ReadCertificate | undefined>();

  /** Returns the parsed certificate; undefined if it has not been parsed yet, or if the text is not a certificate. */
  get(certificate: string): ReadCertificate | undefined {
    return this.#read.get(sha256Hex(certificate));
  }

  isRead(certificate: string): boolean {
    return this.#read.has(sha256Hex(certificate));
  }

  /** `certificate` is the base64 encoding of the PEM, as in the API. */
  async read(keys: Keys, certificate: string): Promise<void> {
    if (this.#read.size >= MAX_REMEMBERED) this.#read.delete(this.#read.keys().next().value as string);
    this.#read.set(sha256Hex(certificate), await readIssued(keys, certificate));
  }
}

async function readIssued(keys: Keys, certificate: string): Promise<ReadCertificate | undefined> {
  try {
    const { fingerprint, publicKey, notAfter } = await readCertificate(keys, atob(certificate));
    return { credentialId: certificateCredential(fingerprint), key: keyDigest(publicKey.spki), endsAt: notAfter };
  } catch {
    // The text is not a certificate, so no agent could present it to the hub, and there is nothing to record.
    return undefined;
  }
}

/** Digest of a public key, used only to distinguish keys. */
export function keyDigest(spki: Uint8Array): string {
  return sha256Hex(Array.from(spki, (byte) => byte.toString(16).padStart(2, '0')).join(''));
}
