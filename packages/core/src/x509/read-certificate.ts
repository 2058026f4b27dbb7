import type { X509Certificate } from '@peculiar/x509';
import type { Keys } from '../runtime.js';
import { altNamesOf, type SubjectAltNames } from './csr.js';
import { usageNames } from './extensions.js';
import { toHex } from './keys.js';
import { loadX509, type X509Library } from './library.js';
import { decodePem } from './pem.js';
import { type PublicKeyInfo, type Subject, toPublicKeyInfo, toSubject } from './subject.js';

export interface CertificateInfo {
  readonly subject: Subject;
  readonly issuer: Subject;
  /** The serial number in hexadecimal, without leading zeros. */
  readonly serialNumber: string;
  /** The validity in milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly isCA: boolean;
  readonly altNames: SubjectAltNames;
  /** The extended usages: `client auth`, `server auth`, or an object identifier. */
  readonly usages: readonly string[];
  readonly publicKey: PublicKeyInfo;
  /** The SHA-256 of the DER, in lower-case hex. */
  readonly fingerprint: string;
}

/** Parses the first certificate in a PEM text. Nothing is verified. */
export async function readCertificate(keys: Keys, pem: string): Promise<CertificateInfo> {
  const [first] = await readCertificates(keys, pem);
  if (first === undefined) throw new Error('no PEM block "CERTIFICATE" found');
  return first;
}

/** Parses all certificates in a PEM text, such as a CA bundle. Nothing is verified. */
export async function readCertificates(keys: Keys, pem: string): Promise<CertificateInfo[]> {
  const blocks = decodePem(pem).filter(({ label }) => label === 'CERTIFICATE');
  const library = await loadX509();
  return Promise.all(
    blocks.map(async ({ bytes }, i) => {
      const fingerprint = toHex(new Uint8Array(await keys.subtle.digest('SHA-256', bytes)));
      try {
        return describe(library, new library.X509Certificate(bytes), fingerprint);
      } catch (error) {
        throw new Error(`certificate ${i + 1} is malformed: ${(error as Error).message}`, { cause: error });
      }
    }),
  );
}

function describe(library: X509Library, certificate: X509Certificate, fingerprint: string): CertificateInfo {
  return {
    subject: toSubject(certificate.subjectName),
    issuer: toSubject(certificate.issuerName),
    serialNumber: certificate.serialNumber.replace(/^0+(?=.)/, ''),
    notBefore: certificate.notBefore.getTime(),
    notAfter: certificate.notAfter.getTime(),
    isCA: certificate.getExtension(library.BasicConstraintsExtension)?.ca ?? false,
    altNames: altNamesOf(library, certificate.extensions),
    usages: usageNames((certificate.getExtension(library.ExtendedKeyUsageExtension)?.usages ?? []).map(String)),
    publicKey: toPublicKeyInfo(certificate.publicKey),
    fingerprint,
  };
}
