import { toYaml } from '@outrigger/core/yaml';
import { encodeText } from '../base64.js';

/** How the hub is reached, as the bootstrap kubeconfig tells it; nothing in it is secret. */
export interface HubEndpoint {
  readonly server: string;
  /** Name of the cluster entry in the bootstrap kubeconfig, kept in every kubeconfig made from it. */
  readonly name: string;
  /** PEM of the authorities the hub is trusted by. */
  readonly ca?: string;
  readonly proxyUrl?: string;
}

/** The kubeconfig of a credential: the key and certificate, or the token, lie beside it under these names. */
export function hubKubeconfig({ server, name, ca, proxyUrl }: HubEndpoint, credential: 'certificate' | 'token'): string {
  const user = credential === 'certificate' ? { 'client-certificate': 'tls.crt', 'client-key': 'tls.key' } : { tokenFile: 'token' };
  return toYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: {
          server,
          ...(ca === undefined ? {} : { 'certificate-authority-data': encodeText(ca) }),
          ...(proxyUrl === undefined ? {} : { 'proxy-url': proxyUrl }),
        },
      },
    ],
    users: [{ name: 'default-auth', user }],
    contexts: [{ name: 'default-context', context: { cluster: name, user: 'default-auth', namespace: 'configuration' } }],
    'current-context': 'default-context',
  });
}
