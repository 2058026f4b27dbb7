import { type CertificateSigningRequest, type Secret, certificateSigningRequests } from '@outrigger/api';
import type { Runtime } from '@outrigger/core';
import { createCertificateAuthority, createCsr, encodePem, issueClientCertificate, readCertificate } from '@outrigger/core/x509';
import type { Client, EffectContext } from '@outrigger/kube';
import { createRealRuntime } from '@outrigger/kube/node';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SignInput } from './decide.js';
import { sign } from './sign.js';

const HOUR = 3_600_000;
const NOW = 1_767_225_600_000;
const real = createRealRuntime();
const runtime: Runtime = { ...real, clock: { now: () => NOW, monotonic: () => 0 } };
const serial = (): Uint8Array => real.random.bytes(16);

async function authority(
  algorithm: 'P-256' | 'RSA-2048',
  notAfter = NOW + 1000 * HOUR,
): Promise<{ certificate: string; privateKey: string }> {
  const keyPair = await real.keys.generate(algorithm);
  return createCertificateAuthority(real.keys, { commonName: 'ca', keyPair, notBefore: NOW - 100 * HOUR, notAfter, serial: serial() });
}

function secretOf(pair: { certificate: string; privateKey: string }, name: 'ca' | 'tls' = 'ca'): Secret {
  const data = { [`${name}.crt`]: btoa(pair.certificate), [`${name}.key`]: btoa(pair.privateKey) };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'ca', namespace: 'manager' }, data };
}

let input: SignInput;
beforeAll(async () => {
  const keyPair = await real.keys.generate('P-256');
  const csr = await createCsr(real.keys, {
    keyPair,
    commonName: 'own',
    organizations: ['g1'],
    organizationalUnits: ['u1'],
    dnsNames: ['evil.example'],
  });
  input = {
    name: 'r',
    uid: 'u',
    resourceVersion: '3',
    request: btoa(csr),
    signingCA: { namespace: 'manager', name: 'ca' },
    dnsNames: ['hello.addon.open-cluster-management.io'],
    expirationSeconds: undefined,
    maxSeconds: 24 * 3600,
  };
});

async function issued(secret: Secret, changes: Partial<SignInput> = {}): Promise<Awaited<ReturnType<typeof readCertificate>>> {
  const patches: unknown[] = [];
  const client = {
    get: async () => secret,
    patch: async (_kind: unknown, _key: unknown, patch: { patch: unknown }) => {
      patches.push(patch.patch);
      return { apiVersion: 'certificates.k8s.io/v1', kind: certificateSigningRequests.kind, metadata: { name: 'r' } };
    },
  } as unknown as Client;
  const context: EffectContext = { runtime, signal: new AbortController().signal, client: () => client, remember: () => undefined };
  await sign({ ...input, ...changes }, context);
  const [patch] = patches as { metadata: unknown; status: CertificateSigningRequest['status'] }[];
  expect(patch?.metadata).toEqual({ uid: 'u', resourceVersion: '3' });
  return readCertificate(real.keys, atob(patch?.status?.certificate ?? ''));
}

