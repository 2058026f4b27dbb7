import type { IssuedCertificate } from '@outrigger/core/x509';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** How long things last around the webhook's certificate. */
export interface Lifetimes {
  readonly authorityMs: number;
  readonly certificateMs: number;
  /** How long a new authority is trusted by everybody before anybody uses it; longer than `checkMs`. */
  readonly publishMs: number;
  /** How often every replica looks at the authorities. */
  readonly checkMs: number;
}

export const LIFETIMES: Lifetimes = {
  authorityMs: 3650 * DAY_MS,
  certificateMs: 30 * DAY_MS,
  publishMs: 15 * MINUTE_MS,
  checkMs: 5 * MINUTE_MS,
};

/** An authority and when it begins and ends. */
export interface Authority extends IssuedCertificate {
  readonly madeAt: number;
  readonly notAfter: number;
}

/**
 * The authorities of the webhook's certificates, one set for all replicas. A change of authority takes three steps, so that whoever asks
 * a replica trusts it at any time, whatever the other replicas have got to: the next one is trusted before it is used, and the one before
 * it stays trusted until its last certificate has ended.
 */
export interface Authorities {
  readonly current: Authority;
  readonly next: Authority | undefined;
  /** The certificate of the authority before the current one. */
  readonly previous: string | undefined;
}

/** What API servers trust the webhook by. */
export function trustedBundle({ current, next, previous }: Authorities): string {
  return [current.certificate, next?.certificate, previous].filter((certificate) => certificate !== undefined).join('');
}

export type RotationStep = 'prepare' | 'promote' | 'retire';

/** The step that is due, if one is. */
export function dueStep({ current, next, previous }: Authorities, now: number, lifetimes: Lifetimes): RotationStep | undefined {
  if (next) return now >= next.madeAt + lifetimes.publishMs ? 'promote' : undefined;
  // Replicas hear of a promotion up to a check later, and until then sign with the authority before.
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
