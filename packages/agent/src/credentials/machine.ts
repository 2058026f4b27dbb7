import { CLUSTER_MESSAGES } from '@outrigger/api';
import { backoffMs, type ObjectKey, toTime } from '@outrigger/core';
import { canonicalJson, sha256Hex } from '@outrigger/core/hash';
import type { Now } from '@outrigger/kube';
import type { RequestProjection } from '../resources/requests.js';
import type { CertificateFacts } from './certificates.js';
import type { CredentialProjection, PendingKeyProjection } from './secrets.js';

/** A certificate that the agent keeps in a Secret, and how to request it. */
export interface CredentialSpec {
  /** An id that is unique within the agent. */
  readonly id: string;
  readonly secret: { readonly namespace: string; readonly name: string };
  readonly labels: Readonly<Record<string, string>>;
  readonly signerName: string;
  readonly user: string;
  readonly groups: readonly string[];
  readonly units: readonly string[];
  readonly dnsNames: readonly string[];
  readonly expirationSeconds: number | undefined;
  readonly requestPrefix: string;
  readonly requestLabels: Readonly<Record<string, string>>;
  /** The data of the Secret other than certificate and key. It is not confidential. */
  readonly extraData: Readonly<Record<string, string>>;
  /** A Secret whose key an agent reuses if it joins again under the same name. */
  readonly reuseKeyOf?: ObjectKey;
  /**
   * The identity with which the agent sends requests, if that identity can change. The agent cannot always read the requests that it sent
   * with a previous identity.
   */
  readonly requester?: string;
}

export interface CredentialState {
  readonly spec: CredentialSpec;
  readonly stored: CredentialProjection | undefined;
  /** The facts about the certificate; undefined if there is no certificate or it has not been read yet. */
  readonly certificate: CertificateFacts | 'unreadable' | undefined;
  readonly pending: PendingKeyProjection | undefined;
  /** The fingerprint of a certificate that the hub rejects although it has not expired. */
  readonly refused?: string;
  /** All certificate requests on the hub for the same owner, except those that other clusters sent. */
  readonly requests: readonly RequestProjection[];
}

/** The next step for a credential. */
export type CredentialStep =
  /** Keep the certificate, which needs no renewal for `forMs`. */
  | { readonly type: 'keep'; readonly forMs: number }
  | { readonly type: 'examine'; readonly certificate: string }
  /** Create a key and store it. */
  | { readonly type: 'begin' }
  /** Request a certificate for the pending key from the hub. */
  | { readonly type: 'ask'; readonly pending: PendingKeyProjection }
  /** Prepare the pending key for a new request, because its request was sent with another identity. */
  | { readonly type: 'readdress'; readonly pending: PendingKeyProjection }
  | { readonly type: 'await'; readonly request: string }
  /** Store the issued certificate and its key in the credential's Secret. */
  | { readonly type: 'store'; readonly pending: PendingKeyProjection; readonly certificate: string }
  /** Delete a pending key that will not get a certificate. */
  | { readonly type: 'abandon'; readonly pending: PendingKeyProjection }
  | { readonly type: 'hold'; readonly why: string; readonly forMs?: number };

/**
 * The maximum number of certificate requests on the hub for one owner (the agent itself or one add-on). Beyond it the agent waits, because
 * a further request would have the same outcome.
 */
export const MAX_REQUESTS = 10;
const REQUEST_BACKOFF = { baseMs: 30_000, maxMs: 3_600_000 } as const;

/**
 * Returns the next step. The agent may crash after any step, so it stores a key before it uses the key, and it uses the key until the
 * request has an outcome.
 */
export function nextStep(state: CredentialState, now: Now): CredentialStep {
  const { spec, stored, certificate, pending } = state;
  if (stored && stored.certificate !== '' && certificate === undefined) return { type: 'examine', certificate: stored.certificate };
  const need = renewalReason(state, now);
  if (pending) {
    if (need === undefined || pending.requestDigest !== requestDigest(spec)) return { type: 'abandon', pending };
    if (!isOfRequester(state, pending)) return { type: spec.reuseKeyOf ? 'readdress' : 'abandon', pending };
    return pursue(state, pending);
  }
  if (need === undefined) return { type: 'keep', forMs: untilRenewal(certificate as CertificateFacts, now) };
  return beginning(state, now);
}

