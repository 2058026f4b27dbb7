import type { Clock, Keys } from '@outrigger/core';
import { sha256Hex } from '@outrigger/core/hash';
import { type Subject, readCertificates } from '@outrigger/core/x509';

/** A certificate as the rules see it. */
export interface CertificateFacts {
  readonly subject: Subject;
  readonly fingerprint: string;
  /** The time all certificates of the chain are valid together, in milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Share of its life left at which it is renewed: between 20 % and 25 %, the same for the same certificate. */
  readonly renewAtShare: number;
  /** Milliseconds of life left, counted from when it was read by a clock that never jumps. */
  remainingMs(monotonic: number): number;
}

const MAX_REMEMBERED = 1_000;

/**
 * Certificates that were read, by content: reading is asynchronous, passes are not. What is left of their life is measured by the monotonic clock
 * from there on, so that a wall clock that jumps by an hour neither ends nor renews a fleet's certificates at once.
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

/** Spread by the certificate itself: agents that joined together do not come back together. */
export function renewalShare(fingerprint: string): number {
  return 0.2 + (Number.parseInt(fingerprint.slice(0, 8), 16) / 2 ** 32) * 0.05;
}
