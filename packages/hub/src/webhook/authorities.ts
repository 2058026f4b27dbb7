import type { IssuedCertificate } from '@outrigger/core/x509';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The lifetimes of the webhook's certificates, and the intervals of their rotation. */
export interface Lifetimes {
  readonly authorityMs: number;
  readonly certificateMs: number;
  /** The time for which a new authority is published as trusted before any replica uses it. It must be longer than `checkMs`. */
  readonly publishMs: number;
  /** The interval at which every replica checks the authorities. */
  readonly checkMs: number;
}

export const LIFETIMES: Lifetimes = {
  authorityMs: 3650 * DAY_MS,
  certificateMs: 30 * DAY_MS,
  publishMs: 15 * MINUTE_MS,
  checkMs: 5 * MINUTE_MS,
};

/** A certificate authority with its creation and expiry times. */
export interface Authority extends IssuedCertificate {
  readonly madeAt: number;
  readonly notAfter: number;
}

/**
 * The authorities for the webhook's certificates. All replicas share one set. A rotation takes three steps, so that an API server trusts
 * every replica at any time: the next authority is trusted before it is used, and the previous one stays trusted until its last certificate
 * has expired.
 */
export interface Authorities {
  readonly current: Authority;
  readonly next: Authority | undefined;
  /** The certificate of the previous authority. */
  readonly previous: string | undefined;
}

/** The CA bundle with which API servers trust the webhook. */
export function trustedBundle({ current, next, previous }: Authorities): string {
  return [current.certificate, next?.certificate, previous].filter((certificate) => certificate !== undefined).join('');
}

export type RotationStep = 'prepare' | 'promote' | 'retire';

/** The rotation step that is due, if any. */
export function dueStep({ current, next, previous }: Authorities, now: number, lifetimes: Lifetimes): RotationStep | undefined {
  if (next) return now >= next.madeAt + lifetimes.publishMs ? 'promote' : undefined;
  // The promotion may be one check interval late. A replica may notice the promotion another interval later, and signs with the previous
  // authority until then.
  if (previous !== undefined) {
    const lastUse = current.madeAt + lifetimes.publishMs + 2 * lifetimes.checkMs;
    return now >= lastUse + lifetimes.certificateMs ? 'retire' : undefined;
  }
  return current.notAfter - now <= 2 * lifetimes.certificateMs ? 'prepare' : undefined;
}

export function afterStep(authorities: Authorities, step: RotationStep, made: Authority | undefined): Authorities {
  const { current, next } = authorities;
  switch (step) {
    case 'prepare':
      return { ...authorities, next: made };
    case 'promote':
      return next ? { current: next, next: undefined, previous: current.certificate } : authorities;
    case 'retire':
      return { ...authorities, previous: undefined };
  }
}
