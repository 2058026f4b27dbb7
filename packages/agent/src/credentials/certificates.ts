import type { Clock, Keys } from '@outrigger/core';
import { sha256Hex } from '@outrigger/core/hash';
import { type Subject, readCertificates } from '@outrigger/core/x509';

/** The facts about a certificate that the rules use. */
export interface CertificateFacts {
  readonly subject: Subject;
  readonly fingerprint: string;
  /** The period in which all certificates of the chain are valid, in milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  /**
   * The share of the certificate's lifetime that is left when the agent renews it. It is between 20 % and 25 % and constant for one
   * certificate.
   */
  readonly renewAtShare: number;
  /**
   * Returns the remaining lifetime in milliseconds. The lifetime was measured when the certificate was read; from then on the monotonic
   * clock counts it down.
   */
  remainingMs(monotonic: number): number;
}

/**
 * Facts about the certificates that were read, by the digest of their content. They are cached because reading is asynchronous and passes
 * are synchronous. After reading, the monotonic clock measures the remaining lifetime, so that a wall clock that jumps by an hour does not
 * expire or renew all certificates of a fleet at the same time.
 */
export type ExaminedCertificates = ReadonlyMap<string, CertificateFacts | 'unreadable'>;

/** The maximum number of cached certificates. Beyond this number, the oldest are dropped. */
const MAX_REMEMBERED = 100;

/** Returns the facts about a certificate, or undefined if there is no certificate or it has not been read yet. */
export function factsOf(pem: string | undefined, examined: ExaminedCertificates | undefined): CertificateFacts | 'unreadable' | undefined {
  return pem ? examined?.get(sha256Hex(pem)) : undefined;
}

/** Adds the facts about one certificate. */
export function withFacts(
  examined: ExaminedCertificates | undefined,
  pem: string,
  facts: CertificateFacts | 'unreadable',
): ExaminedCertificates {
  return new Map([...[...(examined ?? [])].slice(1 - MAX_REMEMBERED), [sha256Hex(pem), facts]]);
}

export async function readFacts(pem: string, keys: Keys, clock: Clock): Promise<CertificateFacts | 'unreadable'> {
  const chain = await readCertificates(keys, pem).catch(() => []);
  const [leaf] = chain;
  if (!leaf) return 'unreadable';
  const notBefore = Math.max(...chain.map((certificate) => certificate.notBefore));
  const notAfter = Math.min(...chain.map((certificate) => certificate.notAfter));
  const readAt = clock.monotonic();
  const leftThen = notAfter - clock.now();
  return {
    subject: leaf.subject,
    fingerprint: leaf.fingerprint,
    notBefore,
    notAfter,
    renewAtShare: renewalShare(leaf.fingerprint),
    remainingMs: (monotonic) => leftThen - (monotonic - readAt),
  };
}

/**
 * Returns the share of the lifetime that is left when the agent renews the certificate. The share is derived from the fingerprint, so that
 * agents that joined together renew at different times.
 */
export function renewalShare(fingerprint: string): number {
  return 0.2 + (Number.parseInt(fingerprint.slice(0, 8), 16) / 2 ** 32) * 0.05;
}
