import type { ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { ApiRequest, Runtime, Scope, WatchEvent } from '@outrigger/core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isConnectionError } from '../../client/connection-error.js';
import { manualRuntime } from '../../client/fixtures.js';
import type { ConnectionConfig } from '../../kubeconfig/connection.js';
import { createRealRuntime } from '../real-runtime.js';
import {
  type Certificates,
  certificates,
  type Handle,
  json,
  startPlainServer,
  startProxy,
  startRelay,
  startTlsServer,
  type TestServer,
} from './fixtures.js';
import { INTERMEDIATE } from './fixtures-intermediate.js';
import { createHttpTransport, type HttpTransport, type HttpTransportOptions } from './transport.js';

const GET: ApiRequest = { method: 'GET', path: '/api/v1/namespaces/a%20b', headers: { accept: 'application/json' } };
const WATCH: ApiRequest = { ...GET, query: { watch: 'true' }, watch: true };

let runtime: Runtime & { scope: Scope & { close(): void } };
let pki: Certificates;
const opened: { close(): Promise<void> }[] = [];

beforeAll(() => {
  runtime = createRealRuntime();
  pki = certificates();
});
afterEach(async () => {
  for (const it of opened.splice(0).reverse()) await it.close();
});
afterAll(() => runtime.scope.close());

async function serve(handle: Handle, identity = pki.server): Promise<TestServer> {
  const server = await startTlsServer(handle, identity);
  opened.push({ close: () => server.stop() });
  return server;
}

function dial(server: TestServer, config: Partial<ConnectionConfig> = {}, options: HttpTransportOptions = {}): HttpTransport {
  const transport = createHttpTransport({ server: server.url, ca: { data: pki.ca.cert }, ...config }, runtime, { env: {}, ...options });
  opened.push(transport);
  return transport;
}

async function failureOf(promise: Promise<unknown>): Promise<Error> {
  const error = await promise.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  );
  return error as Error;
}

function eventText(version: number, padding = ''): string {
  return `${JSON.stringify({ type: 'MODIFIED', object: { kind: 'Lease', padding, metadata: { resourceVersion: String(version) } } })}\n`;
}

/** The server sends the certificate of the intermediate authority along with its own, as most servers do. */
const chain = { cert: INTERMEDIATE.server.cert + INTERMEDIATE.authority, key: INTERMEDIATE.server.key };

const protocols = [{ protocol: 'http/1.1' }, { protocol: 'h2' }] as const;

