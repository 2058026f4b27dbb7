import type { Runtime } from '@outrigger/core';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  exportPrivateKey,
  importPrivateKey,
  type IssuedCertificate,
  issueClientCertificate,
  issueServerCertificate,
  readCertificate,
} from '@outrigger/core/x509';
import { createTokenSigner, type TokenSigner } from './jwt.js';

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const AUTHORITY_LIFETIME_MS = 10 * YEAR_MS;
/**
 * The validity of certificates starts this long in the past, so that a client whose clock is slow does not reject a new certificate as "not
 * valid yet".
 */
const BACKDATE_MS = HOUR_MS;

/** Stores data that must survive a restart of the server but is not an API object, such as the server's keys. */
export interface Vault {
  read(name: string): Promise<string | undefined>;
  write(name: string, content: string): Promise<void>;
}

/** Returns an in-memory vault, whose content is lost when the process exits. */
export function memoryVault(): Vault {
  const values = new Map<string, string>();
  return {
    read: async (name) => values.get(name),
    write: async (name, content) => void values.set(name, content),
  };
}

export interface Authority {
  /** The PEM certificate with which clients verify this server, and with which this server verifies client certificates. */
  readonly certificate: string;
  readonly key: CertificateAuthority['key'];
  readonly notAfter: number;
}

export interface Credentials {
  readonly authority: Authority;
  /** Signs the tokens of ServiceAccounts. */
  readonly tokens: TokenSigner;
}

/** Loads the server's keys; generates them on the first start. */
export async function loadCredentials(runtime: Runtime, vault: Vault): Promise<Credentials> {
  const authority = await loadAuthority(runtime, vault);
  return { authority, tokens: await createTokenSigner(runtime.keys, await loadTokenKey(runtime, vault)) };
}

async function loadAuthority(runtime: Runtime, vault: Vault): Promise<Authority> {
  const [certificate, privateKey] = [await vault.read('ca.crt'), await vault.read('ca.key')];
  if (certificate !== undefined && privateKey !== undefined) {
    const { notAfter } = await readCertificate(runtime.keys, certificate);
    return { certificate, key: await importPrivateKey(runtime.keys, privateKey), notAfter };
  }
  const validity = validFor(runtime, AUTHORITY_LIFETIME_MS);
  const made = await createCertificateAuthority(runtime.keys, { commonName: 'kubernetes', ...validity });
  // The authority is loaded only if both `ca.key` and `ca.crt` exist, so after a crash between the two writes the next start creates a new
  // authority.
  await vault.write('ca.key', made.privateKey);
  await vault.write('ca.crt', made.certificate);
  return { certificate: made.certificate, key: made.key, notAfter: validity.notAfter };
}

async function loadTokenKey(runtime: Runtime, vault: Vault): Promise<string> {
  const found = await vault.read('sa.key');
  if (found !== undefined) return found;
  const { privateKey } = await runtime.keys.generate('P-256');
  const pem = await exportPrivateKey(runtime.keys, privateKey);
  await vault.write('sa.key', pem);
  return pem;
}

/**
 * Issues the certificate with which the server serves its API. The certificate contains the names that clients inside and outside a cluster
 * use for the server.
 */
export function issueServingCertificate(runtime: Runtime, authority: Authority, host: string): Promise<IssuedCertificate> {
  const isAddress = /^[\d.]+$|:/.test(host);
  return issueServerCertificate(runtime.keys, {
    commonName: 'kube-apiserver',
    dnsNames: [...new Set([...SERVICE_NAMES, ...(isAddress ? [] : [host])])],
    ips: [...new Set(['127.0.0.1', '::1', ...(isAddress && !UNSPECIFIED.includes(host) ? [host] : [])])],
    ca: authority.certificate,
    caKey: authority.key,
    ...validFor(runtime, YEAR_MS),
  });
}

const SERVICE_NAMES = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'];
/** The addresses that mean all network interfaces. Certificates do not contain these addresses. */
const UNSPECIFIED = ['0.0.0.0', '::'];

/** Issues a client certificate for a user. */
export function issueUserCertificate(
  runtime: Runtime,
  authority: Authority,
  user: { readonly name: string; readonly groups: readonly string[] },
): Promise<IssuedCertificate> {
  return issueClientCertificate(runtime.keys, {
    commonName: user.name,
    organizations: user.groups,
    ca: authority.certificate,
    caKey: authority.key,
    ...validFor(runtime, YEAR_MS),
  });
}

function validFor(runtime: Runtime, lifetimeMs: number): { notBefore: number; notAfter: number; serial: Uint8Array } {
  const now = runtime.clock.now();
  return { notBefore: now - BACKDATE_MS, notAfter: now + lifetimeMs, serial: runtime.random.bytes(16) };
}
