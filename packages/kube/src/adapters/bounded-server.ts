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

/**
 * The time after which an idle connection is closed. API servers, browsers and proxies keep idle connections for up to 90 s, and a client
 * must close them first: a request that arrives while the server closes its connection fails, and clients do not repeat a POST, so that an
 * API server would then reject a write. `BoundedConnections` limits the number of idle connections.
 */
const IDLE_MS = 120_000;

/** Makes a server listen with a bounded number of connections. */
export async function listenBounded(
  server: Server,
  { timers }: Pick<Runtime, 'timers'>,
  { port, host, maxConnections, graceMs }: BoundedServerOptions,
): Promise<BoundedServer> {
  new BoundedConnections(server, maxConnections);
  server.keepAliveTimeout = IDLE_MS;
  let isClosing = false;
  // While the server closes, a connection becomes idle when its response has been sent. Close it then, so that `close` need not wait longer.
  server.on('request', (_, response) => {
    response.once('close', () => {
      if (isClosing) setImmediate(() => server.closeIdleConnections());
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      isClosing = true;
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const cancel = timers.after(graceMs, () => server.closeAllConnections());
      await closed;
      cancel();
    },
  };
}
