import type { JsonNameParams, Name, PublicKey } from '@peculiar/x509';

/** The parts of a name that Kubernetes reads: user, groups, units. */
export interface Subject {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly organizationalUnits: readonly string[];
}

export interface PublicKeyInfo {
  readonly algorithm: 'EC' | 'RSA' | 'other';
  /** The curve of an EC key, such as `P-256`. */
  readonly curve?: string;
  /** The size of an RSA key. */
  readonly bits?: number;
  /** The key as DER SubjectPublicKeyInfo. */
  readonly spki: Uint8Array<ArrayBuffer>;
}

const OID = { commonName: '2.5.4.3', organization: '2.5.4.10', organizationalUnit: '2.5.4.11' } as const;
const READABLE = new Set(['CN', 'O', 'OU']);

/** Returns a name with one RDN per value. Go also accepts multi-valued RDNs, but openssl and users expect this form. */
export function toName({ commonName, organizations, organizationalUnits }: Subject): JsonNameParams {
  return [
    ...organizations.map((value) => ({ [OID.organization]: [toAttribute(value)] })),
    ...organizationalUnits.map((value) => ({ [OID.organizationalUnit]: [toAttribute(value)] })),
    ...(commonName === '' ? [] : [{ [OID.commonName]: [toAttribute(commonName)] }]),
  ];
}

/** Returns an attribute as a typed string, because the library interprets `#…`, quotes and backslashes in plain strings. */
function toAttribute(value: string): { printableString: string } | { utf8String: string } {
  return /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(value) ? { printableString: value } : { utf8String: value };
}

export function toSubject(name: Name): Subject {
  return {
    commonName: name.getField(OID.commonName).at(-1) ?? '',
    organizations: name.getField(OID.organization),
    organizationalUnits: name.getField(OID.organizationalUnit),
  };
}

/** Returns the attributes other than CN, O and OU, such as `L=Berlin`, including further common names. */
export function otherAttributes(name: Name): string[] {
  const surplusNames = name.getField(OID.commonName).slice(0, -1);
  const others = name.toJSON().flatMap((rdn) => Object.entries(rdn).filter(([type]) => !READABLE.has(type)));
  return [...surplusNames.map((value) => `CN=${value}`), ...others.flatMap(([type, values]) => values.map((value) => `${type}=${value}`))];
}

export function toPublicKeyInfo(key: PublicKey): PublicKeyInfo {
  const spki = new Uint8Array(key.rawData);
  const { name } = key.algorithm;
  if (name.startsWith('RSA')) return { algorithm: 'RSA', bits: (key.algorithm as RsaKeyGenParams).modulusLength, spki };
  if (name === 'ECDSA' || name === 'ECDH') return { algorithm: 'EC', curve: (key.algorithm as EcKeyGenParams).namedCurve, spki };
  return { algorithm: 'other', spki };
}

/** Returns the reason why a key is too weak for a certificate, or undefined if it is strong enough. */
export function weakKeyReason({ algorithm, bits = 0, curve = '' }: PublicKeyInfo): string | undefined {
  if (algorithm === 'RSA') return bits >= 2048 ? undefined : `RSA key of ${bits} bits is too small, at least 2048 are needed`;
  if (algorithm === 'EC') return ['P-256', 'P-384', 'P-521'].includes(curve) ? undefined : `curve ${curve} is not supported`;
  return 'only RSA and EC keys are supported';
}
