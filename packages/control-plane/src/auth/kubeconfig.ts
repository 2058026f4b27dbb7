import { toYaml } from '@outrigger/core/yaml';

export interface KubeconfigOptions {
  readonly server: string;
  /** The certificate of the authority, in PEM. */
  readonly authority: string;
  readonly user: { readonly name: string } & ({ readonly certificate: string; readonly privateKey: string } | { readonly token: string });
  /** The name of the cluster and of the context. */
  readonly name: string;
}

/** Returns a self-contained kubeconfig, for kubectl and every other client. */
export function kubeconfig({ server, authority, user, name }: KubeconfigOptions): string {
  const credentials =
    'token' in user
      ? { token: user.token }
      : { 'client-certificate-data': base64(user.certificate), 'client-key-data': base64(user.privateKey) };
  return toYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(authority) } }],
    users: [{ name: user.name, user: credentials }],
    contexts: [{ name, context: { cluster: name, user: user.name } }],
    'current-context': name,
    preferences: {},
  });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
