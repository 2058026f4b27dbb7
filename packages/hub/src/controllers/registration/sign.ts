import { type CertificateSigningRequest, type Secret, cappedSeconds, certificateSigningRequests, secrets } from '@outrigger/api';
import { TerminalError, errorMessage } from '@outrigger/core';
import { importPrivateKey, readCertificate, signCertificate } from '@outrigger/core/x509';
import type { EffectContext, Written } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';
import type { SignInput } from './decide.js';

const HOUR_MS = 3_600_000;
/** A certificate becomes valid this long before it is issued, because the clocks of verifiers may be behind the hub's. */
const BACKDATE_MS = HOUR_MS;

/** Signs with the authority that the template names. Reads the Secret for each signature and does not keep it in memory. */
export async function sign(input: SignInput, context: EffectContext): Promise<readonly Written[]> {
  const { runtime, signal } = context;
  const hub = context.client(HUB);
  const secret = await hub.get(secrets, input.signingCA, { signal });
  const certificate = await issue(input, secret, runtime);
  const { name, uid, resourceVersion } = input;
  const patch = { metadata: { uid, resourceVersion }, status: { certificate: btoa(certificate) } };
  const object = await hub.patch<CertificateSigningRequest>(
    certificateSigningRequests,
    { name },
    { type: 'merge', patch },
    { subresource: 'status', signal },
  );
  return [{ api: HUB, kind: certificateSigningRequests, object }];
}

/** Issues the certificate. A failure persists until a user changes the Secret, so the next attempt is made only after a delay. */
async function issue(input: SignInput, secret: Secret, runtime: EffectContext['runtime']): Promise<string> {
  const where = `Secret ${input.signingCA.namespace}/${input.signingCA.name}`;
  const { keys, clock, random } = runtime;
  const now = clock.now();
  const pair = authorityOf(secret);
  if (!pair) throw new TerminalError(`${where} holds no authority: it needs the keys ca.crt and ca.key, or tls.crt and tls.key`);
  try {
    const authority = await readCertificate(keys, pair.certificate);
    if (!authority.isCA) throw new Error('its certificate is not that of a certificate authority');
    if (authority.notAfter <= now) throw new Error('its certificate has expired');
    if (authority.notBefore > now) throw new Error('its certificate is not valid yet');
    return await signCertificate(keys, {
      csr: atob(input.request),
      ca: pair.certificate,
      caKey: await importPrivateKey(keys, pair.key),
      usages: ['digital signature', 'key encipherment', 'client auth'],
      dnsNames: input.dnsNames,
      notBefore: Math.max(now - BACKDATE_MS, authority.notBefore),
      notAfter: now + cappedSeconds(input.expirationSeconds, input.maxSeconds) * 1000,
      serial: random.bytes(16),
    });
  } catch (error) {
    throw new TerminalError(`${where}: ${errorMessage(error)}`, { cause: error });
  }
}

function authorityOf({ data = {} }: Secret): { readonly certificate: string; readonly key: string } | undefined {
  for (const name of ['ca', 'tls']) {
    const [certificate, key] = [data[`${name}.crt`], data[`${name}.key`]];
    if (certificate && key) return { certificate: atob(certificate), key: atob(key) };
  }
  return undefined;
}