/** Returns the reason why a new certificate is needed, or undefined if the stored certificate is valid. */
export function renewalReason({ spec, stored, certificate, refused }: CredentialState, now: Now): string | undefined {
  if (!stored || stored.certificate === '' || !stored.hasKey || !certificate) return 'there is no certificate';
  if (certificate === 'unreadable') return 'the certificate cannot be read';
  if (certificate.fingerprint === refused) return 'the hub does not take the certificate any more';
  const { commonName, organizations, organizationalUnits } = certificate.subject;
  const isNamed = commonName === spec.user && sameSet(organizations, spec.groups) && sameSet(organizationalUnits, spec.units);
  if (!isNamed) return 'the certificate names another subject';
  const changed = Object.entries(spec.extraData).find(([name, value]) => stored.extraDataDigests[name] !== sha256Hex(value));
  if (changed) return `${changed[0]} has changed`;
  const surplus = Object.keys(stored.extraDataDigests).find((name) => spec.extraData[name] === undefined);
  if (surplus !== undefined) return `${surplus} does not belong here`;
  return untilRenewal(certificate, now) <= 0 ? 'the certificate ends soon' : undefined;
}

export function untilRenewal(certificate: CertificateFacts, now: Now): number {
  const lifeMs = certificate.notAfter - certificate.notBefore;
  return certificate.remainingMs(now.monotonic) - certificate.renewAtShare * lifeMs;
}

/**
 * Whether the request of the pending key was sent, or will be sent, with the identity that the agent uses now. A pending key from an
 * earlier release does not record the identity; the current one is assumed if the agent has no certificate yet.
 */
function isOfRequester({ spec, stored }: CredentialState, { requester }: PendingKeyProjection): boolean {
  if (spec.requester === undefined) return true;
  return requester === undefined ? !stored?.certificate : requester === spec.requester;
}

function pursue({ requests }: CredentialState, pending: PendingKeyProjection): CredentialStep {
  const request = requests.find(({ key }) => key.name === pending.requestName);
  if (!request) return requests.length >= MAX_REQUESTS ? { type: 'hold', why: CLUSTER_MESSAGES.tooManyRequests } : { type: 'ask', pending };
  switch (request.outcome.type) {
    case 'pending':
      return { type: 'await', request: request.key.name };
    case 'refused':
      return { type: 'abandon', pending };
    case 'issued':
      return { type: 'store', pending, certificate: request.outcome.certificate };
  }
}

/**
 * Begins a new request, after a wait that doubles with each rejected request that is still on the hub: 30 s, 1 min, … 1 h. The hub deletes
 * rejected requests after an hour.
 */
function beginning({ spec, requests }: CredentialState, now: Now): CredentialStep {
  const refusals = requests.flatMap(({ signerName, outcome }) =>
    signerName === spec.signerName && outcome.type === 'refused' ? [outcome] : [],
  );
  const [last] = refusals.sort((a, b) => b.at - a.at);
  if (last) {
    const leftMs = backoffMs(refusals.length, REQUEST_BACKOFF) - Math.max(0, now.wall - last.at);
    if (leftMs > 0) return { type: 'hold', why: last.message, forMs: leftMs };
  }
  return requests.length >= MAX_REQUESTS ? { type: 'hold', why: CLUSTER_MESSAGES.tooManyRequests } : { type: 'begin' };
}

/** Returns a digest of the requested certificate. It shows whether a pending key was created for the current spec. */
export function requestDigest({ signerName, user, groups, units, dnsNames }: CredentialSpec): string {
  return sha256Hex(canonicalJson({ signerName, user, groups: [...groups].sort(), units: [...units].sort(), dnsNames }));
}

/** Returns `client certificate rotated starting from A to B`. */
export function rotatedMessage({ notBefore, notAfter }: CertificateFacts): string {
  return CLUSTER_MESSAGES.certificateRotated(toTime(notBefore), toTime(notAfter));
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  const [left, right] = [new Set(a), new Set(b)];
  return left.size === right.size && [...left].every((value) => right.has(value));
}
