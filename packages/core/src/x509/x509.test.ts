import { spawnSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, type KeyObject, webcrypto, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Keys } from '../runtime.js';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  createCsr,
  decodePem,
  encodePem,
  exportPrivateKey,
  importPrivateKey,
  issueClientCertificate,
  issueServerCertificate,
  parseCsr,
  readCertificate,
  readCertificates,
  type SignOptions,
  signCertificate,
} from './index.js';

const ALGORITHMS = {
  'P-256': { name: 'ECDSA', namedCurve: 'P-256' },
  'RSA-2048': { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1), hash: 'SHA-256' },
};
const keys = {
  generate: (algorithm: 'P-256' | 'RSA-2048') => webcrypto.subtle.generateKey(ALGORITHMS[algorithm], true, ['sign', 'verify']),
  subtle: webcrypto.subtle,
} as unknown as Keys;

const folder = mkdtempSync(join(tmpdir(), 'x509-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
function file(content: string): string {
  const path = join(folder, `${files++}.pem`);
  writeFileSync(path, content);
  return path;
}

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
/** Skips the test if openssl is not installed. It must be called first in a test that needs openssl. */
function needOpenssl({ skip }: { skip: (condition: boolean, note?: string) => void }): void {
  skip(!hasOpenssl, 'openssl is not installed: not cross-checked');
}

function openssl(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl ${args.join(' ')}: ${stderr}${stdout}`);
  return stdout + stderr;
}

const DAY = 86_400_000;
const now = Date.parse('2026-11-15T00:00:00Z');
const validity = { notBefore: now - DAY, notAfter: now + 365 * DAY, serial: Uint8Array.from({ length: 16 }, (_, i) => 255 - i) };
const GROUPS = ['system:open-cluster-management:cluster:c1', 'system:open-cluster-management:c1', 'Schöne Grüße, "x" #1 \\0a'];
const USER = 'system:open-cluster-management:cluster:c1:addon:hello:agent:a1';

const ecPair = await keys.generate('P-256');
const ecCA = await createCertificateAuthority(keys, { ...validity, commonName: 'outrigger-ca' });
const rsaCA = await createCertificateAuthority(keys, { ...validity, commonName: 'rsa-ca', keyPair: await keys.generate('RSA-2048') });
const csr = await createCsr(keys, {
  keyPair: ecPair,
  commonName: USER,
  organizations: GROUPS,
  organizationalUnits: ['u1', 'u2'],
  dnsNames: ['hello.addon.open-cluster-management.io'],
});

describe('certificate requests', () => {
  it('are read back with every part', async () => {
    expect(await parseCsr(keys, csr)).toMatchObject({
      subject: { commonName: USER, organizations: GROUPS, organizationalUnits: ['u1', 'u2'] },
      otherSubjectAttributes: [],
      altNames: { dnsNames: ['hello.addon.open-cluster-management.io'], ips: [], uris: [], emails: [], others: [] },
      isCA: false,
      extensions: [{ oid: '2.5.29.17' }],
      otherAttributes: [],
      publicKey: { algorithm: 'EC', curve: 'P-256' },
    });
  });

  it('carry an RSA key as well', async () => {
    const pem = await createCsr(keys, { keyPair: await keys.generate('RSA-2048'), commonName: 'rsa' });
    expect((await parseCsr(keys, pem)).publicKey).toMatchObject({ algorithm: 'RSA', bits: 2048 });
  });

  it('are accepted by openssl, with one RDN for each organization', (context) => {
    needOpenssl(context);
    const text = openssl(
      'req',
      '-in',
      file(csr),
      '-verify',
      '-noout',
      '-subject',
      '-nameopt',
      'RFC2253,utf8,-esc_msb,sep_comma_plus_space',
    );
    expect(text).toMatch(/verify OK/);
    expect(text).toContain(`CN=${USER}, OU=u2, OU=u1, O=Sch`);
    expect(text).toContain('O=system:open-cluster-management:c1, O=system:open-cluster-management:cluster:c1');
  });

  it('made by openssl are read with all requested fields', async (context) => {
    needOpenssl(context);
    const config = file(`[req]
prompt=no
distinguished_name=dn
req_extensions=ext
attributes=attrs
[dn]
O=g1
1.O=g2
OU=unit
L=Berlin
CN=evil
[attrs]
challengePassword=secret
[ext]
basicConstraints=critical,CA:TRUE
keyUsage=keyCertSign
extendedKeyUsage=serverAuth
subjectAltName=DNS:a.example,IP:10.0.0.1,IP:::1,URI:https://x.example/,email:me@x.example,RID:1.2.3.4
1.2.3.4.5=ASN1:UTF8String:unknown
`);
    const key = join(folder, 'evil.key');
    const pem = openssl('req', '-new', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-config', config, '-sha384').replace(
      /^[^-]*(?=-----BEGIN)/s,
      '',
    );
    expect(await parseCsr(keys, pem.slice(pem.indexOf('-----BEGIN CERT')))).toMatchObject({
      subject: { commonName: 'evil', organizations: ['g1', 'g2'], organizationalUnits: ['unit'] },
      otherSubjectAttributes: ['L=Berlin'],
      altNames: {
        dnsNames: ['a.example'],
        ips: ['10.0.0.1', '::1'],
        uris: ['https://x.example/'],
        emails: ['me@x.example'],
        others: ['id:1.2.3.4'],
      },
      isCA: true,
      extensions: [
        { oid: '2.5.29.19', critical: true },
        { oid: '2.5.29.15' },
        { oid: '2.5.29.37' },
        { oid: '2.5.29.17' },
        { oid: '1.2.3.4.5', critical: false, value: '0c07756e6b6e6f776e' },
      ],
      otherAttributes: ['1.2.840.113549.1.9.7'],
    });
  });

  it.for([
    'otherName:1.2.3;UTF8:x',
    'otherName:1.3.6.1.4.1.311.20.2.3;UTF8:me@x.example',
    'DNS:a.example,otherName:1.2.3;UTF8:x',
    'dirName:dn',
    'RID:1.2.3',
    'DER:30:02:a3:00', // x400Address
    'DER:30:02:a5:00', // ediPartyName
    'DER:30:02:89:00', // a type that does not exist
  ])('AT-05 never hide an alternative name: %s', async (name, context) => {
    needOpenssl(context);
    const config = file(`[req]\nprompt=no\ndistinguished_name=dn\nreq_extensions=ext\n[dn]\nCN=evil\n[ext]\nsubjectAltName=${name}\n`);
    const pem = openssl('req', '-new', '-newkey', 'rsa:2048', '-nodes', '-keyout', join(folder, 'odd.key'), '-config', config);
    const reading = parseCsr(keys, pem.slice(pem.indexOf('-----BEGIN CERT')));
    expect(
      await reading.then(
        ({ altNames }) => altNames.others.length,
        () => 'refused',
      ),
    ).toBe(name.startsWith('DER') ? 'refused' : 1);
  });

  it('with a changed byte are refused', async () => {
    const [block] = decodePem(csr);
    const bytes = Uint8Array.from(block?.bytes ?? []);
    const at = Buffer.from(bytes).indexOf('hello:agent');
    bytes[at] = 'j'.charCodeAt(0);
    await expect(parseCsr(keys, encodePem('CERTIFICATE REQUEST', bytes))).rejects.toThrow('not signed by the key it carries');
  });

  const malformed: readonly [name: string, pem: string, message: string][] = [
    ['nothing', '', 'expected a PEM block "CERTIFICATE REQUEST", found none'],
    ['another kind', encodePem('CERTIFICATE', Uint8Array.of(1)), 'found "CERTIFICATE"'],
    ['two requests', csr + csr, 'expected one PEM block, found 2'],
    ['no end', csr.replace(/-----END.*/, ''), 'has no end'],
    ['no base64', csr.replace('MII', 'M!I'), /base64|malformed/ as unknown as string],
    ['rubbish inside', encodePem('CERTIFICATE REQUEST', new Uint8Array(100)), 'certificate request is malformed'],
    ['a very long one', encodePem('CERTIFICATE REQUEST', new Uint8Array(70_000)), 'at most 65536'],
    ['a cut one', encodePem('CERTIFICATE REQUEST', (decodePem(csr)[0]?.bytes ?? new Uint8Array()).slice(0, 200)), 'malformed'],
  ];
  it.each(malformed)('malformed: %s', async (_name, pem, message) => {
    await expect(parseCsr(keys, pem)).rejects.toThrow(message);
  });

  it('damaged anywhere, give an Error and nothing else', async () => {
    const original = decodePem(csr)[0]?.bytes ?? new Uint8Array();
    await fc.assert(
      fc.asyncProperty(fc.nat(original.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const bytes = Uint8Array.from(original);
        bytes[at] = (bytes[at] ?? 0) ^ flip;
        await expect(parseCsr(keys, encodePem('CERTIFICATE REQUEST', bytes))).rejects.toThrow(/certificate request/);
      }),
      { numRuns: 60 },
    );
  });

  it('damaged by one bit around the signature, are refused as well though nothing there is signed', async () => {
    const original = decodePem(csr)[0]?.bytes ?? new Uint8Array();
    // The request starts with two headers of four bytes. The second contains the length of the signed part, which the algorithm and the
    // signature follow.
    const signedEnd = 8 + (original[6] ?? 0) * 256 + (original[7] ?? 0);
    const accepted: string[] = [];
    for (let at = signedEnd; at < original.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const bytes = Uint8Array.from(original);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        await parseCsr(keys, encodePem('CERTIFICATE REQUEST', bytes)).then(
          () => accepted.push(`${at}:${bit}`),
          () => undefined,
        );
      }
    }
    expect(accepted).toEqual([]);
  });
});

function sign(ca: CertificateAuthority, options: Partial<SignOptions> = {}): Promise<string> {
  return signCertificate(keys, {
    ...validity,
    csr,
    ca: ca.certificate,
    caKey: ca.key,
    usages: ['digital signature', 'client auth'],
    notAfter: now + 30 * DAY,
    ...options,
  });
}

describe.each([
  ['an EC authority', ecCA],
  ['an RSA authority', rsaCA],
])('certificates signed by %s', (_name, ca) => {
  it('contain subject and chosen usages, and no requested extension', async () => {
    const info = await readCertificate(keys, await sign(ca));
    expect(info).toMatchObject({
      subject: { commonName: USER, organizations: GROUPS, organizationalUnits: ['u1', 'u2'] },
      notBefore: now - DAY,
      notAfter: now + 30 * DAY,
      isCA: false,
      usages: ['client auth'],
      altNames: { dnsNames: [], ips: [] },
    });
    expect(info.serialNumber).toBe('7ffefdfcfbfaf9f8f7f6f5f4f3f2f1f0');
  });

  it('agree with the platform', async () => {
    const pem = await sign(ca);
    const native = new X509Certificate(pem);
    expect(native.verify(new X509Certificate(ca.certificate).publicKey)).toBe(true);
    expect(native.checkIssued(new X509Certificate(ca.certificate))).toBe(true);
    expect(native.ca).toBe(false);
    expect(native.subject.split('\n').filter((part) => part.startsWith('O='))).toHaveLength(GROUPS.length);
    const info = await readCertificate(keys, pem);
    expect(info.fingerprint).toBe(native.fingerprint256.replaceAll(':', '').toLowerCase());
    expect(Buffer.from(info.publicKey.spki).equals(native.publicKey.export({ type: 'spki', format: 'der' }))).toBe(true);
  });

  it('pass openssl in strict mode, for the purpose they were made', async (context) => {
    needOpenssl(context);
    const pem = await sign(ca);
    const verify = (purpose: string): string =>
      openssl('verify', '-x509_strict', '-attime', String(now / 1000), '-purpose', purpose, '-CAfile', file(ca.certificate), file(pem));
    expect(verify('sslclient')).toMatch(/: OK/);
    expect(() => verify('sslserver')).toThrow(/unsuitable|purpose/);
  });

  it('never outlive the authority', async () => {
    expect((await readCertificate(keys, await sign(ca, { notAfter: now + 9999 * DAY }))).notAfter).toBe(validity.notAfter);
  });
});

describe('signing refuses', () => {
  it('a key that is too weak', async () => {
    const weak = await webcrypto.subtle.generateKey({ ...ALGORITHMS['RSA-2048'], modulusLength: 1024 }, true, ['sign', 'verify']);
    const pem = await createCsr(keys, { keyPair: weak, commonName: 'x' });
    await expect(sign(ecCA, { csr: pem })).rejects.toThrow('RSA key of 1024 bits is too small');
  });
  it('a certificate that is not an authority', async () => {
    await expect(sign({ ...ecCA, certificate: await sign(ecCA) })).rejects.toThrow('is no certificate authority');
  });
  it('usages of an authority, and unknown ones', async () => {
    await expect(sign(ecCA, { usages: ['cert sign'] })).rejects.toThrow('not granted to others');
    await expect(sign(ecCA, { usages: ['code signing' as never] })).rejects.toThrow('unsupported key usage "code signing"');
  });
  it('a life that ends before it begins, and serial numbers that are too short', async () => {
    await expect(sign(ecCA, { notBefore: now + 31 * DAY })).rejects.toThrow('end after it begins');
    await expect(sign(ecCA, { serial: Uint8Array.of(1) })).rejects.toThrow('8 to 20 bytes');
  });
});

describe('authorities, servers and clients', () => {
  it('an authority certifies itself and may not create others', async () => {
    const native = new X509Certificate(ecCA.certificate);
    expect(native.ca).toBe(true);
    expect(native.checkIssued(native)).toBe(true);
    expect(await readCertificate(keys, ecCA.certificate)).toMatchObject({ isCA: true, subject: { commonName: 'outrigger-ca' } });
  });
  it('a server answers for its names and addresses', async () => {
    const server = await issueServerCertificate(keys, {
      ...validity,
      ca: ecCA.certificate,
      caKey: ecCA.key,
      commonName: 'hub',
      dnsNames: ['localhost', 'hub.example'],
      ips: ['127.0.0.1', '::1'],
    });
    const native = new X509Certificate(server.certificate);
    expect(native.checkHost('hub.example')).toBe('hub.example');
    expect(native.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(native.checkIP('::1')).toBe('::1');
    expect(native.checkPrivateKey(createPrivateKey(server.privateKey))).toBe(true);
    expect((await readCertificate(keys, server.certificate)).usages).toEqual(['server auth']);
  });
  it('a client carries user and groups', async () => {
    const client = await issueClientCertificate(keys, {
      ...validity,
      ca: rsaCA.certificate,
      caKey: rsaCA.key,
      commonName: 'kubernetes-admin',
      organizations: ['system:masters'],
    });
    expect(await readCertificate(keys, client.certificate)).toMatchObject({
      subject: { commonName: 'kubernetes-admin', organizations: ['system:masters'] },
      issuer: { commonName: 'rsa-ca' },
      usages: ['client auth'],
    });
  });
  it('a bundle gives all its certificates, and damage is named', async () => {
    expect((await readCertificates(keys, ecCA.certificate + rsaCA.certificate)).map(({ subject }) => subject.commonName)).toEqual([
      'outrigger-ca',
      'rsa-ca',
    ]);
    await expect(readCertificate(keys, 'nothing')).rejects.toThrow('no PEM block "CERTIFICATE" found');
    await expect(readCertificate(keys, encodePem('CERTIFICATE', Uint8Array.of(0x30, 0)))).rejects.toThrow('certificate 1 is malformed');
  });
});

describe('private keys', () => {
  const forms: readonly [name: string, args: string[]][] = [
    ['PKCS#8, EC P-256', ['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256']],
    ['PKCS#8, RSA', ['genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048']],
    ['SEC 1 with parameters, P-256', ['ecparam', '-name', 'prime256v1', '-genkey']],
    ['SEC 1, P-384', ['ecparam', '-name', 'secp384r1', '-genkey', '-noout']],
    ['SEC 1, P-521', ['ecparam', '-name', 'secp521r1', '-genkey', '-noout']],
    ['PKCS#1, RSA', ['genrsa', '-traditional', '2048']],
  ];
  for (const [name, args] of forms) {
    it(`${name}: imported, exported, and able to sign`, async (context) => {
      needOpenssl(context);
      const pem = openssl(...args);
      const key = await importPrivateKey(keys, pem);
      const exported = createPrivateKey(await exportPrivateKey(keys, key));
      expect(exported.equals(createPrivateKey(pem.slice(pem.lastIndexOf('-----BEGIN'))))).toBe(true);
      const ca = await createCertificateAuthority(keys, {
        ...validity,
        commonName: name,
        keyPair: await pairOf(key, exported),
      });
      expect(new X509Certificate(ca.certificate).checkPrivateKey(exported)).toBe(true);
    });
  }

  async function pairOf(privateKey: webcrypto.CryptoKey, exported: KeyObject): Promise<webcrypto.CryptoKeyPair> {
    const spki = createPublicKey(exported).export({ type: 'spki', format: 'der' });
    return {
      privateKey,
      publicKey: await webcrypto.subtle.importKey('spki', Uint8Array.from(spki), privateKey.algorithm, true, ['verify']),
    };
  }

  it('that cannot be parsed report why', async () => {
    await expect(importPrivateKey(keys, '')).rejects.toThrow('no PEM block with a private key');
    await expect(importPrivateKey(keys, encodePem('PRIVATE KEY', Uint8Array.of(1, 2)))).rejects.toThrow('cannot read the private key');
    await expect(importPrivateKey(keys, encodePem('ENCRYPTED PRIVATE KEY', Uint8Array.of(48, 0)))).rejects.toThrow('not supported');
    await expect(
      importPrivateKey(keys, '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END RSA PRIVATE KEY-----'),
    ).rejects.toThrow('is encrypted');
  });
});
