import type { KubeObject } from '@outrigger/core';
import type { CertificateUsage } from '@outrigger/core/x509';
import { CLIENT_SIGNER } from '../../authz/certificate-admission.js';

export interface SigningRequestCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

export interface SigningRequest extends KubeObject {
  readonly spec?: {
    /** The certificate request: PEM in base64. */
    readonly request?: string;
    readonly signerName?: string;
    readonly usages?: readonly string[];
    readonly expirationSeconds?: number;
  };
  readonly status?: { readonly conditions?: readonly SigningRequestCondition[]; readonly certificate?: string };
}

export type SigningDecision =
  | { readonly type: 'nothing' }
  | { readonly type: 'sign'; readonly usages: readonly CertificateUsage[]; readonly notBefore: number; readonly notAfter: number }
  | { readonly type: 'fail'; readonly message: string };

const MINUTE_MS = 60_000;
/** The validity of certificates starts this long in the past, for clients whose clock is slow. The shortest lifetime is twice this time. */
const BACKDATE_MS = 5 * MINUTE_MS;
const SHORTEST_MS = 10 * MINUTE_MS;
/** Lifetimes of at least this length are counted from the backdated start. Shorter lifetimes are counted from now. */
const LONG_LIVED_MS = 8 * 60 * MINUTE_MS;
const LONGEST_MS = 365 * 24 * 60 * MINUTE_MS;
const OPTIONAL_USAGES: readonly string[] = ['digital signature', 'key encipherment'];

/**
 * Decides how the signer `kubernetes.io/kube-apiserver-client` handles a request. It signs only approved requests, and only for client
 * authentication.
 */
export function decideSigning({ spec, status }: SigningRequest, now: number): SigningDecision {
  const isTrue = (type: string): boolean => (status?.conditions ?? []).some((c) => c.type === type && c.status !== 'False');
  if (spec?.signerName !== CLIENT_SIGNER || !isTrue('Approved') || isTrue('Denied') || isTrue('Failed') || status?.certificate) {
    return { type: 'nothing' };
  }
  const usages = spec.usages ?? [];
  const refusal = usageProblem(usages);
  if (refusal !== undefined) return { type: 'fail', message: refusal };
  const lifetime = lifetimeMs(spec.expirationSeconds);
  const notAfter = now + (lifetime < LONG_LIVED_MS ? lifetime : lifetime - BACKDATE_MS);
  return { type: 'sign', usages: usages as readonly CertificateUsage[], notBefore: now - BACKDATE_MS, notAfter };
}

function usageProblem(usages: readonly string[]): string | undefined {
  const unknown = usages.find((usage) => usage !== 'client auth' && !OPTIONAL_USAGES.includes(usage));
  if (unknown !== undefined) return `invalid usage for client certificate: ${unknown}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}

function lifetimeMs(requestedSeconds: number | undefined): number {
  if (requestedSeconds === undefined) return LONGEST_MS;
  return Math.min(Math.max(requestedSeconds * 1000, SHORTEST_MS), LONGEST_MS);
}
