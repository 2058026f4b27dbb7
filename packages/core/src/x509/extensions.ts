import type { Extension } from '@peculiar/x509';
import type { X509Library } from './library.js';

/** Key usages, spelled as in `CertificateSigningRequest.spec.usages`. */
export type CertificateUsage =
  | 'digital signature'
  | 'key encipherment'
  | 'key agreement'
  | 'cert sign'
  | 'crl sign'
  | 'client auth'
  | 'server auth';

const FLAGS = {
  'digital signature': 'digitalSignature',
  'key encipherment': 'keyEncipherment',
  'key agreement': 'keyAgreement',
  'cert sign': 'keyCertSign',
  'crl sign': 'cRLSign',
} as const;

const EXTENDED = { 'client auth': '1.3.6.1.5.5.7.3.2', 'server auth': '1.3.6.1.5.5.7.3.1' } as const;

/** Returns the usage extensions for a list of usages. Throws if one is unknown. */
export function usageExtensions(library: X509Library, usages: readonly CertificateUsage[]): Extension[] {
  let flags = 0;
  const extended: string[] = [];
  for (const usage of usages) {
    if (Object.hasOwn(FLAGS, usage)) flags |= library.KeyUsageFlags[FLAGS[usage as keyof typeof FLAGS]];
    else if (Object.hasOwn(EXTENDED, usage)) extended.push(EXTENDED[usage as keyof typeof EXTENDED]);
    else throw new Error(`unsupported key usage "${usage}"`);
  }
  return [
    ...(flags === 0 ? [] : [new library.KeyUsagesExtension(flags, true)]),
    ...(extended.length === 0 ? [] : [new library.ExtendedKeyUsageExtension(extended)]),
  ];
}

/** Returns the extended usages of a certificate in Kubernetes' spelling. Unknown usages are returned as object identifiers. */
export function usageNames(identifiers: readonly string[]): string[] {
  const names = new Map<string, string>(Object.entries(EXTENDED).map(([name, identifier]) => [identifier, name]));
  return identifiers.map((identifier) => names.get(identifier) ?? identifier);
}

export function altNameExtension(library: X509Library, dnsNames: readonly string[], ips: readonly string[]): Extension[] {
  if (dnsNames.length + ips.length === 0) return [];
  return [
    new library.SubjectAlternativeNameExtension([
      ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
      ...ips.map((value) => ({ type: 'ip' as const, value })),
    ]),
  ];
}
