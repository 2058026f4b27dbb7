import { defined, encodeText, memoize } from '@outrigger/core';
import { toYaml } from '@outrigger/core/yaml';

/** The parameters of a connection to the hub, from the bootstrap kubeconfig. They contain no secrets. */
export interface HubEndpoint {
  readonly server: string;
  /** The name of the cluster entry in the bootstrap kubeconfig. Kubeconfigs created from it keep the name. */
  readonly name: string;
  /** The CA certificates to trust for the hub, in PEM. */
  readonly ca?: string;
  readonly proxyUrl?: string;
  /** The name against which the hub's certificate is verified. Defaults to the host of `server`. */
  readonly tlsServerName?: string;
}

/**
 * Returns the kubeconfig of a credential. The kubeconfig refers by file name to the key and certificate, or to the token, in the same
 * Secret. Every pass of an add-on with a registration compares the kubeconfig with the Secret, so the text is computed only once per
 * endpoint.
 */
export function hubKubeconfig(hub: HubEndpoint, credential: 'certificate' | 'token'): string {
  return credential === 'certificate' ? withCertificate(hub) : withToken(hub);
}

const withCertificate = memoize((hub: HubEndpoint) => textOf(hub, { 'client-certificate': 'tls.crt', 'client-key': 'tls.key' }));
const withToken = memoize((hub: HubEndpoint) => textOf(hub, { tokenFile: 'token' }));

function textOf({ server, name, ca, proxyUrl, tlsServerName }: HubEndpoint, user: Readonly<Record<string, string>>): string {
  return toYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: defined({
          server,
          'certificate-authority-data': ca === undefined ? undefined : encodeText(ca),
          'proxy-url': proxyUrl,
          'tls-server-name': tlsServerName,
        }),
      },
    ],
    users: [{ name: 'default-auth', user }],
    contexts: [{ name: 'default-context', context: { cluster: name, user: 'default-auth', namespace: 'configuration' } }],
    'current-context': 'default-context',
  });
}