describe.each(protocols)('transport over $protocol', ({ protocol }) => {
  it('carries method, path, query, headers and body, and brings back status, headers and value', async () => {
    const server = await serve((request, response, who) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.setHeader('x-warning', 'careful');
        json(
          response,
          { method: request.method, url: request.url, agent: request.headers['user-agent'], who, body: String(Buffer.concat(chunks)) },
          201,
        );
      });
    });
    const transport = dial(server, { clientCertificate: { data: pki.client.cert }, clientKey: { data: pki.client.key } }, { protocol });
    const response = await transport.send({
      method: 'POST',
      path: '/api/v1/namespaces',
      query: { fieldManager: 'a&b', dryRun: ['All', 'x'] },
      headers: { 'user-agent': 'tester', 'content-type': 'application/json' },
      body: { kind: 'Namespace' },
    });
    expect(response.status).toBe(201);
    expect(response.headers['x-warning']).toBe('careful');
    expect(response.body).toEqual({
      method: 'POST',
      url: '/api/v1/namespaces?fieldManager=a%26b&dryRun=All&dryRun=x',
      agent: 'tester',
      who: 'client',
      body: '{"kind":"Namespace"}',
    });
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('carries the body of a %s', async (method) => {
    const server = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => json(response, JSON.parse(String(Buffer.concat(chunks)))));
    });
    const body = { preconditions: { uid: 'u' } };
    expect((await dial(server, {}, { protocol }).send({ ...GET, method, body })).body).toEqual(body);
  });

  it('delivers every event of a watch that gathers events, single ones and many at once', async () => {
    const counts = [1, 1, 5_000, 1];
    const send = async (response: ServerResponse): Promise<void> => {
      let sent = 0;
      response.writeHead(200, { 'content-type': 'application/json' });
      for (const count of counts) {
        for (const end = sent + count; sent < end; sent++) response.write(eventText(sent, 'x'.repeat(600)));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    };
    const server = await serve((_, response) => void send(response));
    const { events = [] } = await dial(server, {}, { protocol }).send({ ...WATCH, gatherMs: 5 });
    const seen: string[] = [];
    for await (const { object } of events) seen.push(object.metadata.resourceVersion ?? '');
    expect(seen).toEqual(Array.from({ length: 5_003 }, (_, i) => String(i)));
  });

  it('ends a watch that gathers events at once when its signal is aborted', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(eventText(1));
    });
    const stop = new AbortController();
    const { events = [] } = await dial(server, {}, { protocol }).send({ ...WATCH, gatherMs: 3_600_000 }, stop.signal);
    const failure = failureOf(
      (async () => {
        for await (const _ of events) setImmediate(() => stop.abort(new Error('stopped')));
      })(),
    );
    expect((await failure).message).toBe('stopped');
  });

  it('puts the path of the server before that of the request', async () => {
    const server = await serve((request, response) => json(response, { url: request.url }));
    const transport = dial({ ...server, url: `${server.url}/k8s/clusters/one/` }, {}, { protocol });
    expect((await transport.send(GET)).body).toEqual({ url: '/k8s/clusters/one/api/v1/namespaces/a%20b' });
  });

  it('AT-28 follows no redirect: credentials are sent only to the server they are for', async () => {
    const asked: string[] = [];
    const elsewhere = await serve((request, response) => {
      asked.push(request.url ?? '');
      json(response, {});
    });
    const server = await serve((_request, response) => response.writeHead(307, { location: `${elsewhere.url}/api` }).end());
    expect((await dial(server, { token: 'secret' }, { protocol }).send(GET)).status).toBe(307);
    expect(asked).toEqual([]);
  });

  it('reads a list of many items that arrives in pieces', async () => {
    const items = Array.from({ length: 4_000 }, (_, i) => ({ metadata: { name: `n-${i}`, annotations: { text: 'ä{["\\"]}' } } }));
    const server = await serve((_, response) => json(response, { kind: 'List', items, metadata: { resourceVersion: '7' } }));
    const response = await dial(server, {}, { protocol }).send(GET);
    expect(response.body).toEqual({ kind: 'List', items, metadata: { resourceVersion: '7' } });
  });

  it('delivers watch events as they are sent and ends when the server ends', async () => {
    let next: (() => void) | undefined;
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"type":"ADDED","object":{"metadata":{"na');
      response.write('me":"a"}}}\n');
      next = () => response.end('{"type":"DELETED","object":{"metadata":{"name":"a"}}}\n');
    });
    const response = await dial(server, {}, { protocol }).send(WATCH);
    const seen: string[] = [];
    for await (const event of response.events as AsyncIterable<WatchEvent>) {
      seen.push(`${event.type} ${event.object.metadata.name}`);
      next?.();
    }
    expect(seen).toEqual(['ADDED a', 'DELETED a']);
  });

  it('reports that a watch is broken, and connects again for the next request', async () => {
    const server = await serve((request, response) => {
      if (!request.url?.includes('watch')) return json(response, {});
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"type":"ADDED","object":{"metadata":{}}}\n');
    });
    const transport = dial(server, {}, { protocol });
    const { events } = await transport.send(WATCH);
    const read = async (): Promise<void> => {
      for await (const _ of events as AsyncIterable<WatchEvent>) server.cut();
    };
    expect(isConnectionError(await failureOf(read()))).toBe(true);
    expect((await transport.send(GET)).status).toBe(200);
  });

  it('ends a request and a watch with the reason of the signal', async () => {
    const server = await serve((request, response) => {
      if (!request.url?.includes('watch')) return;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"type":"ADDED","object":{"metadata":{}}}\n');
    });
    const transport = dial(server, {}, { protocol });
    const reason = new Error('enough');
    const request = new AbortController();
    setTimeout(() => request.abort(reason), 20);
    expect(await failureOf(transport.send(GET, request.signal))).toBe(reason);

    const watch = new AbortController();
    const { events } = await transport.send(WATCH, watch.signal);
    const read = async (): Promise<void> => {
      for await (const _ of events as AsyncIterable<WatchEvent>) watch.abort(reason);
    };
    expect(await failureOf(read())).toBe(reason);
  });

  it('stopping to read a watch frees its stream', async () => {
    let isClosed = false;
    const server = await serve((request, response) => {
      if (!request.url?.includes('watch')) return json(response, { isClosed });
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"type":"ADDED","object":{"metadata":{}}}\n');
      response.once('close', () => {
        isClosed = true;
      });
    });
    const transport = dial(server, {}, { protocol });
    const { events } = await transport.send(WATCH);
    for await (const _ of events as AsyncIterable<WatchEvent>) break;
    await expect.poll(async () => (await transport.send(GET)).body, { timeout: 10_000 }).toEqual({ isClosed: true });
  });

  it('changes to new credentials: later requests use them, watches break', async () => {
    const server = await serve((request, response, who) => {
      if (!request.url?.includes('watch')) return json(response, { who });
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"type":"ADDED","object":{"metadata":{}}}\n');
    });
    const config = { clientCertificate: { data: pki.client.cert }, clientKey: { data: pki.client.key } };
    const transport = dial(server, config, { protocol });
    expect((await transport.send(GET)).body).toEqual({ who: 'client' });
    const { events } = await transport.send(WATCH);
    const next = {
      server: server.url,
      ca: { data: pki.ca.cert },
      clientCertificate: { data: pki.nextClient.cert },
      clientKey: { data: pki.nextClient.key },
    };
    const read = async (): Promise<void> => {
      for await (const _ of events as AsyncIterable<WatchEvent>) transport.update(next);
    };
    expect(isConnectionError(await failureOf(read()), 'CLOSED')).toBe(true);
    expect((await transport.send(GET)).body).toEqual({ who: 'next-client' });
  });

  it('reaches the server through a proxy that wants credentials', async () => {
    const asked: string[] = [];
    const proxy = await startProxy(asked, { credentials: 'user:p@ss' });
    opened.push({ close: () => proxy.stop() });
    const server = await serve((_, response) => json(response, { ok: true }));
    const proxyUrl = proxy.url.replace('http://', 'http://user:p%40ss@');
    expect((await dial(server, { proxyUrl }, { protocol }).send(GET)).body).toEqual({ ok: true });
    expect(asked).toEqual([new URL(server.url).host]);
    const refused = await failureOf(dial(server, { proxyUrl: proxy.url }, { protocol }).send(GET));
    expect(refused.message).toBe(`proxy ${proxy.url}: it answered 407 to CONNECT ${new URL(server.url).host}`);
  });

  const trusted = [
    { name: "the server's own certificate", ca: () => pki.server.cert, identity: () => pki.server },
    {
      name: "the server's own certificate, signed by an intermediate authority",
      ca: () => INTERMEDIATE.server.cert,
      identity: () => INTERMEDIATE.server,
    },
    {
      name: 'an intermediate authority, which the server does not send',
      ca: () => INTERMEDIATE.authority,
      identity: () => INTERMEDIATE.server,
    },
    { name: 'an intermediate authority, which the server sends', ca: () => INTERMEDIATE.authority, identity: () => chain },
    { name: 'the root authority of a chain', ca: () => INTERMEDIATE.root, identity: () => chain },
    { name: 'a bundle of authorities', ca: () => `${pki.otherCa.cert}${INTERMEDIATE.authority}`, identity: () => INTERMEDIATE.server },
  ];
  it.each(trusted)('trusts $name, given as certificate-authority', async ({ ca, identity }) => {
    const server = await serve((_, response) => json(response, { ok: true }), identity());
    expect((await dial(server, { ca: { data: ca() } }, { protocol }).send(GET)).body).toEqual({ ok: true });
  });

  const distrusted = [
    { name: 'another server certificate of the same authority', ca: () => pki.expiredServer.cert, says: 'not signed by the given CA' },
    { name: 'an authority of another chain', ca: () => INTERMEDIATE.authority, says: 'not signed by the given CA' },
    {
      name: "the server's own certificate, under a name it is not for",
      ca: () => pki.server.cert,
      tlsServerName: 'other.test',
      says: 'is for other names',
    },
    {
      name: "the server's own certificate, which has expired",
      ca: () => pki.expiredServer.cert,
      identity: () => pki.expiredServer,
      says: 'has expired',
    },
  ];
  it.each(distrusted)('does not trust a server because of $name', async ({ ca, says, identity, tlsServerName }) => {
    const server = await serve((_, response) => json(response, {}), identity?.());
    const config = { ca: { data: ca() }, ...(tlsServerName === undefined ? {} : { tlsServerName }) };
    expect((await failureOf(dial(server, config, { protocol }).send(GET))).message).toContain(says);
  });

  const proxies = [
    { name: 'the authority of the proxy', ca: () => pki.ca.cert, identity: () => pki.server },
    {
      name: "the proxy's own certificate beside the authority of the server",
      ca: () => `${pki.ca.cert}${INTERMEDIATE.server.cert}`,
      identity: () => INTERMEDIATE.server,
    },
    {
      name: 'an intermediate authority beside the authority of the server',
      ca: () => `${pki.ca.cert}${INTERMEDIATE.authority}`,
      identity: () => INTERMEDIATE.server,
    },
  ];
  it.each(proxies)('reaches the server through an https proxy if certificate-authority is $name', async ({ ca, identity }) => {
    const asked: string[] = [];
    const proxy = await startProxy(asked, { identity: identity() });
    opened.push({ close: () => proxy.stop() });
    const server = await serve((_, response, who) => json(response, { who }));
    const client = { clientCertificate: { data: pki.client.cert }, clientKey: { data: pki.client.key } };
    const config = { proxyUrl: proxy.url, ca: { data: ca() }, ...client };
    expect((await dial(server, config, { protocol }).send(GET)).body).toEqual({ who: 'client' });
    expect(asked).toEqual([new URL(server.url).host]);
  });

  const badProxies = [
    { name: 'signed by another authority', identity: () => INTERMEDIATE.server, says: 'not signed by the given CA' },
    { name: 'that has expired', identity: () => pki.expiredServer, says: 'has expired' },
    { name: 'for another name', identity: () => pki.server, host: 'localhost', says: 'is for other names' },
  ];
  it.each(badProxies)('refuses an https proxy with a certificate $name', async ({ identity, says, host }) => {
    const asked: string[] = [];
    const proxy = await startProxy(asked, { identity: identity() });
    opened.push({ close: () => proxy.stop() });
    const server = await serve((_, response) => json(response, {}));
    const proxyUrl = host === undefined ? proxy.url : proxy.url.replace('127.0.0.1', host);
    const error = await failureOf(dial(server, { proxyUrl }, { protocol }).send(GET));
    expect(error.message).toContain('proxy https://');
    expect(error.message).toContain(says);
    expect(asked).toEqual([]);
  });

  const untrusted = [
    { name: 'of another authority', config: () => ({ ca: { data: pki.otherCa.cert } }), says: 'not signed by the given CA' },
    { name: 'for another name', config: () => ({ tlsServerName: 'other.test' }), says: 'is for other names' },
    { name: 'that expired', identity: () => pki.expiredServer, config: () => ({}), says: 'has expired' },
  ];
  it.each(untrusted)('refuses a server certificate $name, saying so', async ({ config, says, identity }) => {
    const server = await serve((_, response) => json(response, {}), identity?.());
    const error = await failureOf(dial(server, config(), { protocol }).send(GET));
    expect(error.message).toContain(`${server.url}: `);
    expect(error.message).toContain(says);
    expect(error).toMatchObject({ name: 'ConnectionError', sent: false });
  });

  it('accepts any certificate only if configured', async () => {
    const server = await serve((_, response) => json(response, {}), pki.expiredServer);
    expect((await dial(server, { insecureSkipTlsVerify: true }, { protocol }).send(GET)).status).toBe(200);
  });

  it('verifies against tls-server-name', async () => {
    const server = await serve((_, response) => json(response, {}));
    expect((await dial(server, { tlsServerName: 'api.test' }, { protocol }).send(GET)).status).toBe(200);
  });

  it('names the address if nothing listens on it', async () => {
    const server = await serve(() => undefined);
    await server.stop();
    opened.length = 0;
    const error = await failureOf(dial(server, {}, { protocol }).send(GET));
    expect(error.message).toBe(
      `${server.url}: refused the connection: is the API server running, and is the address right? (ECONNREFUSED)`,
    );
  });

  it('refuses to start with a client certificate that expired', async () => {
    const server = await serve((_, response) => json(response, {}));
    const config = {
      clientCertificate: { data: pki.expiredClient.cert },
      clientKey: { data: pki.expiredClient.key },
      origin: 'user "dev"',
    };
    const error = await failureOf(dial(server, config, { protocol }).send(GET));
    expect(error.message).toMatch(/^client certificate of user "dev": expired on .*: get a new one and connect again$/);
  });
});

