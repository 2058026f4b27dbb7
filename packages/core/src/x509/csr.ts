import type { Extension, Pkcs10CertificateRequest } from '@peculiar/x509';
import type { Keys } from '../runtime.js';
import { type DerValue, TAG, readSequence } from './der.js';
import { altNameExtension } from './extensions.js';
import { toHex } from './keys.js';
import { cryptoOf, loadX509, signingAlgorithm, type X509Library } from './library.js';
import { decodeOnlyPem, encodePem } from './pem.js';
import { otherAttributes, type PublicKeyInfo, type Subject, toName, toPublicKeyInfo, toSubject } from './subject.js';

export interface CreateCsrOptions {
  readonly keyPair: CryptoKeyPair;
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly organizationalUnits?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly ips?: readonly string[];
}

export interface SubjectAltNames {
  readonly dnsNames: readonly string[];
  readonly ips: readonly string[];
  readonly uris: readonly string[];
  readonly emails: readonly string[];
  /** The names of other types, as `<type>:<value>`. */
  readonly others: readonly string[];
}

export interface RequestedExtension {
  readonly oid: string;
  readonly critical: boolean;
  /** The value in DER, as hex. */
  readonly value: string;
}

/**
 * A verified request: well-formed, and signed by the key that it contains. The parser does not check whether the content of the request is
 * acceptable.
 */
export interface ParsedCsr {
  readonly subject: Subject;
  /** The attributes of the subject other than CN, O and OU, such as `L=Berlin`. */
  readonly otherSubjectAttributes: readonly string[];
  readonly altNames: SubjectAltNames;
  /** Whether the request is for a CA certificate. */
  readonly isCA: boolean;
  /** Every requested extension, including the known ones. */
  readonly extensions: readonly RequestedExtension[];
  /** The object identifiers of attributes other than extension requests (challenge passwords and the like). */
  readonly otherAttributes: readonly string[];
  readonly publicKey: PublicKeyInfo;
}

const PEM_LABEL = 'CERTIFICATE REQUEST';
const MAX_CSR_BYTES = 64 * 1024;
const OID = { extensionRequest: '1.2.840.113549.1.9.14', subjectAltName: '2.5.29.17', basicConstraints: '2.5.29.19' } as const;

/** Creates a PKCS#10 request, in PEM, signed with the key pair. */
export async function createCsr(keys: Keys, options: CreateCsrOptions): Promise<string> {
  const library = await loadX509();
  const { keyPair, commonName, organizations = [], organizationalUnits = [], dnsNames = [], ips = [] } = options;
  const request = await library.Pkcs10CertificateRequestGenerator.create(
    {
      name: new library.Name(toName({ commonName, organizations, organizationalUnits })),
      keys: keyPair,
      signingAlgorithm: signingAlgorithm(keyPair.privateKey),
      extensions: altNameExtension(library, dnsNames, ips),
    },
    cryptoOf(keys),
  );
  return encodePem(PEM_LABEL, request.rawData);
}

/** Parses a request in PEM and verifies its signature. Throws an Error with the reason if it is invalid. */
export async function parseCsr(keys: Keys, pem: string): Promise<ParsedCsr> {
  const library = await loadX509();
  const { bytes } = decodeOnlyPem(pem, PEM_LABEL);
  if (bytes.length > MAX_CSR_BYTES) throw new Error(`certificate request has ${bytes.length} bytes, at most ${MAX_CSR_BYTES} are allowed`);
  let request: Pkcs10CertificateRequest;
  let parsed: ParsedCsr;
  try {
    const signature = readSignature(bytes);
    request = new library.Pkcs10CertificateRequest(bytes);
    parsed = describe(library, request);
    if (parsed.publicKey.algorithm === 'EC') assertTags(readSequence(signature), [TAG.integer, TAG.integer]);
  } catch (error) {
    throw new Error(`certificate request is malformed: ${(error as Error).message}`, { cause: error });
  }
  if (!(await isSignatureValid(keys, request))) throw new Error('certificate request is not signed by the key it carries');
  return parsed;
}

/**
 * Returns the signature of a request. Strictly checks the bytes around the signed part (the wrapping sequence and any trailing bytes),
 * because the library does not.
 */
function readSignature(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const members = readSequence(bytes);
  assertTags(members, [TAG.sequence, TAG.sequence, TAG.bitString]);
  const [unusedBits, ...signature] = members[2]?.content ?? [];
  if (unusedBits !== 0) throw new Error('signature is not made of whole bytes');
  return Uint8Array.from(signature);
}

function assertTags(values: readonly DerValue[], tags: readonly number[]): void {
  if (values.length !== tags.length || values.some(({ tag }, i) => tag !== tags[i])) throw new Error('DER values are not those expected');
}

function describe(library: X509Library, request: Pkcs10CertificateRequest): ParsedCsr {
  const extensions = requestedExtensions(library, request);
  return {
    subject: toSubject(request.subjectName),
    otherSubjectAttributes: otherAttributes(request.subjectName),
    altNames: altNamesOf(library, extensions),
    isCA: extensions.some((extension) => extension instanceof library.BasicConstraintsExtension && extension.ca),
    extensions: extensions.map(({ type, critical, value }) => ({ oid: type, critical, value: toHex(new Uint8Array(value)) })),
    otherAttributes: request.attributes.map(({ type }) => type).filter((type) => type !== OID.extensionRequest),
    publicKey: toPublicKeyInfo(request.publicKey),
  };
}

/** Returns every requested extension. Reads all extension request attributes, not only the first, so that no extension is ignored. */
function requestedExtensions(library: X509Library, request: Pkcs10CertificateRequest): Extension[] {
  return request.getAttributes(OID.extensionRequest).flatMap((attribute) => {
    if (attribute instanceof library.ExtensionsAttribute) return attribute.items;
    throw new Error('extension request cannot be read');
  });
}

/**
 * Returns the alternative names. The library drops names of types that it does not know, such as an otherName. To detect this, the function
 * counts the names in the DER of the extension.
 */
export function altNamesOf(library: X509Library, extensions: readonly Extension[]): SubjectAltNames {
  const named = extensions.filter((extension) => extension.type === OID.subjectAltName);
  const names = named.flatMap((extension) => {
    if (extension instanceof library.SubjectAlternativeNameExtension) return extension.names.items;
    throw new Error('subject alternative names cannot be read');
  });
  const dropped = named.reduce((sum, { value }) => sum + readSequence(new Uint8Array(value)).length, 0) - names.length;
  const ofType = (type: string): string[] => names.filter((name) => name.type === type).map((name) => name.value);
  const known = new Set(['dns', 'ip', 'url', 'email']);
  return {
    dnsNames: ofType('dns'),
    ips: ofType('ip'),
    uris: ofType('url'),
    emails: ofType('email'),
    others: [
      ...names.filter((name) => !known.has(name.type)).map((name) => `${name.type}:${name.value}`),
      ...Array.from({ length: dropped }, () => 'a name of another type'),
    ],
  };
}

async function isSignatureValid(keys: Keys, request: Pkcs10CertificateRequest): Promise<boolean> {
  try {
    return await request.verify(cryptoOf(keys));
  } catch (error) {
    throw new Error(`certificate request: signature cannot be checked: ${(error as Error).message}`, { cause: error });
  }
}
