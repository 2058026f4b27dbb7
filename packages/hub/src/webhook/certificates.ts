import { type Secret, secrets } from '@outrigger/api';
import { type Runtime, isApiError } from '@outrigger/core';
import {
  createCertificateAuthority,
  importPrivateKey,
  issueServerCertificate,
  type IssuedCertificate,
  readCertificate,
} from '@outrigger/core/x509';
import type { Client } from '@outrigger/kube';

const DAY_MS = 24 * 60 * 60_000;
const AUTHORITY_LIFE_MS = 3650 * DAY_MS;
const CERTIFICATE_LIFE_MS = 30 * DAY_MS;
/** Clocks differ a little. */
const BACKDATE_MS = 5 * 60_000;

export const WEBHOOK_AUTHORITY = 'outrigger-webhook-authority';

/** The authority of the webhook's certificates: one for all replicas, kept in the manager's namespace. */
export async function loadAuthority(client: Client, runtime: Runtime, namespace: string): Promise<IssuedCertificate> {
  const key = { namespace, name: WEBHOOK_AUTHORITY };
  const found = await readAuthority(client, key);
  if (found && (await isFresh(found, runtime))) return found;
  const made = await createCertificateAuthority(runtime.keys, { commonName: WEBHOOK_AUTHORITY, ...validity(runtime, AUTHORITY_LIFE_MS) });
  const secret: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: key,
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': btoa(made.certificate), 'tls.key': btoa(made.privateKey) },
  };
  if (found) {
    await client.patch(secrets, key, { type: 'merge', patch: { data: secret.data ?? {} } });
    return made;
  }
  try {
    await client.create(secrets, secret);
    return made;
  } catch (error) {
    // Another replica was faster: its authority is everybody's.
    const theirs = isApiError(error, 'AlreadyExists') ? await readAuthority(client, key) : undefined;
    if (!theirs) throw error;
    return theirs;
  }
}

async function readAuthority(
  client: Client,
  key: { readonly namespace: string; readonly name: string },
): Promise<IssuedCertificate | undefined> {
  try {
    const { data = {} } = await client.get(secrets, key);
    const { 'tls.crt': certificate, 'tls.key': privateKey } = data;
    return certificate === undefined || privateKey === undefined
      ? undefined
      : { certificate: atob(certificate), privateKey: atob(privateKey) };
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function isFresh({ certificate }: IssuedCertificate, runtime: Runtime): Promise<boolean> {
  const { notAfter } = await readCertificate(runtime.keys, certificate);
  return notAfter - runtime.clock.now() > 2 * CERTIFICATE_LIFE_MS;
}

export interface ServingCertificate extends IssuedCertificate {
  /** When to ask for the next one: well before this one ends. */
  readonly renewAfterMs: number;
}

export async function issueServingCertificate(
  runtime: Runtime,
  authority: IssuedCertificate,
  names: { readonly dnsNames?: readonly string[]; readonly ips?: readonly string[] },
): Promise<ServingCertificate> {
  const caKey = await importPrivateKey(runtime.keys, authority.privateKey);
  const issued = await issueServerCertificate(runtime.keys, {
    commonName: names.dnsNames?.[0] ?? names.ips?.[0] ?? 'outrigger-webhook',
    ...names,
    ca: authority.certificate,
    caKey,
    ...validity(runtime, CERTIFICATE_LIFE_MS),
  });
  return { ...issued, renewAfterMs: (CERTIFICATE_LIFE_MS * 2) / 3 };
}

function validity({ clock, random }: Runtime, lifeMs: number): { notBefore: number; notAfter: number; serial: Uint8Array } {
  const now = clock.now();
  return { notBefore: now - BACKDATE_MS, notAfter: now + lifeMs, serial: random.bytes(16) };
}
