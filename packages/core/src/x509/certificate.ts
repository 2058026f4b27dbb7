import type { Extension, Name, PublicKey, X509Certificate } from '@peculiar/x509';
import type { Keys } from '../runtime.js';
import { parseCsr } from './csr.js';
import { altNameExtension, type CertificateUsage, usageExtensions } from './extensions.js';
import { exportPrivateKey, toHex } from './keys.js';
import { cryptoOf, loadX509, signingAlgorithm, type X509Library } from './library.js';
import { decodePem, encodePem } from './pem.js';
import { type Subject, toName, weakKeyReason } from './subject.js';

interface Validity {
  /** The validity in milliseconds since the epoch. Certificates store whole seconds. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** The serial number: 8 to 20 random bytes. */
  readonly serial: Uint8Array;
}

interface Issuer {
  /** The authority's certificate, in PEM. */
  readonly ca: string;
  readonly caKey: CryptoKey;
}

export interface SignOptions extends Validity, Issuer {
  /** The request, in PEM. The certificate contains the key and subject of the request, but none of its extensions. */
  readonly csr: string;
  readonly usages: readonly CertificateUsage[];
  /** The names to certify, which the signer chooses. By default, there are none. */
  readonly dnsNames?: readonly string[];
  readonly ips?: readonly string[];
}

export interface IssueOptions extends Validity, Issuer {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly ips?: readonly string[];
  /** The key pair to certify. Defaults to a new P-256 key pair. */
  readonly keyPair?: CryptoKeyPair;
}

export interface CertificateAuthorityOptions extends Validity {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** The key pair to certify. Defaults to a new P-256 key pair. */
  readonly keyPair?: CryptoKeyPair;
}

/** A certificate with its key, all in PEM. The key is PKCS#8. */
export interface IssuedCertificate {
  readonly certificate: string;
  readonly privateKey: string;
}

export interface CertificateAuthority extends IssuedCertificate {
  readonly key: CryptoKey;
}

/** Creates a self-signed authority that can sign certificates, but not other authorities. */
export async function createCertificateAuthority(keys: Keys, options: CertificateAuthorityOptions): Promise<CertificateAuthority> {
  const library = await loadX509();
  const keyPair = options.keyPair ?? (await keys.generate('P-256'));
  const name = new library.Name(toName(subjectOf(options)));
  const publicKey = await library.PublicKey.create(keyPair.publicKey, cryptoOf(keys));
  const keyId = await keyIdentifier(keys, publicKey);
  const certificate = await create(library, keys, {
    ...options,
    subject: name,
    issuer: name,
    publicKey,
    signingKey: keyPair.privateKey,
    extensions: [
      new library.BasicConstraintsExtension(true, 0, true),
      ...usageExtensions(library, ['digital signature', 'cert sign', 'crl sign']),
      new library.SubjectKeyIdentifierExtension(keyId),
      new library.AuthorityKeyIdentifierExtension(keyId),
    ],
  });
  return { certificate: pemOf(certificate), key: keyPair.privateKey, privateKey: await exportPrivateKey(keys, keyPair.privateKey) };
}

/**
 * Certifies a request's key and subject (CN, O, OU) with extensions that the signer chooses. The request's signature is verified again,
 * weak keys are rejected, and the certificate never outlives the authority. The caller must first decide whether the requester may have
 * this subject.
 */
export async function signCertificate(keys: Keys, options: SignOptions): Promise<string> {
  const request = await parseCsr(keys, options.csr);
  const weakness = weakKeyReason(request.publicKey);
  if (weakness !== undefined) throw new Error(`certificate request refused: ${weakness}`);
  const library = await loadX509();
  return issue(library, keys, { ...options, subject: request.subject, publicKey: new library.PublicKey(request.publicKey.spki) });
}

/** Issues a certificate, with a new key, to serve TLS under the names. */
export function issueServerCertificate(keys: Keys, options: IssueOptions): Promise<IssuedCertificate> {
  return issueWithKey(keys, options, ['digital signature', 'key encipherment', 'server auth']);
}

/** Issues a certificate, with a new key, to authenticate as user `commonName` in groups `organizations`. */
export function issueClientCertificate(keys: Keys, options: IssueOptions): Promise<IssuedCertificate> {
  return issueWithKey(keys, options, ['digital signature', 'key encipherment', 'client auth']);
}

async function issueWithKey(keys: Keys, options: IssueOptions, usages: readonly CertificateUsage[]): Promise<IssuedCertificate> {
  const library = await loadX509();
  const keyPair = options.keyPair ?? (await keys.generate('P-256'));
  const publicKey = await library.PublicKey.create(keyPair.publicKey, cryptoOf(keys));
  const certificate = await issue(library, keys, { ...options, subject: subjectOf(options), publicKey, usages });
  return { certificate, privateKey: await exportPrivateKey(keys, keyPair.privateKey) };
}

