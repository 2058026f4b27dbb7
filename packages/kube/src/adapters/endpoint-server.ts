import { createServer } from 'node:http';
import type { Runtime } from '@outrigger/core';
import type { Endpoints } from '../server/endpoints.js';
import { type BoundedServer, listenBounded } from './bounded-server.js';

export interface EndpointServerOptions {
  readonly port: number;
  /** The host to listen on. By default, the server listens on all addresses, because kubelets and scrapers connect from outside. */
  readonly host?: string;
  /** Maximum number of open connections. */
  readonly maxConnections?: number;
}

const GRACE_MS = 5_000;
/** The time that a client has to send its request. A slower client is disconnected. Probes send their request immediately. */
const REQUEST_TIMEOUT_MS = 10_000;
/** The default of `maxConnections`. Probes and scrapers open far fewer connections. */
const MAX_CONNECTIONS = 100;

export async function serveEndpoints(endpoints: Endpoints, runtime: Runtime, options: EndpointServerOptions): Promise<BoundedServer> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    const { method = 'GET', url = '/' } = request;
    endpoints({ method, url }).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(method === 'HEAD' ? '' : body),
      (error: unknown) => {
        runtime.log.error({ url, error }, 'endpoint failed');
        response.writeHead(500).end('internal error\n');
      },
    );
  });
  return listenBounded(server, runtime, { maxConnections: MAX_CONNECTIONS, graceMs: GRACE_MS, ...options });
}
