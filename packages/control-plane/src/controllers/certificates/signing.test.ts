import { describe, expect, it } from 'vitest';
import { cleanupDue } from './cleanup.js';
import { decideSigning, type SigningRequest, type SigningRequestCondition } from './signing.js';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const created = '2026-01-01T00:00:00Z';
const createdAt = Date.parse(created);
const is = (type: string, status = 'True'): SigningRequestCondition => ({ type, status, lastUpdateTime: '2026-01-01T01:00:00Z' });
const csr = (spec: SigningRequest['spec'] = {}, status: SigningRequest['status'] = { conditions: [is('Approved')] }): SigningRequest => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: 'x', creationTimestamp: created },
  spec: { signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'], ...spec },
  status,
});

describe('signing', () => {
  const nothing = { type: 'nothing' };
  const cases: { name: string; request: SigningRequest; want: unknown }[] = [
    { name: 'an undecided request waits', request: csr({}, {}), want: nothing },
    { name: 'a denied request is left', request: csr({}, { conditions: [is('Approved'), is('Denied')] }), want: nothing },
    { name: 'a failed request is left', request: csr({}, { conditions: [is('Approved'), is('Failed')] }), want: nothing },
    { name: 'an issued request is not changed', request: csr({}, { conditions: [is('Approved')], certificate: 'eA==' }), want: nothing },
    { name: 'another signer’s request is left', request: csr({ signerName: 'example.com/x' }), want: nothing },
    {
      name: 'a server certificate is refused',
      request: csr({ usages: ['client auth', 'server auth'] }),
      want: fail('invalid usage for client certificate: server auth'),
    },
    {
      name: 'a certificate for nothing is refused',
      request: csr({ usages: ['digital signature'] }),
      want: fail('missing required usage for client certificate: client auth'),
    },
  ];
  it.each(cases)('$name', ({ request, want }) => expect(decideSigning(request, createdAt)).toEqual(want));

  const lifetimes: { name: string; seconds: number | undefined; want: number }[] = [
    { name: 'a year if the request names no lifetime', seconds: undefined, want: 365 * 24 * HOUR - 5 * MINUTE },
    { name: 'never more than a year', seconds: 1e9, want: 365 * 24 * HOUR - 5 * MINUTE },
    { name: 'never less than ten minutes', seconds: 60, want: 10 * MINUTE },
    { name: 'in full when short', seconds: 3600, want: HOUR },
    { name: 'less the backdating when long', seconds: 24 * 3600, want: 24 * HOUR - 5 * MINUTE },
  ];
  it.each(lifetimes)('lasts $name', ({ seconds, want }) => {
    const decision = decideSigning(csr(seconds === undefined ? {} : { expirationSeconds: seconds }), createdAt);
    expect(decision).toMatchObject({ type: 'sign', notBefore: createdAt - 5 * MINUTE, notAfter: createdAt + want });
  });
});

describe('cleaning up', () => {
  const cases: { name: string; request: SigningRequest; want: number }[] = [
    { name: 'a request that is not decided within a day', request: csr({}, {}), want: createdAt + 24 * HOUR },
    { name: 'issued an hour ago', request: csr({}, { conditions: [is('Approved')], certificate: 'eA==' }), want: createdAt + 2 * HOUR },
    { name: 'approved a day ago and never issued', request: csr(), want: createdAt + 25 * HOUR },
    { name: 'denied an hour ago', request: csr({}, { conditions: [is('Denied')] }), want: createdAt + 2 * HOUR },
  ];
  it.each(cases)('$name', ({ request, want }) => expect(cleanupDue(request)).toBe(want));
});

function fail(message: string): unknown {
  return { type: 'fail', message };
}
