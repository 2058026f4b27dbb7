import { nowAt } from '@outrigger/kube/testing';
import { sha256Hex } from '@outrigger/core/hash';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequestOutcome, RequestProjection } from '../resources/requests.js';
import { type CertificateFacts, renewalShare } from './certificates.js';
import { spec } from './fixtures.js';
import { type CredentialState, MAX_REQUESTS, nextStep, requestDigest } from './machine.js';
import type { CredentialProjection, PendingKeyProjection } from './secrets.js';

const HOUR = 3_600_000;
const NOW = nowAt(1_767_225_600_000, 0);
const identity = { key: { name: 'x', namespace: 'ns' }, uid: 'u', resourceVersion: '1' };
const stored: CredentialProjection = {
  ...identity,
  addOnName: 'hello',
  certificate: 'PEM',
  hasKey: true,
  token: undefined,
  extraDataDigests: { 'cluster-name': sha256Hex('c1') },
};
const pending: PendingKeyProjection = {
  ...identity,
  credentialId: spec.id,
  requestName: 'addon-c1-hello-abcde',
  requestDigest: requestDigest(spec),
  requester: undefined,
};
const certified = { ...spec, requester: 'certificate' };
const joining = { ...spec, requester: 'token-2', reuseKeyOf: stored.key };
const ended = { stored, certificate: certificate({ leftMs: -1 }) };
const answered = [request(pending.requestName, { type: 'issued', certificate: 'Yw==' })];

function certificate(changes: Partial<CertificateFacts> & { leftMs?: number } = {}): CertificateFacts {
  const { leftMs = 20 * HOUR, ...rest } = changes;
  return {
    subject: { commonName: 'user', organizations: ['g2', 'g1'], organizationalUnits: [] },
    fingerprint: 'f1',
    notBefore: 0,
    notAfter: 24 * HOUR,
    renewAtShare: 0.2,
    remainingMs: (monotonic) => leftMs - monotonic,
    ...rest,
  };
}

function request(name: string, outcome: RequestOutcome): RequestProjection {
  return { ...identity, key: { name }, addOnName: 'hello', isForeign: false, signerName: 'kube', outcome };
}

const refusedAt = (name: string, at: number): RequestProjection => request(name, { type: 'refused', message: 'no', at });
const many = Array.from({ length: MAX_REQUESTS }, (_, i) => request(`r${i}`, { type: 'pending' }));

function step(changes: Partial<CredentialState>): string {
  const state = { spec, stored: undefined, certificate: undefined, pending: undefined, requests: [], ...changes };
  const next = nextStep(state, NOW);
  return 'forMs' in next && next.forMs !== undefined ? `${next.type} ${Math.round(next.forMs / 1000)} s` : next.type;
}

