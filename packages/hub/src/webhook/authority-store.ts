import { type Secret, secrets } from '@outrigger/api';
import { type Runtime, ifFound, isApiError } from '@outrigger/core';
import { createCertificateAuthority, readCertificate } from '@outrigger/core/x509';
import type { Client } from '@outrigger/kube';
import { type Authorities, type Authority, type Lifetimes, afterStep, dueStep } from './authorities.js';
import { BACKDATE_MS, validity } from './certificates.js';

export const WEBHOOK_AUTHORITY = 'outrigger-webhook-authority';

export interface AuthorityStore {
  /** Returns the current authorities. Creates the first authority if none exists, and performs a rotation step if one is due. */
  load(): Promise<Authorities>;
}

/**
 * Stores the authorities in a Secret in the manager's namespace. If several replicas perform a step at once, one of them succeeds and the
 * others read its result.
 */
export function authorityStore(client: Client, runtime: Runtime, namespace: string, lifetimes: Lifetimes): AuthorityStore {
  const key = { namespace, name: WEBHOOK_AUTHORITY };

  async function make(): Promise<Authority> {
    const during = validity(runtime, lifetimes.authorityMs);
    const made = await createCertificateAuthority(runtime.keys, { commonName: WEBHOOK_AUTHORITY, ...during });
    return { ...made, madeAt: during.notBefore + BACKDATE_MS, notAfter: during.notAfter };
  }

  async function attempt(): Promise<Authorities> {
    const secret = await ifFound(client.get<Secret>(secrets, key));
    const found = secret && (await authoritiesIn(secret, runtime));
    // Replace an expired authority by a new one. This happens if the hub was stopped for years.
    if (!found || found.current.notAfter <= runtime.clock.now()) {
      const first = { current: await make(), next: undefined, previous: undefined };
      const object = secretOf(key, first, secret?.metadata.resourceVersion);
      await (secret ? client.replace(secrets, object) : client.create(secrets, object));
      return first;
    }
    const step = dueStep(found, runtime.clock.now(), lifetimes);
    if (!step) return found;
    const stepped = afterStep(found, step, step === 'prepare' ? await make() : undefined);
    await client.replace(secrets, secretOf(key, stepped, secret.metadata.resourceVersion));
    runtime.log.info({ step, authority: WEBHOOK_AUTHORITY }, 'certificate authority of the webhook changed');
    return stepped;
  }

  return {
    async load() {
      try {
        return await attempt();
      } catch (error) {
        if (!isApiError(error, 'AlreadyExists') && !isApiError(error, 'Conflict')) throw error;
        // Another replica has already stored authorities, so use those.
        return attempt();
      }
    },
  };
}

async function authoritiesIn({ data = {} }: Secret, runtime: Runtime): Promise<Authorities | undefined> {
  const current = await authorityIn(data, 'tls', runtime);
  if (!current) return undefined;
  const previous = data['previous.crt'];
  return { current, next: await authorityIn(data, 'next', runtime), previous: previous === undefined ? undefined : atob(previous) };
}

/** Parses the authority in the Secret's data; undefined if there is none. */
async function authorityIn(data: Readonly<Record<string, string>>, name: string, runtime: Runtime): Promise<Authority | undefined> {
  const { [`${name}.crt`]: crt, [`${name}.key`]: key } = data;
  if (crt === undefined || key === undefined) return undefined;
  const certificate = atob(crt);
  const { notBefore, notAfter } = await readCertificate(runtime.keys, certificate);
  return { certificate, privateKey: atob(key), madeAt: notBefore + BACKDATE_MS, notAfter };
}

function secretOf(key: { readonly namespace: string; readonly name: string }, authorities: Authorities, resourceVersion?: string): Secret {
  const { current, next, previous } = authorities;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...key, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    type: 'kubernetes.io/tls',
    data: {
      'tls.crt': btoa(current.certificate),
      'tls.key': btoa(current.privateKey),
      ...(next ? { 'next.crt': btoa(next.certificate), 'next.key': btoa(next.privateKey) } : {}),
      ...(previous === undefined ? {} : { 'previous.crt': btoa(previous) }),
    },
  };
}
