import { type Secret, clusterAgentUser } from '@outrigger/api';
import { type Keys, decodeText } from '@outrigger/core';
import { readCertificates } from '@outrigger/core/x509';
import type { ConnectionConfig } from '@outrigger/kube';
import { type Bootstrap, certifiedConnection, readEndpoint, sameEndpoint } from './bootstrap.js';
import type { OwnIdentity } from './own-spec.js';

/** A credential that the agent can use now, or the reason why it has to join (again). */
export type HeldCredential =
  | { readonly type: 'usable'; readonly connection: ConnectionConfig; readonly fingerprint: string; readonly notAfter: number }
  | { readonly type: 'unusable'; readonly why: string };

/** Checks whether the credential in the agent's Secret is valid for the hub in the current bootstrap kubeconfig. */
export async function holdCredential(
  secret: Secret | undefined,
  bootstrap: Bootstrap,
  identity: OwnIdentity,
  at: { readonly keys: Keys; readonly now: number },
): Promise<HeldCredential> {
  const data = secret?.data ?? {};
  const text = (name: string): string => decodeText(data[name] ?? '');
  const unusable = (why: string): HeldCredential => ({ type: 'unusable', why });
  if (text('tls.crt') === '' || text('tls.key') === '') return unusable('there is no certificate yet');
  const endpoint = readEndpoint(text('kubeconfig'), 'the credential of this agent');
  if (!endpoint || !sameEndpoint(endpoint, bootstrap.endpoint)) return unusable('the bootstrap kubeconfig names another hub');
  const chain = await readCertificates(at.keys, text('tls.crt')).catch(() => []);
  const [leaf] = chain;
  if (!leaf) return unusable('the certificate cannot be read');
  if (leaf.subject.commonName !== clusterAgentUser(identity.clusterName, identity.agentName))
    return unusable('the certificate names another agent');
  const notAfter = Math.min(...chain.map((certificate) => certificate.notAfter));
  if (notAfter <= at.now) return unusable('the certificate has expired');
  return {
    type: 'usable',
    connection: certifiedConnection(bootstrap, text('tls.crt'), text('tls.key')),
    fingerprint: leaf.fingerprint,
    notAfter,
  };
}