describe('transport', () => {
  it('keeps one HTTP/2 connection for requests and watches', async () => {
    const server = await serve((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      if (request.url?.includes('watch')) response.write('{"type":"ADDED","object":{"metadata":{}}}\n');
      else response.end('{}');
    });
    const transport = dial(server, {}, { protocol: 'h2' });
    const watches = await Promise.all([1, 2, 3].map(() => transport.send(WATCH)));
    await Promise.all(Array.from({ length: 20 }, () => transport.send(GET)));
    expect(server.connections()).toBe(1);
    expect(watches.map((it) => it.status)).toEqual([200, 200, 200]);
  });

  it.each(['GET', 'POST'] as const)(
    'resets no HTTP/2 stream after a complete %s: servers end sessions with many resets',
    async (method) => {
      const server = await serve((request, response) => {
        request.resume();
        request.once('end', () => json(response, { kind: 'Status' }));
      });
      const transport = dial(server, {}, { protocol: 'h2' });
      const body = method === 'POST' ? { body: { kind: 'X' } } : {};
      // Node ends a session after a burst of 1,000 resets.
      for (let i = 0; i < 1_500; i++) expect((await transport.send({ ...GET, method, ...body })).status).toBe(200);
    },
  );

  it('notices a silent HTTP/2 connection by its pings, and opens another', async () => {
    const virtual = manualRuntime();
    const server = await serve((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      if (request.url?.includes('watch')) response.write('{"type":"ADDED","object":{"metadata":{}}}\n');
      else response.end('{}');
    });
    const relay = await startRelay(server);
    opened.push({ close: () => relay.stop() });
    const transport = createHttpTransport({ server: relay.url, ca: { data: pki.ca.cert } }, virtual, { env: {}, protocol: 'h2' });
    opened.push(transport);
    const { events } = await transport.send(WATCH);
    const iterator = (events as AsyncIterable<WatchEvent>)[Symbol.asyncIterator]();
    await iterator.next();
    relay.freeze();
    const next = failureOf(iterator.next());
    await virtual.advance(20_000);
    await virtual.advance(20_000);
    expect(await next).toMatchObject({ name: 'ConnectionError' });
    expect((await transport.send(GET)).status).toBe(200);
    expect(relay.connections()).toBe(2);
  });

  it.each([{ ALPNProtocols: ['http/1.1'] }, {}])('speaks HTTP/1.1 with a server that does not know HTTP/2 (%o)', async (alpn) => {
    const versions: string[] = [];
    const old = createSecureServer({ ...pki.server, ...alpn }, (request, response) => {
      versions.push(request.httpVersion);
      response.setHeader('content-type', 'application/json').end('{}');
    });
    await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve));
    opened.push({ close: () => new Promise<void>((resolve) => old.close(() => resolve())) });
    const url = `https://127.0.0.1:${(old.address() as AddressInfo).port}`;
    const transport = createHttpTransport({ server: url, ca: { data: pki.ca.cert } }, runtime, { env: {}, protocol: 'h2' });
    opened.push(transport);
    await Promise.all([transport.send(GET), transport.send(GET)]);
    expect((await transport.send(GET)).status).toBe(200);
    expect(versions).toEqual(['1.1', '1.1', '1.1']);
  });

  it('speaks HTTP/1.1 with a server without TLS, also if HTTP/2 is preferred', async () => {
    const versions: string[] = [];
    const server = await startPlainServer((request, response) => {
      versions.push(request.httpVersion);
      json(response, {});
    });
    opened.push({ close: () => server.stop() });
    const transport = createHttpTransport({ server: server.url }, runtime, { env: {}, protocol: 'h2' });
    opened.push(transport);
    expect((await transport.send(GET)).status).toBe(200);
    expect(versions).toEqual(['1.1']);
  });

  it('bounds HTTP/1.1 connections for requests, and watches do not use them up', async () => {
    const server = await serve((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      if (request.url?.includes('watch')) response.write('{"type":"ADDED","object":{"metadata":{}}}\n');
      else response.end('{}');
    });
    const transport = dial(server, {}, { connections: 2 });
    await Promise.all([1, 2, 3].map(() => transport.send(WATCH)));
    await Promise.all(Array.from({ length: 20 }, () => transport.send(GET)));
    expect(server.connections()).toBe(3 + 2);
  });

  it('reads compressed answers', async () => {
    const list = { kind: 'List', items: Array.from({ length: 5_000 }, (_, i) => ({ n: i, pad: 'x'.repeat(100) })) };
    const server = await serve(
      (_, response) =>
        void response
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
          .end(gzipSync(JSON.stringify(list))),
    );
    expect((await dial(server).send(GET)).body).toEqual(list);
  });

  it('returns a body that is not JSON as text, and reports broken JSON', async () => {
    const server = await serve((request, response) => {
      if (request.url?.endsWith('/text')) response.writeHead(502, { 'content-type': 'text/plain' }).end('bad gateway');
      else response.writeHead(200, { 'content-type': 'application/json' }).end('{"half":');
    });
    const transport = dial(server);
    expect(await transport.send({ ...GET, path: '/text' })).toMatchObject({ status: 502, body: 'bad gateway' });
    const error = await failureOf(transport.send(GET));
    expect(error.message).toContain('the answer to GET /api/v1/namespaces/a%20b is not JSON');
  });

  it('refuses an endless watch event', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('x'.repeat(5_000));
    });
    const { events } = await dial(server, {}, { maxLineBytes: 1_000 }).send(WATCH);
    const read = async (): Promise<void> => {
      for await (const _ of events as AsyncIterable<WatchEvent>);
    };
    expect((await failureOf(read())).message).toContain('longer than 1000 bytes');
  });

  it('uses plain http if the config has an http address', async () => {
    const server = await startPlainServer((_, response) => json(response, { plain: true }));
    opened.push({ close: () => server.stop() });
    expect((await dial(server).send(GET)).body).toEqual({ plain: true });
  });

  it('reports that an https address leads to a plain server', async () => {
    const server = await startPlainServer((_, response) => json(response, {}));
    opened.push({ close: () => server.stop() });
    const error = await failureOf(dial({ ...server, url: server.url.replace('http:', 'https:') }).send(GET));
    expect(error.message).toContain('TLS could not be set up: does the server speak https at this port?');
  });

  it('refuses requests once closed', async () => {
    const server = await serve((_, response) => json(response, {}));
    const transport = dial(server);
    await transport.close();
    expect(isConnectionError(await failureOf(transport.send(GET)), 'CLOSED')).toBe(true);
  });
});
