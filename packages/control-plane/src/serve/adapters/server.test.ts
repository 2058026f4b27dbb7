import { X509Certificate } from 'node:crypto';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { request as requestHttps } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import type { ApiRequest, ApiResponse } from '@outrigger/core';
import { createRealRuntime } from '@outrigger/kube/node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Authority, issueServingCertificate, issueUserCertificate, loadCredentials, memoryVault } from '../../auth/credentials.js';
import type { Identity, ServedWatchEvent } from '../../handle/contract.js';
import type { Limits } from '../limits.js';
import { startServer, type RunningServer } from './server.js';

const runtime = createRealRuntime({ log: silent() });
afterAll(() => runtime.scope.close());

interface Call {
  readonly request: ApiRequest;
  readonly identity: Identity;
  readonly signal: AbortSignal | undefined;
}

let authority: Authority;
let stranger: Authority;
let admin: { certificate: string; privateKey: string };
let server: RunningServer;
let calls: Call[] = [];
let respond: (call: Call) => ApiResponse | Promise<ApiResponse>;

beforeAll(async () => {
  ({ authority } = await loadCredentials(runtime, memoryVault()));
  ({ authority: stranger } = await loadCredentials(runtime, memoryVault()));
  admin = await issueUserCertificate(runtime, authority, { name: 'ann', groups: ['dev', 'ops'] });
  server = await start();
});

async function start(limits: Partial<Limits> = {}, now: () => number = () => runtime.clock.now()): Promise<RunningServer> {
  return startServer({
    runtime,
    handle: async (request, identity, signal) => {
      const call = { request, identity, signal };
      calls.push(call);
      return respond(call);
    },
    host: '127.0.0.1',
    port: 0,
    ...(await issueServingCertificate(runtime, authority, '127.0.0.1')),
    clientAuthority: authority.certificate,
    authenticateToken: async (token) => (token === 'good' ? { identity: { user: 'bot', groups: [] }, audiences: [] } : { problem: 'no' }),
    authorize: ({ identity }) => ({ allowed: identity.user === 'ann' }),
    permits: async (_request, identity) => identity.user !== 'system:anonymous',
    now,
    limits,
  });
}
afterAll(() => server.close());
afterEach(() => {
  calls = [];
});

const ok = (body: unknown): ApiResponse => ({ status: 200, headers: { 'content-type': 'application/json' }, body });
const asAnn = () => ({ cert: admin.certificate, key: admin.privateKey });

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

function https(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: Buffer | (() => Iterable<Buffer>); tls?: object } = {},
): Promise<Answer> {
  const { method = 'GET', headers = {}, body, tls = {} } = options;
  return new Promise((resolve, reject) => {
    const sent = requestHttps(
      { host: '127.0.0.1', port: server.port, path, method, headers, ca: authority.certificate, agent: false, ...tls },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }));
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    if (typeof body === 'function') for (const chunk of body()) sent.write(chunk);
    sent.end(typeof body === 'function' ? undefined : body);
  });
}

function http2(): ClientHttp2Session {
  return connectHttp2(`https://127.0.0.1:${server.port}`, { ca: authority.certificate, ...asAnn() });
}

function get2(session: ClientHttp2Session, path: string): Promise<{ status: number; length: number; text: string }> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':path': path });
    let status = 0;
    const chunks: Buffer[] = [];
    stream.on('response', (headers) => {
      status = Number(headers[':status']);
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const body = Buffer.concat(chunks);
      resolve({ status, length: body.length, text: body.toString() });
    });
    stream.on('error', reject);
  });
}

describe('the identity of a request', () => {
  const identityOf = async (...args: Parameters<typeof https>): Promise<Identity | number> => {
    respond = () => ok({});
    const { status } = await https(...args);
    return status === 200 ? (calls[0] as Call).identity : status;
  };

  it('the subject of a client certificate', async () => {
    expect(await identityOf('/x', { tls: asAnn() })).toMatchObject({ user: 'ann', groups: ['dev', 'ops', 'system:authenticated'] });
  });
  it('the subject of a client certificate, over HTTP/2 too', async () => {
    respond = () => ok({});
    const session = http2();
    await Promise.all([get2(session, '/x'), get2(session, '/y')]);
    session.destroy();
    expect(calls.map(({ identity }) => identity.user)).toEqual(['ann', 'ann']);
  });
  it('the owner of a bearer token', async () => {
    expect(await identityOf('/x', { headers: { authorization: 'Bearer good' } })).toEqual({ user: 'bot', groups: [] });
  });
  it('anonymous, without credentials', async () => {
    expect(await identityOf('/x')).toEqual({ user: 'system:anonymous', groups: ['system:unauthenticated'] });
  });
  it('refused with a wrong token, never anonymous', async () => {
    expect(await identityOf('/x', { headers: { authorization: 'Bearer bad' } })).toBe(401);
  });
  it('refused with a certificate of another authority', async () => {
    const { certificate, privateKey } = await issueUserCertificate(runtime, stranger, { name: 'ann', groups: ['system:masters'] });
    expect(await identityOf('/x', { tls: { cert: certificate, key: privateKey } })).toBe(401);
  });
  it('refused with a server’s certificate', async () => {
    const { certificate, privateKey } = await issueServingCertificate(runtime, authority, 'x');
    expect(await identityOf('/x', { tls: { cert: certificate, key: privateKey } })).toBe(401);
  });
  it('the impersonated user, if the caller may impersonate', async () => {
    expect(await identityOf('/x', { tls: asAnn(), headers: { 'Impersonate-User': 'eve' } })).toEqual({
      user: 'eve',
      groups: ['system:authenticated'],
    });
    expect(await identityOf('/x', { headers: { 'Impersonate-User': 'eve', authorization: 'Bearer good' } })).toBe(403);
  });
});