describe('signing for a template’s own signer', () => {
  it.each(['P-256', 'RSA-2048'] as const)(
    'AT-05 issues a client certificate and nothing else, with an authority of %s',
    async (algorithm) => {
      const certificate = await issued(secretOf(await authority(algorithm)));
      expect(certificate.subject).toEqual({ commonName: 'own', organizations: ['g1'], organizationalUnits: ['u1'] });
      expect(certificate.usages).toEqual(['client auth']);
      expect(certificate.altNames.dnsNames).toEqual(['hello.addon.open-cluster-management.io']);
      expect(certificate.isCA).toBe(false);
      expect(certificate.notAfter).toBe(NOW + 24 * HOUR);
    },
  );

  it('takes tls.crt and tls.key as well', async () => {
    const certificate = await issued(secretOf(await authority('P-256'), 'tls'));
    expect(certificate.issuer.commonName).toBe('ca');
  });

  const lifetimes = [
    { name: 'as long as requested', seconds: 3600, cap: 24, caLeft: 1000 * HOUR, want: HOUR },
    { name: 'no longer than the authority', seconds: 20 * 3600, cap: 24, caLeft: 5 * HOUR, want: 5 * HOUR },
    { name: 'AT-07 AT-50 the cap if no lifetime is requested', seconds: undefined, cap: 24, caLeft: 1000 * HOUR, want: 24 * HOUR },
    { name: 'AT-50 another cap if no lifetime is requested', seconds: undefined, cap: 2, caLeft: 1000 * HOUR, want: 2 * HOUR },
    { name: 'AT-50 the cap if ten years are requested', seconds: 10 * 365 * 86_400, cap: 24, caLeft: 1000 * HOUR, want: 24 * HOUR },
  ];
  it.each(lifetimes)('lasts $name', async ({ seconds, cap, caLeft, want }) => {
    const changes = { expirationSeconds: seconds, maxSeconds: cap * 3600 };
    const certificate = await issued(secretOf(await authority('P-256', NOW + caLeft)), changes);
    expect(certificate.notAfter - NOW).toBe(want);
  });

  it('AT-50 lasts at most the cap, for any requested lifetime', async () => {
    const ca = secretOf(await authority('P-256', NOW + 1e6 * HOUR));
    const lifetime = fc.option(fc.integer({ min: 600, max: 2 ** 31 - 1 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(lifetime, fc.integer({ min: 600, max: 8760 * 3600 }), async (expirationSeconds, maxSeconds) => {
        const { notAfter } = await issued(ca, { expirationSeconds, maxSeconds });
        expect(notAfter - NOW).toBeLessThanOrEqual(maxSeconds * 1000);
      }),
      { numRuns: 25 },
    );
  });

  it('AT-48 starts an hour in the past, for verifiers whose clock is behind', async () => {
    const certificate = await issued(secretOf(await authority('P-256')));
    expect(certificate.notBefore).toBe(NOW - HOUR);
  });

  it('AT-10 refuses a certificate that is not an authority’s, until the Secret changes', async () => {
    const ca = await createCertificateAuthority(real.keys, {
      commonName: 'ca',
      notBefore: NOW - HOUR,
      notAfter: NOW + HOUR,
      serial: serial(),
    });
    const client = await issueClientCertificate(real.keys, {
      commonName: 'nobody',
      ca: ca.certificate,
      caKey: ca.key,
      notBefore: NOW - HOUR,
      notAfter: NOW + HOUR,
      serial: serial(),
    });
    await expect(issued(secretOf(client))).rejects.toMatchObject({
      name: 'TerminalError',
      message: 'Secret manager/ca: its certificate is not that of a certificate authority',
    });
  });

  it.each([
    { name: 'another authority of the same kind', of: 'P-256' },
    { name: 'an authority with another algorithm', of: 'RSA-2048' },
  ] as const)('AT-10 refuses the key of $name, as after a rotation that changed only one part of the Secret', async ({ of }) => {
    const halves = { certificate: (await authority('P-256')).certificate, privateKey: (await authority(of)).privateKey };
    await expect(issued(secretOf(halves))).rejects.toMatchObject({
      name: 'TerminalError',
      message: 'Secret manager/ca: the private key does not belong to the certificate of the authority',
    });
  });

  it('refuses an authority that has expired, names its Secret, and quotes nothing of it', async () => {
    await expect(issued(secretOf(await authority('P-256', NOW - 1000)))).rejects.toThrow('Secret manager/ca: its certificate has expired');
    const empty: Secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'ca' }, data: { other: 'c2VjcmV0' } };
    await expect(issued(empty)).rejects.toThrow('it needs the keys ca.crt and ca.key, or tls.crt and tls.key');
    const broken = { certificate: (await authority('P-256')).certificate, privateKey: encodePem('PRIVATE KEY', new Uint8Array([1, 2, 3])) };
    await expect(issued(secretOf(broken))).rejects.toThrow('Secret manager/ca: cannot read the private key');
  });
});
