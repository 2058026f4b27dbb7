import { type ConnectionConfig, parseKubeconfig, resolveKubeconfig } from '@outrigger/kube';
import type { HubEndpoint } from '../credentials/hub-kubeconfig.js';

/** How a bootstrap kubeconfig reaches the hub, and as whom. */
export interface Bootstrap {
  readonly connection: ConnectionConfig;
  readonly endpoint: HubEndpoint;
  /** It only says where the hub is: an agent that has joined needs no more, and no agent can join with it. */
  readonly isSpent: boolean;
}

/** Reads a bootstrap kubeconfig out of a Secret. It may hold credentials but not reach for files or programs of this machine. */
export function readBootstrap(kubeconfig: string, origin: string): Bootstrap {
  const config = parseKubeconfig(kubeconfig, origin);
  const { connection, context } = resolveKubeconfig(config, { untrusted: true });
  const name = config.contexts.get(context)?.fields['cluster'];
  return { connection, endpoint: endpointOf(connection, typeof name === 'string' ? name : 'hub'), isSpent: false };
}

/** The hub an agent has joined, for one whose bootstrap kubeconfig was taken away since. */
export function spentBootstrap(endpoint: HubEndpoint): Bootstrap {
  const { server, ca, proxyUrl } = endpoint;
  const trusted = ca === undefined ? {} : { ca: { data: ca } };
  const connection = { server, ...trusted, ...(proxyUrl === undefined ? {} : { proxyUrl }), origin: 'the credential of this agent' };
  return { connection, endpoint, isSpent: true };
}

/** Where a kubeconfig the agent made earlier leads; undefined if it cannot be read. */
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
  return a.server === b.server && a.name === b.name && a.ca === b.ca && a.proxyUrl === b.proxyUrl;
}

/** The same hub, reached with a certificate. */
export function certifiedConnection(bootstrap: Bootstrap, certificate: string, key: string): ConnectionConfig {
  const { server, ca, tlsServerName, proxyUrl, disableCompression } = bootstrap.connection;
  return {
    server,
    ...(ca === undefined ? {} : { ca }),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    ...(disableCompression === undefined ? {} : { disableCompression }),
    clientCertificate: { data: certificate },
    clientKey: { data: key },
    origin: 'the credential of this agent',
  };
}

function endpointOf({ server, ca, proxyUrl }: ConnectionConfig, name: string): HubEndpoint {
  return {
    server,
    name,
    ...(ca && 'data' in ca ? { ca: ca.data } : {}),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
  };
}
