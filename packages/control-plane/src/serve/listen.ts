import type { Runtime } from '@outrigger/core';
import type { AccessControl } from '../access.js';
import { type Authority, issueServingCertificate, issueUserCertificate } from '../auth/credentials.js';
import { kubeconfig } from '../auth/kubeconfig.js';
import { MASTERS_GROUP } from '../authz/policy.js';
import { permitsOf } from '../handle/authorize.js';
import type { Handle } from '../handle/contract.js';
import { startServer } from './adapters/server.js';

export interface ServeOptions {
  /** The address to listen on; `127.0.0.1` if absent. */
  readonly host?: string;
  /** The port to listen on; any free port if absent. */
  readonly port?: number;
  /** The name of the cluster and the context in the kubeconfig. */
  readonly name?: string;
}

export interface Served {
  readonly url: string;
  readonly port: number;
  /** The CA certificate in PEM. */
  readonly ca: string;
  /** The text of a kubeconfig with all permissions. */
  readonly adminKubeconfig: string;
  close(): Promise<void>;
}

export interface Listenable {
  readonly runtime: Runtime;
  readonly handle: Handle;
  readonly authority: Authority;
  readonly access: AccessControl;
}

const ADMIN = { name: 'kubernetes-admin', groups: [MASTERS_GROUP] };

/** Opens a port with a new certificate, and creates the kubeconfig to reach it. */
export async function listen({ runtime, handle, authority, access }: Listenable, options: ServeOptions = {}): Promise<Served> {
  const { host = '127.0.0.1', port = 0, name = 'outrigger' } = options;
  const serving = await issueServingCertificate(runtime, authority, host);
  const server = await startServer({
    runtime,
    handle,
    host,
    port,
    ...serving,
    clientAuthority: authority.certificate,
    authenticateToken: access.authenticateToken,
    authorize: access.authorize,
    permits: permitsOf(access.authorize),
    now: () => runtime.clock.now(),
  });
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${server.port}`;
  const ca = authority.certificate;
  const admin = { name: ADMIN.name, ...(await issueUserCertificate(runtime, authority, ADMIN)) };
  const adminKubeconfig = kubeconfig({ server: url, authority: ca, user: admin, name });
  return { url, port: server.port, ca, adminKubeconfig, close: () => server.close() };
}
