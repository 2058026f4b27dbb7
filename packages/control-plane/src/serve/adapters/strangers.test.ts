import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { ApiResponse } from '@outrigger/core';
import { createRealRuntime } from '@outrigger/kube/node';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Authority, issueServingCertificate, issueUserCertificate, loadCredentials, memoryVault } from '../../auth/credentials.js';
import type { Limits } from '../limits.js';
import { startServer, type RunningServer } from './server.js';

const noop = (): void => undefined;
const runtime = createRealRuntime({ log: { debug: noop, info: noop, warn: noop, error: noop } as never });
afterAll(() => runtime.scope.close());

const MEGABYTE = 1024 * 1024;
/** The default of vi.waitFor, one second, may not be enough for one handshake on a busy machine. */
const BEFORE_TEST_ENDS = { timeout: 50_000 };
let authority: Authority;
let admin: { certificate: string; privateKey: string };
let server: RunningServer;
let bodies: number[] = [];
const opened: { destroy(): void }[] = [];

beforeAll(async () => {
  ({ authority } = await loadCredentials(runtime, memoryVault()));
  admin = await issueUserCertificate(runtime, authority, { name: 'ann', groups: [] });
});
afterEach(async () => {
  for (const each of opened.splice(0)) each.destroy();
  await server.close();
});

const answer: ApiResponse = { status: 200, headers: { 'content-type': 'application/json' }, body: {} };
const forbidden: ApiResponse = { status: 403, headers: { 'content-type': 'application/json' }, body: {} };

/** Starts a server that accepts only the user ann and the token `good`. */
async function start(limits: Partial<Limits> = {}): Promise<void> {
  bodies = [];
  server = await startServer({
    runtime,
    handle: async ({ body }, { user }) => {
      bodies.push(body instanceof Uint8Array ? body.length : 0);
      return user === 'system:anonymous' || user === 'poor' ? forbidden : answer;
    },
    permits: async (_request, { user }) => user !== 'system:anonymous' && user !== 'poor',
    host: '127.0.0.1',
    port: 0,
    ...(await issueServingCertificate(runtime, authority, '127.0.0.1')),
    clientAuthority: authority.certificate,
    authenticateToken: async (token) =>
      token === 'good' || token === 'poor' ? { identity: { user: token, groups: [] }, audiences: [] } : { problem: 'no' },
    authorize: () => ({ allowed: true }),
    now: () => runtime.clock.now(),
    limits,
  });
}

function tls(options: object = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: '127.0.0.1', port: server.port, ca: authority.certificate, ...options }, () => resolve(socket));
    opened.push(socket);
    socket.on('error', reject);
  });
}

function tcp(): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connectTcp(server.port, '127.0.0.1', () => resolve(socket));
    opened.push(socket);
    socket.on('error', noop);
  });
}

function http2(options: object = {}): ClientHttp2Session {
  const session = connectHttp2(`https://127.0.0.1:${server.port}`, { ca: authority.certificate, maxSessionMemory: 100, ...options });
  session.on('error', noop);
  opened.push(session);
  return session;
}

function status(session: ClientHttp2Session, headers: Record<string, string> = {}, body?: Buffer): Promise<number | string> {
  if (session.closed || session.destroyed) return Promise.resolve('closed');
  return new Promise((resolve) => {
    const stream = session.request({ ':path': '/x', ':method': body ? 'POST' : 'GET', ...headers });
    stream.on('response', (answered) => resolve(Number(answered[':status'])));
    stream.on('error', (error: Error) => resolve(error.message));
    stream.on('close', () => resolve('closed'));
    stream.end(body);
  });
}

const ann = (): object => ({ cert: admin.certificate, key: admin.privateKey });

describe('AT-57 a body that is refused is not read', () => {
  it.each([
    ['without a credential', {}],
    ['with a wrong token', { authorization: 'Bearer wrong' }],
    ['without the right', { authorization: 'Bearer poor' }],
  ])('over HTTP/2, %s', async (_name, headers) => {
    await start();
    const session = http2();
    const answers = await Promise.all(Array.from({ length: 20 }, () => status(session, headers, Buffer.alloc(2 * MEGABYTE))));
    expect([...new Set(answers)].filter((each) => each !== 401 && each !== 403)).toEqual([]);
    expect(bodies.every((length) => length === 0)).toBe(true);
    // The session's flow-control window is 64 KiB, and it does not grow while no body is read.
    expect(server.strangers.bytesRead).toBeLessThan(MEGABYTE / 4);
  });

  it('over HTTP/1: the connection ends with the answer', async () => {
    await start();
    const socket = await tls({ ALPNProtocols: ['http/1.1'] });
    let read = '';
    socket.on('data', (chunk: Buffer) => {
      read += chunk.toString();
    });
    const ended = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', noop);
    socket.write(`POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: ${2 * MEGABYTE}\r\n\r\n`);
    await vi.waitFor(() => expect(read).toContain('403'), BEFORE_TEST_ENDS);
    expect(read.toLowerCase()).toContain('connection: close');
    await ended;
    expect(bodies).toEqual([0]);
  });

  it('one that is permitted is read', async () => {
    await start();
    expect(await status(http2(), { authorization: 'Bearer good' }, Buffer.alloc(MEGABYTE))).toBe(200);
    expect(bodies).toEqual([MEGABYTE]);
  });
});

