import type { Runtime } from '@outrigger/core';
import { createHub } from '@outrigger/hub';
import { type Client, createClient } from '@outrigger/kube';
import { createHttpTransport, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { type TestServer, installKinds, recordedLogger } from '../../harness/index.js';
import type { LifeWorld } from './agent.js';
import { type Eventually, OVER_SOCKETS, eventually } from '../../world/eventually.js';

/** A hub on a server of its own, reached over its socket. Clients see no difference between a real and an embedded server. */
export interface ServerWorld extends LifeWorld {
  readonly runtime: Runtime;
  withToken(token: string): Client;
  withCertificate(certificate: string, key: string): Client;
  stop(): Promise<void>;
}

/** Installs the kinds and starts a manager with all its controllers. */
export async function startServerWorld(server: TestServer): Promise<ServerWorld> {
  const runtime = createRealRuntime({ log: recordedLogger('fatal') });
  const stops: (() => Promise<void>)[] = [];
  const clientOf = (connection: Parameters<typeof createHttpTransport>[0]): Client => {
    const transport = createHttpTransport(connection, runtime, { protocol: 'http/1.1' });
    stops.push(() => transport.close());
    return createClient({ transport, runtime });
  };
  const { connection } = await loadConnection({ kubeconfig: server.kubeconfigPath });
  const hub = clientOf(connection);
  const within: Eventually = (what, condition) => eventually({ ...runtime, patience: OVER_SOCKETS }, what, condition);
  await installKinds(server, hub, within);
  const manager = createHub({ runtime, client: hub, namespace: 'default', bootstrap: { users: [], groups: [] } });
  await manager.start();
  stops.push(() => manager.stop());
  const base = { server: server.url, ca: { data: server.caPem } };
  return {
    runtime,
    hub,
    eventually: within,
    now: () => runtime.clock.now(),
    as: ({ user, groups }) => clientOf({ ...connection, impersonate: { user, groups, extra: {} } }),
    withToken: (token) => clientOf({ ...base, token }),
    withCertificate: (certificate, key) => clientOf({ ...base, clientCertificate: { data: certificate }, clientKey: { data: key } }),
    async stop() {
      for (const stop of stops.reverse()) await stop();
    },
  };
}
