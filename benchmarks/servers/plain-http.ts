import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ControlPlane } from '@outrigger/control-plane';
import { type ApiRequest, errorMessage } from '@outrigger/core';
import { toYaml } from '@outrigger/core/yaml';

/**
 * Serves a control plane over HTTP/1.1 without TLS, on a loopback port, to measure what TLS costs. Every client has all permissions, so
 * only benchmarks may use this server. Returns a kubeconfig for the server.
 */
export async function servePlainHttp(controlPlane: ControlPlane): Promise<string> {
  const transport = controlPlane.transport();
  const server = createServer((incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    void (async () => {
      const { status, headers, body, events } = await transport.send(await requestOf(incoming), gone.signal);
      if (!events) return respond(outgoing, status, headers, body);
      outgoing.writeHead(status, headers);
      outgoing.flushHeaders();
      for await (const event of events) {
        if (gone.signal.aborted) return undefined;
        if (!outgoing.write(lineOf(event))) await once(outgoing, 'drain', { signal: gone.signal });
      }
      return outgoing.end();
    })().catch((error: unknown) => {
      // Do not respond to a client that has disconnected.
      if (!gone.signal.aborted) respond(outgoing, 500, {}, errorMessage(error));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return toYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'hub', cluster: { server: url } }],
    users: [{ name: 'anyone', user: {} }],
    contexts: [{ name: 'hub', context: { cluster: 'hub', user: 'anyone' } }],
    'current-context': 'hub',
  });
}

async function requestOf(incoming: IncomingMessage): Promise<ApiRequest> {
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://localhost');
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
  const query = Object.fromEntries([...new Set(searchParams.keys())].map((name) => [name, searchParams.getAll(name)]));
  const isWatch = /^(1|true)$/.test(searchParams.get('watch') ?? '');
  return {
    method: (incoming.method ?? 'GET') as ApiRequest['method'],
    path: pathname,
    query,
    headers,
    ...(pieces.length === 0 ? {} : { body: Buffer.concat(pieces) }),
    ...(isWatch ? { watch: true } : {}),
  };
}

function respond(outgoing: ServerResponse, status: number, headers: Readonly<Record<string, string>>, body: unknown): void {
  const bytes = body instanceof Uint8Array || typeof body === 'string' ? body : JSON.stringify(body ?? {});
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
  outgoing.end(bytes);
}

/** Returns the bytes of an event. The server encodes an event once for all watches. */
function lineOf(event: object): Uint8Array | string {
  return (event as { readonly line?: Uint8Array }).line ?? `${JSON.stringify(event)}\n`;
}