describe('bodies', () => {
  it('arrive as bytes', async () => {
    respond = ({ request }) => ok({ got: Buffer.from(request.body as Uint8Array).toString() });
    const { body } = await https('/x', { method: 'POST', body: Buffer.from('{"a":1}'), tls: asAnn() });
    expect(JSON.parse(body.toString())).toEqual({ got: '{"a":1}' });
  });

  it.each([
    { name: 'announced', body: Buffer.alloc(10_000_000) },
    { name: 'not announced', body: () => Array.from({ length: 40 }, () => Buffer.alloc(100_000)) },
  ])('over 3 MB are refused when $name', async ({ body }) => {
    respond = () => ok({});
    const answer = await https('/x', { method: 'POST', body, tls: asAnn() }).catch((error: NodeJS.ErrnoException) => error);
    // The server may close the connection while the client is still sending; it must not have read the whole body.
    if (!(answer instanceof Error)) expect(answer.status).toBe(413);
    expect(calls).toEqual([]);
  });
});

describe('answers', () => {
  const list = (bytes: number) => ({
    kind: 'List',
    items: Array.from({ length: Math.ceil(bytes / 1000) }, (_, i) => ({ i, pad: 'x'.repeat(980) })),
  });

  it('of 2 MB all arrive, twenty at once on one HTTP/2 session', async () => {
    const body = list(2_000_000);
    respond = () => ok(body);
    const session = http2();
    try {
      const answers = await Promise.all(Array.from({ length: 20 }, () => get2(session, '/x')));
      const want = Buffer.byteLength(JSON.stringify(body)) + 1;
      expect(new Set(answers.map(({ length }) => length))).toEqual(new Set([want]));
    } finally {
      session.destroy();
    }
  });

  it('that are large are compressed for clients that accept it', async () => {
    const body = list(500_000);
    respond = () => ok(body);
    const answer = await https('/x', { headers: { 'accept-encoding': 'gzip' }, tls: asAnn() });
    expect(answer.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(answer.body).toString())).toEqual(body);
    expect((await https('/x', { tls: asAnn() })).headers['content-encoding']).toBeUndefined();
    const refused = await https('/x', { headers: { 'accept-encoding': 'gzip;q=0, identity' }, tls: asAnn() });
    expect(refused.headers['content-encoding']).toBeUndefined();
  });

  it('carry status and headers, and no body to HEAD', async () => {
    respond = () => ({ status: 201, headers: { 'content-type': 'application/json', warning: '299 - "careful"' }, body: { a: 1 } });
    const answer = await https('/x', { method: 'HEAD', tls: asAnn() });
    expect(answer).toMatchObject({ status: 201, headers: { warning: '299 - "careful"', 'cache-control': 'no-cache, private' } });
    expect(answer.body.length).toBe(0);
  });

  it.each(['é', '日本', '😀', '\u0085', '\ud800', '\u202e'])('carry a warning that contains %j as UTF-8', async (text) => {
    respond = () => ({ status: 201, headers: { 'content-type': 'application/json', warning: `299 - "${text}"` }, body: { a: 1 } });
    const { status, headers } = await https('/x', { tls: asAnn() });
    const sent = Buffer.from(String(headers['warning']), 'latin1').toString('utf8');
    expect([status, sent]).toEqual([201, `299 - "${text.replace('\ud800', '\ufffd')}"`]);
  });

  it('that fail do not show internal details', async () => {
    respond = () => Promise.reject(new Error('secret detail'));
    const answer = await https('/x', { tls: asAnn() });
    expect(answer.status).toBe(500);
    expect(answer.body.toString()).not.toContain('secret');
  });

  it('to methods that do not exist are refusals', async () => {
    expect((await https('/x', { method: 'TRACE', tls: asAnn() })).status).toBe(405);
  });
});

