import type { AdmissionRequest, LogFields, Logger } from '@outrigger/core';
import { request } from 'node:https';
import { type Socket, connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { createCertificateAuthority, issueClientCertificate, issueServerCertificate } from '@outrigger/core/x509';
import { createRealRuntime } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpsServer, type WebhookClients, listenHttps } from './adapters/https-server.js';
import { respond } from './respond.js';

const log: string[] = [];
const note = (fields: LogFields): void => void log.push(JSON.stringify(fields));
const logger: Logger = { debug: note, info: note, warn: note, error: note, child: () => logger };
const runtime = createRealRuntime({ log: logger });
const HOUR = 3_600_000;
type Authority = Awaited<ReturnType<typeof createCertificateAuthority>>;
interface Client {
  readonly cert: string;
  readonly key: string;
}

const validity = () => ({ notBefore: Date.now() - HOUR, notAfter: Date.now() + HOUR, serial: runtime.random.bytes(16) });

async function clientOf(authority: Authority, commonName: string): Promise<Client> {
  const issued = await issueClientCertificate(runtime.keys, { commonName, ca: authority.certificate, caKey: authority.key, ...validity() });
  return { cert: issued.certificate, key: issued.privateKey };
}

describe('AT-17 the clients of the webhooks', () => {
  const asked: AdmissionRequest[] = [];
  const servers: HttpsServer[] = [];
  let serving: Authority;
  let api: Authority;
  let stranger: Authority;

  beforeAll(async () => {
    [serving, api, stranger] = (await Promise.all(
      ['serving', 'api', 'stranger'].map((commonName) => createCertificateAuthority(runtime.keys, { commonName, ...validity() })),
    )) as [Authority, Authority, Authority];
  });
  afterAll(async () => {
    for (const server of servers) await server.close();
  });

  async function listen(
    clients: WebhookClients | undefined,
    more: { readonly maxHeldBytes?: number; readonly maxConnections?: number } = {},
  ): Promise<number> {
    const certificate = await issueServerCertificate(runtime.keys, {
      commonName: 'webhook',
      ips: ['127.0.0.1'],
      ca: serving.certificate,
      caKey: serving.key,
      ...validity(),
    });
    const admission = {
      mutate: () => ({ allowed: true }) as const,
      review: async (one: AdmissionRequest) => {
        asked.push(one);
        return { allowed: true } as const;
      },
    };
    const server = await listenHttps({
      runtime,
      port: 0,
      host: '127.0.0.1',
      certificate,
      ...(clients ? { clients } : {}),
      ...more,
      respond: (path, body) => respond(admission, path, body),
    });
    servers.push(server);
    return server.port;
  }

  function ask(port: number, path: string, client?: Client): Promise<number> {
    const kind = { group: '', version: 'v1', kind: 'X' };
    const write = { uid: 'u', kind, operation: 'CREATE', userInfo: { username: 'system:admin' }, object: { metadata: { name: 'x' } } };
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: write };
    return new Promise((resolve, reject) => {
      const outgoing = request(
        { host: '127.0.0.1', port, path, method: path === '/healthz' ? 'GET' : 'POST', ca: serving.certificate, agent: false, ...client },
        (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode ?? 0));
        },
      );
      outgoing.on('error', reject);
      outgoing.end(path === '/healthz' ? undefined : JSON.stringify(review));
    });
  }

  const paths = ['/validate', '/mutate', '/convert'] as const;
  it.each(paths)('%s answers only the API server’s certificate if its authority is known', async (path) => {
    const port = await listen({ ca: api.certificate, names: ['kube-apiserver'] });
    asked.length = 0;
    expect(await ask(port, path)).toBe(401);
    expect(await ask(port, path, await clientOf(stranger, 'kube-apiserver'))).toBe(401);
    expect(await ask(port, path, await clientOf(api, 'another-name'))).toBe(401);
    expect(asked).toEqual([]);
    // The body is not a valid conversion, but the test only checks that it was read.
    expect(await ask(port, path, await clientOf(api, 'kube-apiserver'))).toBe(path === '/convert' ? 400 : 200);
  });

  it('every name of the authority if none is given; /healthz without a certificate', async () => {
    const port = await listen({ ca: api.certificate, names: [] });
    expect(await ask(port, '/validate', await clientOf(api, 'any'))).toBe(200);
    expect(await ask(port, '/healthz')).toBe(200);
  });

  it('keeps demanding it after its own certificate was exchanged', async () => {
    const port = await listen({ ca: api.certificate, names: [] });
    const next = await issueServerCertificate(runtime.keys, {
      commonName: 'webhook',
      ips: ['127.0.0.1'],
      ca: serving.certificate,
      caKey: serving.key,
      ...validity(),
    });
    servers.at(-1)?.use(next);
    expect(await ask(port, '/validate')).toBe(401);
    expect(await ask(port, '/validate', await clientOf(api, 'any'))).toBe(200);
  });

  /** Starts a request and sends only the first half of its body. */
  function half(port: number, path: string): { readonly answer: Promise<number>; end(): void } {
    const options = { host: '127.0.0.1', port, path, method: 'POST', ca: serving.certificate, agent: false };
    const outgoing = request({ ...options, headers: { 'content-length': 200_000 } });
    const answer = new Promise<number>((resolve, reject) => {
      outgoing.on('response', (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      outgoing.on('error', reject);
    });
    outgoing.write(' '.repeat(100_000));
    return {
      answer,
      end: () => {
        outgoing.on('error', () => undefined);
        answer.catch(() => undefined);
        outgoing.destroy();
      },
    };
  }

  it('AT-57 bodies of unknown clients are not read if a certificate is required', async () => {
    const port = await listen({ ca: api.certificate, names: [] });
    for (const [path, status] of [
      ['/healthz', 200],
      ['/validate', 401],
    ] as const) {
      const { answer, end } = half(port, path);
      expect(await answer).toBe(status);
      end();
    }
  });

  it('AT-57 many unfinished requests are kept within a bound, and room is made when they end', async () => {
    const port = await listen(undefined, { maxHeldBytes: 250_000 });
    const held = [half(port, '/validate'), half(port, '/validate'), half(port, '/validate')];
    expect(await Promise.race(held.map(({ answer }) => answer))).toBe(400);
    for (const { end } of held) end();
    await expect.poll(() => ask(port, '/validate')).toBe(200);
  });

  it('AT-57 unfinished requests of other clients do not keep a review out', async () => {
    const port = await listen(undefined, { maxHeldBytes: 200_000 });
    const held = [half(port, '/validate'), half(port, '/validate'), half(port, '/validate')];
    // One of the three has made room for another, so the server holds as many bytes as it may.
    expect(await Promise.race(held.map(({ answer }) => answer))).toBe(400);
    expect(await Promise.all([ask(port, '/validate'), ask(port, '/mutate')])).toEqual([200, 200]);
    for (const { end } of held) end();
  });

  // The bodies are incomplete JSON, so a parser would report a missing end. The expected reasons show that the server rejects the bodies
  // before it parses them.
  it.each([
    ['brackets', '['.repeat(1_000_000), 'nested deeper than 10100 levels'],
    ['values', `[${'1,'.repeat(500_000)}`, 'more than 400000 values'],
    ['members', `{"request":{${'"a":{},'.repeat(500_000)}`, 'more than 400000 values'],
  ])('AT-57 a body of %s is refused before it is parsed', async (_name, body, reason) => {
    const port = await listen(undefined);
    const status = await new Promise<number>((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path: '/validate', method: 'POST', ca: serving.certificate, agent: false };
      const outgoing = request(options, (response) => resolve(response.resume().statusCode ?? 0));
      outgoing.on('error', reject);
      outgoing.end(body);
    });
    expect(status).toBe(400);
    expect(log.at(-1)).toContain(reason);
  });

  const IDLE: readonly (readonly [name: string, open: (port: number) => Socket, staysOpen: boolean])[] = [
    ['that never begin their handshake', (port) => connectTcp(port, '127.0.0.1'), true],
    ['that never send a request', (port) => connectTls({ host: '127.0.0.1', port, ca: serving.certificate }), true],
    [
      'that never end their headers',
      (port) => {
        const socket = connectTls({ host: '127.0.0.1', port, ca: serving.certificate });
        socket.write('POST /validate HTTP/1.1\r\nhost: x\r\n');
        return socket;
      },
      true,
    ],
    [
      'that speak HTTP/2',
      (port) => {
        const socket = connectTls({ host: '127.0.0.1', port, ca: serving.certificate, ALPNProtocols: ['http/1.1'] });
        socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
        return socket;
      },
      false,
    ],
  ];
  it.each(IDLE)('AT-57 connections %s are few, and reviews are answered', async (_name, open, staysOpen) => {
    const port = await listen(undefined, { maxConnections: 10 });
    const sockets = Array.from({ length: 60 }, () => {
      const socket = open(port);
      socket.on('error', () => undefined);
      return socket;
    });
    // A client notices only while it reads from a connection that the server has destroyed the connection.
    for (const socket of sockets) socket.resume();
    await expect.poll(() => sockets.filter((socket) => !socket.closed).length, { timeout: 20_000 }).toBeLessThanOrEqual(10);
    // Some connections must still be open: a timeout would have closed all of them, but the limit closes only some.
    if (staysOpen) expect(sockets.some((socket) => !socket.closed)).toBe(true);
    expect(await ask(port, '/validate')).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it('AT-57 a client that offers HTTP/2 alone gets no connection', async () => {
    const port = await listen(undefined);
    const socket = connectTls({ host: '127.0.0.1', port, ca: serving.certificate, ALPNProtocols: ['h2'] });
    const refused = await new Promise<boolean>((resolve) => {
      socket.on('secureConnect', () => resolve(socket.alpnProtocol !== 'h2'));
      socket.on('error', () => resolve(true));
    });
    expect(refused).toBe(true);
    socket.destroy();
  });

  it('answer any client if no authority is known', async () => expect(await ask(await listen(undefined), '/validate')).toBe(200));
});
