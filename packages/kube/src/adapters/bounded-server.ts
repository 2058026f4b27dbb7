import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Runtime } from '@outrigger/core';
import { BoundedConnections } from './bounded-connections.js';

export interface BoundedServer {
  readonly port: number;
  /** Accepts no further connections. Waits at most `graceMs` for the requests in flight, then closes all connections. */
  close(): Promise<void>;
}

export interface BoundedServerOptions {
  readonly port: number;
  /** The host to listen on. By default, the server listens on all addresses. */
  readonly host?: string | undefined;
  /** Maximum number of open connections. */
  readonly maxConnections: number;
  readonly graceMs: number;
}

/** Makes a server listen with a bounded number of connections. */
export async function listenBounded(
  server: Server,
  { timers }: Pick<Runtime, 'timers'>,
  { port, host, maxConnections, graceMs }: BoundedServerOptions,
): Promise<BoundedServer> {
  new BoundedConnections(server, maxConnections);
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const cancel = timers.after(graceMs, () => server.closeAllConnections());
      await closed;
      cancel();
    },
  };
}
