import type { Runtime } from '@outrigger/core';
import { createHub } from '@outrigger/hub';
import type { Client } from '@outrigger/kube';
import { type TestServer, installKinds, recordedLogger } from '../../harness/index.js';
import type { LifeWorld } from './agent.js';
import { RealWorld } from '../../world/real.js';

/** A hub whose API server is reached over its socket. Clients see no difference between a real and an embedded server. */
export interface ServerWorld extends LifeWorld {
  readonly runtime: Runtime;
  withToken(token: string): Client;
  withCertificate(certificate: string, key: string): Client;
  stop(): Promise<void>;
}

/** Installs the kinds and starts a manager with all its controllers. */
export async function startServerWorld(server: TestServer): Promise<ServerWorld> {
  const world = await RealWorld.create(server, { log: recordedLogger('fatal') });
  const { runtime, connection } = world;
  const clientOf = (as: typeof connection): Client => world.client(world.transport(as));
  const hub = world.client();
  await installKinds(server, hub, world.eventually);
  const manager = createHub({ runtime, client: hub, namespace: 'default', bootstrap: { users: [], groups: [] } });
  await manager.start();
  world.onStop(() => manager.stop());
  const base = { server: server.url, ca: { data: server.caPem } };
  return {
    runtime,
    hub,
    eventually: world.eventually,
    now: () => runtime.clock.now(),
    as: ({ user, groups }) => clientOf({ ...connection, impersonate: { user, groups, extra: {} } }),
    withToken: (token) => clientOf({ ...base, token }),
    withCertificate: (certificate, key) => clientOf({ ...base, clientCertificate: { data: certificate }, clientKey: { data: key } }),
    stop: () => world.stop(),
  };
}
