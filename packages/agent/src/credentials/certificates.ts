import type { Clock, Keys } from '@outrigger/core';
import { sha256Hex } from '@outrigger/core/hash';
import { type Subject, readCertificates } from '@outrigger/core/x509';

/** The facts of a certificate that the rules use. */
export interface CertificateFacts {
  readonly subject: Subject;
  readonly fingerprint: string;
  /** The period in which all certificates of the chain are valid, in milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** The agent renews the certificate when this share of its life is left: between 20 % and 25 %, always the same for one certificate. */
  readonly renewAtShare: number;
  /** Milliseconds of life left: computed when the certificate was read, then counted down by the monotonic clock. */
  remainingMs(monotonic: number): number;
}

const MAX_REMEMBERED = 1_000;

/**
 * Certificates that were read, by content: reading is asynchronous, passes are not. After reading, the monotonic clock measures the
 * remaining life, so that a wall clock that jumps by an hour neither expires nor renews the certificates of a fleet at once.
 */
export class ExaminedCertificates {
  readonly #facts = new Map<string, CertificateFacts | 'unreadable'>();

  get(pem: string): CertificateFacts | 'unreadable' | undefined {
    return this.#facts.get(sha256Hex(pem));
  }

  async examine(pem: string, keys: Keys, clock: Clock): Promise<void> {
    const facts = await readFacts(pem, keys, clock);
    if (this.#facts.size >= MAX_REMEMBERED) this.#facts.delete(this.#facts.keys().next().value as string);
    this.#facts.set(sha256Hex(pem), facts);
  }
}

async function readFacts(pem: string, keys: Keys, clock: Clock): Promise<CertificateFacts | 'unreadable'> {
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

/** Derived from the certificate, so that agents that joined together renew at different times. */
export function renewalShare(fingerprint: string): number {
  return 0.2 + (Number.parseInt(fingerprint.slice(0, 8), 16) / 2 ** 32) * 0.05;
}