describe('the next step of a credential', () => {
  const cases: { name: string; state: Partial<CredentialState>; want: string }[] = [
    { name: 'begins with a new key if nothing exists', state: {}, want: 'begin' },
    { name: 'reads a certificate before judging it', state: { stored }, want: 'examine' },
    {
      name: 'keeps the certificate until 20 % of its life are left',
      state: { stored, certificate: certificate() },
      want: `keep ${(20 - 4.8) * 3600} s`,
    },
    { name: 'begins when it ends soon', state: { stored, certificate: certificate({ leftMs: 4.8 * HOUR }) }, want: 'begin' },
    { name: 'begins when it has ended', state: { stored, certificate: certificate({ leftMs: -1 }) }, want: 'begin' },
    { name: 'begins when it cannot be read', state: { stored, certificate: 'unreadable' }, want: 'begin' },
    { name: 'begins when its key is missing', state: { stored: { ...stored, hasKey: false }, certificate: certificate() }, want: 'begin' },
    {
      name: 'begins when the subject has changed',
      state: {
        stored,
        certificate: certificate({ subject: { commonName: 'other', organizations: ['g1', 'g2'], organizationalUnits: [] } }),
      },
      want: 'begin',
    },
    {
      name: 'begins when a group was added',
      state: { stored, certificate: certificate({ subject: { commonName: 'user', organizations: ['g1'], organizationalUnits: [] } }) },
      want: 'begin',
    },
    {
      name: 'begins when the extra data has changed',
      state: { stored: { ...stored, extraDataDigests: {} }, certificate: certificate() },
      want: 'begin',
    },
    {
      name: 'starts if a Secret has unexpected content',
      state: { stored: { ...stored, extraDataDigests: { ...stored.extraDataDigests, kubeconfig: 'x' } }, certificate: certificate() },
      want: 'begin',
    },
    { name: 'begins when the hub refuses it', state: { stored, certificate: certificate(), refused: 'f1' }, want: 'begin' },
    { name: 'requests with the stored key', state: { pending }, want: 'ask' },
    {
      name: 'requests again when its request was deleted',
      state: { pending, requests: [request('other', { type: 'pending' })] },
      want: 'ask',
    },
    { name: 'waits for an answer', state: { pending, requests: [request(pending.requestName, { type: 'pending' })] }, want: 'await' },
    {
      name: 'stores the issued certificate',
      state: { pending, requests: [request(pending.requestName, { type: 'issued', certificate: 'Yw==' })] },
      want: 'store',
    },
    { name: 'drops a key whose request was refused', state: { pending, requests: [refusedAt(pending.requestName, 0)] }, want: 'abandon' },
    { name: 'forgets a key it needs no longer', state: { stored, certificate: certificate(), pending }, want: 'abandon' },
    { name: 'forgets a key meant for another subject', state: { pending: { ...pending, requestDigest: 'other' } }, want: 'abandon' },
    {
      name: 'requests anew with the token in use if a renewal was requested',
      state: { ...ended, spec: joining, pending: { ...pending, requester: 'certificate' } },
      want: 'readdress',
    },
    {
      name: 'requests anew with the token in use whatever became of the request with an earlier token',
      state: { spec: joining, pending: { ...pending, requester: 'token-1' }, requests: answered },
      want: 'readdress',
    },
    {
      name: 'requests anew if an earlier version stored the key of a renewal',
      state: { ...ended, spec: joining, pending },
      want: 'readdress',
    },
    { name: 'pursues the first join of an earlier version', state: { spec: joining, pending }, want: 'ask' },
    {
      name: 'pursues the request of the token in use',
      state: { spec: joining, pending: { ...pending, requester: 'token-2' } },
      want: 'ask',
    },
    {
      name: 'renews with a new key if the pending one was meant for joining',
      state: { ...ended, spec: certified, pending: { ...pending, requester: 'token-1' } },
      want: 'abandon',
    },
    { name: 'waits half a minute after the first refusal', state: { requests: [refusedAt('a', NOW.wall)] }, want: 'hold 30 s' },
    {
      name: 'waits twice as long after the second',
      state: { requests: [refusedAt('a', NOW.wall), refusedAt('b', NOW.wall - 5)] },
      want: 'hold 60 s',
    },
    { name: 'begins again once that is over', state: { requests: [refusedAt('a', NOW.wall - 30_000)] }, want: 'begin' },
    {
      name: 'never waits longer than an hour',
      state: { requests: Array.from({ length: 9 }, (_, i) => refusedAt(`r${i}`, NOW.wall)) },
      want: 'hold 3600 s',
    },
    { name: 'makes no eleventh request', state: { requests: many }, want: 'hold' },
    { name: 'makes no eleventh request with the key it kept either', state: { pending, requests: many }, want: 'hold' },
    {
      name: 'ignores refusals by another signer',
      state: { requests: [{ ...refusedAt('a', NOW.wall), signerName: 'other' }] },
      want: 'begin',
    },
  ];
  it.each(cases)('$name', ({ state, want }) => expect(step(state)).toBe(want));

  it('reports with upstream’s message why it creates no further request', () => {
    const next = nextStep({ spec, stored: undefined, certificate: undefined, pending: undefined, requests: many }, NOW);
    expect(next).toEqual({ type: 'hold', why: 'Stop creating csr since there are too many csr created already on hub' });
  });

  it('renews every certificate with 20 to 25 % of its life left, the same one always at the same point', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-f]{64}$/), (fingerprint) => {
        const share = renewalShare(fingerprint);
        expect(share).toBeGreaterThanOrEqual(0.2);
        expect(share).toBeLessThan(0.25);
        expect(renewalShare(fingerprint)).toBe(share);
      }),
    );
  });
});