const eventLine = (i: number, pad = ''): ServedWatchEvent => ({
  type: 'ADDED',
  object: { apiVersion: 'v1', kind: 'X', metadata: {} },
  line: Buffer.from(`{"type":"ADDED","object":{"i":${i},"pad":"${pad}"}}\n`),
});
const watch = (events: AsyncIterable<ServedWatchEvent>): ApiResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  events,
});
/** Yields events without end. Calls `onEnd` when the server stops reading them. */
async function* endless(onEnd: () => void): AsyncGenerator<ServedWatchEvent> {
  try {
    for (let i = 0; ; i += 1) yield eventLine(i, 'x'.repeat(10_000));
  } finally {
    onEnd();
  }
}
/** Returns the events of a watch in which nothing happens. */
function quiet(signal: AbortSignal | undefined): AsyncIterable<ServedWatchEvent> {
  const end = new Promise<{ done: true; value: undefined }>((resolve) =>
    signal?.addEventListener('abort', () => resolve({ done: true, value: undefined })),
  );
  return { [Symbol.asyncIterator]: () => ({ next: () => end }) };
}

describe('watches', () => {
  it.each(['HTTP/1.1', 'HTTP/2'])('stream line by line over %s', async (protocol) => {
    respond = () =>
      watch(
        (async function* () {
          for (let i = 0; i < 1000; i += 1) yield eventLine(i);
        })(),
      );
    const session = protocol === 'HTTP/2' ? http2() : undefined;
    const text = session ? (await get2(session, '/x?watch=1')).text : (await https('/x?watch=1', { tls: asAnn() })).body.toString();
    session?.destroy();
    const seen = text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { object: { i: number } }).object.i);
    expect(seen).toEqual(Array.from({ length: 1000 }, (_, i) => i));
  });

  it('end on the server when the client disconnects', async () => {
    const ended = new Promise<void>((resolve) => {
      respond = ({ signal }) => {
        signal?.addEventListener('abort', () => resolve());
        return watch(
          (async function* () {
            yield eventLine(0);
            await new Promise<void>((done) => signal?.addEventListener('abort', () => done()));
          })(),
        );
      };
    });
    const session = http2();
    const stream = session.request({ ':path': '/x?watch=1' });
    await new Promise((resolve) => stream.once('data', resolve));
    session.destroy();
    await ended;
  });

  it('of a client that does not read delay no other client, and their buffers are bounded', async () => {
    let produced = 0;
    const pad = 'x'.repeat(10_000);
    respond = ({ request, signal }) =>
      request.path === '/slow'
        ? watch(
            (async function* () {
              while (!signal?.aborted) {
                produced += 1;
                yield eventLine(produced, pad);
              }
            })(),
          )
        : ok({});
    const stuck = connectTls({ host: '127.0.0.1', port: server.port, ca: authority.certificate, ...asAnn() });
    await new Promise<void>((resolve) => stuck.once('secureConnect', resolve));
    stuck.pause();
    stuck.write('GET /slow?watch=1 HTTP/1.1\r\nhost: x\r\n\r\n');
    let before = -1;
    while (before !== produced) {
      before = produced;
      await Promise.all(Array.from({ length: 5 }, () => https('/x', { tls: asAnn() })));
    }
    expect(produced).toBeGreaterThan(0);
    expect(produced * pad.length).toBeLessThan(50_000_000);
    stuck.destroy();
  });
});

/** Opens a raw TLS connection for a client that writes HTTP/1.1 itself, to send malformed or slow requests. */
async function rawClient(port: number): Promise<TLSSocket> {
  const socket = connectTls({ host: '127.0.0.1', port, ca: authority.certificate, ...asAnn() });
  socket.on('error', () => {}); // These tests expect the server to close the connection.
  await new Promise<void>((resolve) => socket.once('secureConnect', resolve));
  return socket;
}
const closed = (socket: TLSSocket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()));

const WATCHES = ['HTTP/1.1', 'HTTP/2'].flatMap((protocol) =>
  ['/x?watch=1', '/api/v1/watch/pods'].map((path): [string, string] => [protocol, path]),
);

