import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Runtime } from '@outrigger/core';
import type { IssuedCertificate } from '@outrigger/core/x509';
import type { WebhookResponse } from '../respond.js';

export interface HttpsServer {
  readonly port: number;
  /** New connections are served with this certificate from now on. */
  use(certificate: IssuedCertificate): void;
  close(): Promise<void>;
}

export interface HttpsServerOptions {
  readonly runtime: Runtime;
  readonly port: number;
  readonly host?: string;
  readonly certificate: IssuedCertificate;
  readonly respond: (path: string, body: unknown) => Promise<WebhookResponse>;
}

/** More than an API server ever sends: objects are at most 1.5 MiB, and a review holds two. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const REQUEST_TIMEOUT_MS = 10_000;
const GRACE_MS = 5_000;

export async function listenHttps({ runtime, port, host, certificate, respond }: HttpsServerOptions): Promise<HttpsServer> {
  const tls = ({ certificate: cert, privateKey: key }: IssuedCertificate): { cert: string; key: string } => ({ cert, key });
  const server = createServer({ ...tls(certificate), requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    const answer = ({ status, body }: WebhookResponse): void => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      response.writeHead(status, { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' }).end(text);
    };
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    readBody(request)
      .then((body) => respond(path, body))
      .then(answer, (error: unknown) => {
        runtime.log.warn({ path, error: error instanceof Error ? error.message : String(error) }, 'webhook request failed');
        answer({ status: 400, body: 'the request could not be read' });
      });
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    use: (next) => server.setSecureContext(tls(next)),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const cancel = runtime.timers.after(GRACE_MS, () => server.closeAllConnections());
      await closed;
      cancel();
    },
  };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  if (request.method === 'GET') return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Error(`more than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
}
