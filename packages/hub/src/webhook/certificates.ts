import type { Runtime } from '@outrigger/core';
import { type IssuedCertificate, importPrivateKey, issueServerCertificate } from '@outrigger/core/x509';

/** A certificate becomes valid this long before it is created, because clocks differ slightly. */
export const BACKDATE_MS: number = 5 * 60_000;

export interface ServingNames {
  readonly dnsNames?: readonly string[];
  readonly ips?: readonly string[];
}

export async function issueServingCertificate(
  runtime: Runtime,
  authority: IssuedCertificate,
  names: ServingNames,
  lifeMs: number,
): Promise<IssuedCertificate> {
  const caKey = await importPrivateKey(runtime.keys, authority.privateKey);
  return issueServerCertificate(runtime.keys, {
    commonName: names.dnsNames?.[0] ?? names.ips?.[0] ?? 'outrigger-webhook',
    ...names,
    ca: authority.certificate,
    caKey,
    ...validity(runtime, lifeMs),
  });
}

export function validity({ clock, random }: Runtime, lifeMs: number): { notBefore: number; notAfter: number; serial: Uint8Array } {
  const now = clock.now();
  return { notBefore: now - BACKDATE_MS, notAfter: now + lifeMs, serial: random.bytes(16) };
}