describe('AT-45 a user who opens watches without end', () => {
  it.each(WATCHES)('cannot open more of them until one has ended (%s %s)', async (protocol, path) => {
    const bounded = await start({ watchesPerUser: 2 });
    respond = ({ signal }) => watch(quiet(signal));
    const sessions: { destroy(): void }[] = [];
    const open = async (): Promise<{ readonly status: number; close(): void }> => {
      if (protocol === 'HTTP/2') {
        const session = connectHttp2(`https://127.0.0.1:${bounded.port}`, { ca: authority.certificate, ...asAnn() });
        sessions.push(session);
        const stream = session.request({ ':path': path });
        const status = await new Promise<number>((resolve) => stream.once('response', (headers) => resolve(Number(headers[':status']))));
        return { status, close: () => stream.close() };
      }
      const socket = await rawClient(bounded.port);
      sessions.push(socket);
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
      const head = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
      return { status: Number(head.toString().split(' ')[1]), close: () => socket.destroy() };
    };
    const first = await open();
    expect([first.status, (await open()).status, (await open()).status]).toEqual([200, 200, 429]);
    first.close();
    // The server detects the end of the watch when its connection or stream has closed.
    while ((await open()).status !== 200) await runtime.timers.sleep(10);
    for (const session of sessions) session.destroy();
    await bounded.close();
  });
});

describe('AT-07 a certificate that ends during a watch', () => {
  it.each(WATCHES)('ends the watch, and further requests of the connection are refused (%s %s)', async (protocol, path) => {
    const { validTo } = new X509Certificate(admin.certificate);
    // The server's clock does not advance, so that a slow handshake cannot outlast the certificate.
    let now = Date.parse(validTo) - 100;
    const late = await start({}, () => now);
    respond = ({ signal }) => watch(quiet(signal));
    if (protocol === 'HTTP/2') {
      const session = connectHttp2(`https://127.0.0.1:${late.port}`, { ca: authority.certificate, ...asAnn() });
      const stream = session.request({ ':path': path });
      stream.on('error', () => {}); // The server ends the stream, which the client may report as an error.
      const ended = new Promise<void>((resolve) => stream.once('close', () => resolve()));
      expect(await new Promise((resolve) => stream.once('response', (headers) => resolve(headers[':status'])))).toBe(200);
      await ended;
      now += 1000;
      expect((await get2(session, '/x')).status).toBe(401);
      session.destroy();
    } else {
      const socket = await rawClient(late.port);
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
      socket.resume();
      await closed(socket);
    }
    await late.close();
  });
});

describe('clients that are slow on purpose', () => {
  let strict: RunningServer;
  beforeAll(async () => {
    strict = await start({ headersMs: 200, bodyMs: 200, stalledMs: 200, idleMs: 300 });
  });
  afterAll(() => strict.close());

  it('are disconnected if they send their headers slowly', async () => {
    const socket = await rawClient(strict.port);
    socket.write('GET /x HTTP/1.1\r\nhost: x\r\nx-slow: ');
    socket.resume();
    await closed(socket);
  });

  it('get an error if they send their body slowly', async () => {
    const socket = await rawClient(strict.port);
    socket.write('POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{');
    let text = '';
    socket.on('data', (data: Buffer) => {
      text += data.toString();
    });
    // The server closes the connection; the client sends neither the rest of the body nor an end.
    await closed(socket);
    expect(text).toMatch(/^HTTP\/1\.1 408 [\s\S]*connection: close/i);
    expect(calls).toEqual([]);
  });

  it('lose a watch that they read slowly', async () => {
    const ended = new Promise<void>((resolve) => {
      respond = () => watch(endless(resolve));
    });
    const socket = await rawClient(strict.port);
    socket.pause();
    socket.write('GET /x?watch=1 HTTP/1.1\r\nhost: x\r\n\r\n');
    await ended;
    await closed(socket.resume());
  });

  it('lose their session if they send nothing, unless they watch', async () => {
    respond = ({ signal }) => watch(quiet(signal));
    const connect = (): ClientHttp2Session => connectHttp2(`https://127.0.0.1:${strict.port}`, { ca: authority.certificate, ...asAnn() });
    const [idle, watching] = [connect(), connect()];
    const idleEnded = new Promise<void>((resolve) => idle.once('close', () => resolve()));
    const stream = watching.request({ ':path': '/x?watch=1' });
    await new Promise((resolve) => stream.once('response', resolve));
    await idleEnded;
    await runtime.timers.sleep(400);
    expect(watching.closed).toBe(false);
    watching.destroy();
  });
});

describe('stopping', () => {
  it('ends watches cleanly, asks clients to disconnect, and closes', async () => {
    respond = ({ signal }) => watch(quiet(signal));
    const second = await start();
    const session = connectHttp2(`https://127.0.0.1:${second.port}`, { ca: authority.certificate });
    const stream = session.request({ ':path': '/x?watch=1' });
    await new Promise((resolve) => stream.once('response', resolve));
    const ended = new Promise((resolve) => stream.once('end', resolve));
    const goaway = new Promise((resolve) => session.once('goaway', resolve));
    stream.resume();
    await second.close();
    await Promise.all([ended, goaway]);
  });
});

function silent() {
  const log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
  return log;
}