describe('AT-57 connections without a credential', () => {
  it('are few, whatever number of clients connects, and others are not touched', async () => {
    await start({ unauthenticated: 10 });
    const known = http2(ann());
    const withToken = http2();
    expect(await status(known)).toBe(200);
    expect(await status(withToken, { authorization: 'Bearer good' })).toBe(200);
    for (let i = 0; i < 60; i++) await tls();
    await vi.waitFor(() => expect(server.strangers.unauthenticated).toBeLessThanOrEqual(10), BEFORE_TEST_ENDS);
    expect(await status(known)).toBe(200);
    expect(await status(withToken, { authorization: 'Bearer good' })).toBe(200);
    expect(await status(http2(ann()))).toBe(200);
  });

  it('that do not finish their handshake are few', async () => {
    await start({ handshakes: 10 });
    for (let i = 0; i < 60; i++) await tcp();
    await vi.waitFor(() => expect(server.strangers.handshakes).toBe(10), BEFORE_TEST_ENDS);
  });

  it('a session that continues without one is closed; one with a token is not', async () => {
    await start({ unauthenticatedRequests: 20 });
    const stranger = http2();
    const known = http2();
    for (let i = 0; i < 25 && !stranger.closed && !stranger.destroyed; i++) await status(stranger);
    for (let i = 0; i < 25; i++) expect(await status(known, { authorization: 'Bearer good' })).toBe(200);
    await vi.waitFor(() => expect(stranger.closed || stranger.destroyed).toBe(true), BEFORE_TEST_ENDS);
    expect(bodies.length).toBeLessThanOrEqual(20 + 25 + 2);
  });
});

describe('AT-57 frames that the protocols allow to be sent without end', () => {
  it.each(['HTTP/2', 'HTTP/1'])('headers over %s', async (protocol) => {
    await start();
    if (protocol === 'HTTP/2') {
      const large = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`x-${i}`, 'y'.repeat(1000)]));
      expect(await status(http2(), large)).not.toBe(200);
    } else {
      const socket = await tls({ ALPNProtocols: ['http/1.1'] });
      socket.on('error', noop);
      let read = '';
      socket.on('data', (chunk: Buffer) => {
        read += chunk.toString();
      });
      socket.write(`GET /x HTTP/1.1\r\nhost: x\r\n${'x: y'.padEnd(1000, 'y')}\r\n`.padEnd(100_000, 'z'));
      await vi.waitFor(() => expect(read).toContain('431'), BEFORE_TEST_ENDS);
    }
    expect(bodies).toEqual([]);
  });

  /** Returns an HTTP/2 frame: length, type, flags, stream. */
  const frame = (type: number, stream: number, payload: Buffer = Buffer.alloc(0), flags = 0): Buffer => {
    const head = Buffer.alloc(9);
    head.writeUIntBE(payload.length, 0, 3);
    head[3] = type;
    head[4] = flags;
    head.writeUInt32BE(stream, 5);
    return Buffer.concat([head, payload]);
  };
  const setting = (id: number, value: number): Buffer => {
    const bytes = Buffer.alloc(6);
    bytes.writeUInt16BE(id, 0);
    bytes.writeUInt32BE(value, 2);
    return bytes;
  };

  it.each([
    ['settings', frame(4, 0, setting(4, 65_535))],
    ['pings', frame(6, 0, Buffer.alloc(8))],
    ['frames for streams that do not exist', frame(8, 99, Buffer.from([0, 0, 0, 1]))],
  ])('%s that are never acknowledged: the session ends, and others are served', async (_name, flood) => {
    await start();
    const socket = await tls({ ALPNProtocols: ['h2'] });
    socket.on('error', noop);
    let isClosed = false;
    const ended = new Promise<void>((resolve) => {
      socket.on('close', () => {
        isClosed = true;
        resolve();
      });
    });
    socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0)]));
    // The client never reads, so that answers accumulate in the server. How many of them the kernel buffers depends on the machine, so the
    // client sends until the session ends.
    socket.pause();
    const many = Buffer.concat(Array.from({ length: 10_000 }, () => flood));
    for (let i = 0; i < 300 && !isClosed; i++) {
      await Promise.race([new Promise((resolve) => socket.write(many, resolve)), ended]);
    }
    socket.resume();
    await ended;
    expect(await status(http2(ann()))).toBe(200);
  });
});
