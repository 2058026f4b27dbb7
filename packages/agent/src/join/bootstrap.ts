import { defined } from '@outrigger/core';
import { type ConnectionConfig, parseKubeconfig, resolveKubeconfig } from '@outrigger/kube';
import type { HubEndpoint } from '../credentials/hub-kubeconfig.js';
import { readClaims } from '../credentials/token.js';

/** The connection in a bootstrap kubeconfig: the hub's URL and the credential. */
export interface Bootstrap {
  readonly connection: ConnectionConfig;
  readonly endpoint: HubEndpoint;
  /**
   * Whether the bootstrap kubeconfig was deleted, so that only the hub's URL is known. The URL is sufficient for an agent that has joined,
   * but not for joining.
   */
  readonly isSpent: boolean;
}

/**
 * Parses a bootstrap kubeconfig from a Secret. The kubeconfig may contain credentials, but must not reference files or programs on this
 * machine.
 */
export function readBootstrap(kubeconfig: string, origin: string): Bootstrap {
  const config = parseKubeconfig(kubeconfig, origin);
  const { connection, context } = resolveKubeconfig(config, { untrusted: true });
  const name = config.contexts.get(context)?.fields['cluster'];
  return { connection, endpoint: endpointOf(connection, typeof name === 'string' ? name : 'hub'), isSpent: false };
}

/**
 * Returns an identity of the bootstrap credential, which is the same for all tokens of one ServiceAccount. Every join token has its own
 * ServiceAccount and may read only the certificate request that was made with it, so the agent makes a new request when this identity
 * changes.
 */
export function joinerOf({ connection: { token } }: Bootstrap): string {
  const claims = token === undefined ? undefined : readClaims(token);
  return claims ? `bootstrap/${claims.serviceAccountUid}` : 'bootstrap';
}

/**
 * Returns the connection, without a credential, to the hub that the agent has joined. It is used if the bootstrap kubeconfig was deleted.
 */
export function spentBootstrap(endpoint: HubEndpoint): Bootstrap {
  const { server, ca, proxyUrl, tlsServerName } = endpoint;
  const origin = 'the credential of this agent';
  const connection = defined({ server, ca: ca === undefined ? undefined : { data: ca }, proxyUrl, tlsServerName, origin });
  return { connection, endpoint, isSpent: true };
}

/** Returns the hub in a kubeconfig that the agent created earlier, or undefined if the kubeconfig cannot be parsed. */
export function readEndpoint(kubeconfig: string, origin: string): HubEndpoint | undefined {
  try {
    const config = parseKubeconfig(kubeconfig, origin);
    const { connection, context } = resolveKubeconfig(config, {});
    const name = config.contexts.get(context)?.fields['cluster'];
    return endpointOf(connection, typeof name === 'string' ? name : 'hub');
  } catch {
    return undefined;
  }
}

export function sameEndpoint(a: HubEndpoint, b: HubEndpoint): boolean {
  const isReachedAlike = a.server === b.server && a.proxyUrl === b.proxyUrl;
  return isReachedAlike && a.name === b.name && a.ca === b.ca && a.tlsServerName === b.tlsServerName;
}

/** Returns a connection to the hub of the bootstrap kubeconfig. It authenticates with this certificate and key. */
export function certifiedConnection(bootstrap: Bootstrap, certificate: string, key: string): ConnectionConfig {
  const { server, ca, tlsServerName, proxyUrl, disableCompression } = bootstrap.connection;
  return defined({
    server,
    ca,
    tlsServerName,
    proxyUrl,
    disableCompression,
    clientCertificate: { data: certificate },
    clientKey: { data: key },
    origin: 'the credential of this agent',
  });
}

function endpointOf({ server, ca, proxyUrl, tlsServerName }: ConnectionConfig, name: string): HubEndpoint {
  return defined({ server, name, ca: ca && 'data' in ca ? ca.data : undefined, proxyUrl, tlsServerName });
}