interface Issuance extends Validity, Issuer {
  readonly subject: Subject;
  readonly publicKey: PublicKey;
  readonly usages: readonly CertificateUsage[];
  readonly dnsNames?: readonly string[];
  readonly ips?: readonly string[];
}

async function issue(library: X509Library, keys: Keys, issuance: Issuance): Promise<string> {
  const { usages, dnsNames = [], ips = [], publicKey } = issuance;
  if (usages.includes('cert sign') || usages.includes('crl sign')) throw new Error('usages of an authority are not granted to others');
  const ca = readAuthority(library, issuance.ca);
  const certificate = await create(library, keys, {
    ...issuance,
    subject: new library.Name(toName(issuance.subject)),
    issuer: ca.subjectName,
    notAfter: Math.min(issuance.notAfter, ca.notAfter.getTime()),
    signingKey: issuance.caKey,
    extensions: [
      new library.BasicConstraintsExtension(false, undefined, true),
      ...usageExtensions(library, usages),
      ...altNameExtension(library, dnsNames, ips),
      new library.SubjectKeyIdentifierExtension(await keyIdentifier(keys, publicKey)),
      new library.AuthorityKeyIdentifierExtension(await authorityKeyIdentifier(library, keys, ca)),
    ],
  });
  if (!(await isSignedBy(certificate, ca, keys))) throw new Error('the private key does not belong to the certificate of the authority');
  return pemOf(certificate);
}

/** Whether the key of the authority's certificate verifies the signature. A key of another algorithm cannot verify it. */
async function isSignedBy(certificate: X509Certificate, ca: X509Certificate, keys: Keys): Promise<boolean> {
  try {
    return await certificate.verify({ publicKey: ca.publicKey, signatureOnly: true }, cryptoOf(keys));
  } catch {
    return false;
  }
}

function pemOf(certificate: X509Certificate): string {
  return encodePem('CERTIFICATE', certificate.rawData);
}

interface Creation extends Validity {
  readonly subject: Name;
  readonly issuer: Name;
  readonly publicKey: PublicKey;
  readonly signingKey: CryptoKey;
  readonly extensions: Extension[];
}

function create(library: X509Library, keys: Keys, creation: Creation): Promise<X509Certificate> {
  const { subject, issuer, publicKey, signingKey, extensions, notBefore, notAfter, serial } = creation;
  if (!(notBefore < notAfter)) throw new Error('a certificate must end after it begins');
  return library.X509CertificateGenerator.create(
    {
      serialNumber: serialNumber(serial),
      subject,
      issuer,
      notBefore: wholeSeconds(notBefore),
      notAfter: wholeSeconds(notAfter),
      publicKey,
      signingKey,
      signingAlgorithm: signingAlgorithm(signingKey),
      extensions,
    },
    cryptoOf(keys),
  );
}

function readAuthority(library: X509Library, pem: string): X509Certificate {
  const block = decodePem(pem).find(({ label }) => label === 'CERTIFICATE');
  if (block === undefined) throw new Error('the authority has no PEM block "CERTIFICATE"');
  const certificate = new library.X509Certificate(block.bytes);
  if (!certificate.getExtension(library.BasicConstraintsExtension)?.ca)
    throw new Error(`${certificate.subject} is no certificate authority`);
  return certificate;
}

async function authorityKeyIdentifier(library: X509Library, keys: Keys, ca: X509Certificate): Promise<string> {
  return ca.getExtension(library.SubjectKeyIdentifierExtension)?.keyId ?? keyIdentifier(keys, ca.publicKey);
}

async function keyIdentifier(keys: Keys, publicKey: PublicKey): Promise<string> {
  return toHex(new Uint8Array(await publicKey.getKeyIdentifier(cryptoOf(keys))));
}

/** Formats a random serial number: positive and without leading zeros, as DER requires of an integer. */
function serialNumber(bytes: Uint8Array): string {
  if (bytes.length < 8 || bytes.length > 20) throw new Error(`a serial number has 8 to 20 bytes, not ${bytes.length}`);
  const [first = 0, ...rest] = bytes;
  return toHex(Uint8Array.of((first & 0x3f) | 0x40, ...rest));
}

/** Returns an instant, rounded down to whole seconds, as a `Date` for the library. */
function wholeSeconds(epochMs: number): Date {
  // oxlint-disable-next-line no-restricted-globals -- converts a given instant, asks no clock
  return new Date(Math.floor(epochMs / 1000) * 1000);
}

function subjectOf({ commonName, organizations = [] }: { commonName: string; organizations?: readonly string[] }): Subject {
  return { commonName, organizations, organizationalUnits: [] };
}
