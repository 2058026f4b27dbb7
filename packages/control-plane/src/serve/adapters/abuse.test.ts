import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { ApiResponse } from '@outrigger/core';
import { createRealRuntime } from '@outrigger/kube/node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Authority, issueServingCertificate, issueUserCertificate, loadCredentials, memoryVault } from '../../auth/credentials.js';
import type { Limits } from '../limits.js';
import { END_HEADERS, END_STREAM, FRAME, INDEXED, frame, header, indexedHeader, preface, requestLine, setting } from './fixtures-frames.js';
import { startServer, type RunningServer } from './server.js';

const noop = (): void => undefined;
const runtime = createRealRuntime({ log: { debug: noop, info: noop, warn: noop, error: noop } as never });
afterAll(() => runtime.scope.close());

let authority: Authority;
let ann: { readonly cert: string; readonly key: string };
let server: RunningServer;
/** The number of the abuser's requests that reached the handler. */
let handled = 0;
const opened: { destroy(): void }[] = [];

beforeAll(async () => {
  ({ authority } = await loadCredentials(runtime, memoryVault()));
  const { certificate, privateKey } = await issueUserCertificate(runtime, authority, { name: 'ann', groups: [] });
  ann = { cert: certificate, key: privateKey };
});
afterEach(async () => {
  for (const each of opened.splice(0)) each.destroy();
  await server.close();
});

const answer: ApiResponse = { status: 200, headers: { 'content-type': 'application/json' }, body: { text: 'x'.repeat(1000) } };

async function start(limits: Partial<Limits> = {}): Promise<void> {
  handled = 0;
  server = await startServer({
    runtime,
    handle: async (_request, { user }) => {
      if (user !== 'ann') handled += 1;
      return answer;
    },
    permits: async () => true,
    host: '127.0.0.1',
    port: 0,
    ...(await issueServingCertificate(runtime, authority, '127.0.0.1')),
    clientAuthority: authority.certificate,
    authenticateToken: async (token) => (token === 'tenant' ? { identity: { user: token, groups: [] }, audiences: [] } : { problem: 'no' }),
    authorize: () => ({ allowed: true }),
    now: () => runtime.clock.now(),
    limits,
  });
}

/** Opens a connection for an abuser, who can send any bytes. */
async function abuser(): Promise<{ readonly socket: TLSSocket; readonly ended: Promise<void>; isEnded(): boolean }> {
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    const one = connectTls({ host: '127.0.0.1', port: server.port, ca: authority.certificate, ALPNProtocols: ['h2'] }, () => resolve(one));
    one.on('error', reject);
  });
  opened.push(socket);
  socket.on('error', noop);
  let isEnded = false;
  const ended = new Promise<void>((resolve) => {
    socket.on('close', () => {
      isEnded = true;
      resolve();
    });
  });
  socket.resume();
  return { socket, ended, isEnded: () => isEnded };
}

/** Returns the status that a well-behaved user gets on a separate connection. */
function served(): Promise<number> {
  const session = connectHttp2(`https://127.0.0.1:${server.port}`, { ca: authority.certificate, ...ann });
  opened.push(session);
  return new Promise((resolve, reject) => {
    session.on('error', reject);
    const stream = session.request({ ':path': '/x' });
    stream.on('response', (headers) => resolve(Number(headers[':status'])));
    stream.on('error', reject);
    stream.end();
  });
}

const stranger = requestLine();
const tenant = Buffer.concat([requestLine(), header('authorization', 'Bearer tenant')]);
const who = [
  ['a stranger', stranger],
  ['a tenant', tenant],
] as const;

/** Sends `bytes` up to `times` times, until the session ends. */
async function flood(one: Awaited<ReturnType<typeof abuser>>, times: number, bytes: (turn: number) => Buffer): Promise<void> {
  for (let turn = 0; turn < times && !one.isEnded(); turn++) {
    await Promise.race([new Promise((resolve) => one.socket.write(bytes(turn), resolve)), one.ended]);
  }
}

describe('AT-57 HTTP/2 clients that do not follow the rules', () => {
  it.each(who)('%s that opens and resets streams without end loses the session, and few requests are handled', async (_name, headers) => {
    await start({ resetsPerSession: 100, resetsPerSecond: 1 });
    const one = await abuser();
    one.socket.write(preface());
    const perTurn = 200;
    await flood(one, 500, (turn) =>
      Buffer.concat(
        Array.from({ length: perTurn }, (_, i) => {
          const stream = 2 * (turn * perTurn + i) + 1;
          const reset = frame(FRAME.reset, stream, Buffer.from([0, 0, 0, 8]));
          return Buffer.concat([frame(FRAME.headers, stream, headers, END_HEADERS | END_STREAM), reset]);
        }),
      ),
    );
    await one.ended;
    // The test limits only the number of frames that the server handles. The client may send many more, because many frames can arrive
    // between two reads of the socket.
    expect(handled).toBeLessThan(10_000);
    expect(await served()).toBe(200);
  });

  it('a tenant that cancels watches now and then keeps the session', async () => {
    await start({ resetsPerSession: 20, resetsPerSecond: 1000 });
    const one = await abuser();
    one.socket.write(preface());
    for (let i = 0; i < 100; i++) {
      const stream = 2 * i + 1;
      one.socket.write(frame(FRAME.headers, stream, tenant, END_HEADERS | END_STREAM));
      await expect.poll(() => handled, { interval: 2, timeout: 10_000 }).toBe(i + 1);
      one.socket.write(frame(FRAME.reset, stream, Buffer.from([0, 0, 0, 8])));
    }
    expect(one.isEnded()).toBe(false);
  });

  it.each(who)('%s that continues headers without end loses the session', async (_name, headers) => {
    await start();
    const one = await abuser();
    one.socket.write(Buffer.concat([preface(), frame(FRAME.headers, 1, headers, END_STREAM)]));
    const more = frame(FRAME.continuation, 1, header('x', 'y'.repeat(1000)));
    await flood(one, 2000, () => Buffer.concat(Array.from({ length: 10 }, () => more)));
    await one.ended;
    expect(handled).toBe(0);
    expect(await served()).toBe(200);
  });

  it.each(who)('%s that sends a header once and refers to it thousands of times is refused', async (_name, headers) => {
    await start();
    const one = await abuser();
    const bomb = Buffer.concat([headers, indexedHeader('x', 'y'.repeat(3900)), ...Array.from({ length: 10_000 }, () => INDEXED)]);
    one.socket.write(Buffer.concat([preface(), frame(FRAME.headers, 1, bomb, END_HEADERS | END_STREAM)]));
    expect(await served()).toBe(200);
    expect(handled).toBe(0);
  });

  it('a tenant that never opens its window loses the streams with unread answers, and not one with an open request', async () => {
    await start({ stalledMs: 300 });
    const resets = new Set<number>();
    const one = await abuser();
    readFrames(one.socket, ({ type, stream }) => {
      if (type === FRAME.reset) resets.add(stream);
    });
    const noWindow = setting(4, 0);
    const streams = Array.from({ length: 100 }, (_, i) => 2 * i + 1);
    one.socket.write(
      Buffer.concat([preface(noWindow), ...streams.map((stream) => frame(FRAME.headers, stream, tenant, END_HEADERS | END_STREAM))]),
    );
    await expect.poll(() => resets.size, { timeout: 20_000 }).toBe(streams.length);
    expect(handled).toBe(streams.length);
    expect(await served()).toBe(200);
  });

  it.each([
    ['priorities', frame(FRAME.priority, 3, Buffer.from([0, 0, 0, 1, 16]))],
    ['empty data', frame(FRAME.data, 1)],
    ['an empty setting', frame(FRAME.settings, 0)],
  ])('%s without end: others are served meanwhile', async (_name, bytes) => {
    await start({ bodyMs: 2_000 });
    const one = await abuser();
    const post = Buffer.concat([requestLine('POST'), header('authorization', 'Bearer tenant')]);
    one.socket.write(Buffer.concat([preface(), frame(FRAME.headers, 1, post, END_HEADERS)]));
    const many = Buffer.concat(Array.from({ length: 5_000 }, () => bytes));
    const flooding = flood(one, 40, () => many);
    for (let i = 0; i < 5; i++) expect(await served()).toBe(200);
    await flooding;
    expect(await served()).toBe(200);
  });

  const overflow = frame(FRAME.windowUpdate, 0, Buffer.from([0x7f, 0xff, 0xff, 0xff]));
  it.each([
    ['a window that overflows', overflow],
    ['a stream of the server', frame(FRAME.headers, 2, tenant, END_HEADERS | END_STREAM)],
    ['a frame that is too large', frame(FRAME.headers, 1, Buffer.alloc(100_000))],
  ])('%s ends the session, at the latest when it is idle', async (_name, bytes) => {
    await start({ idleMs: 500 });
    const one = await abuser();
    one.socket.write(Buffer.concat([preface(), bytes]));
    await one.ended;
    expect(handled).toBe(0);
    expect(await served()).toBe(200);
  });
});

/** Calls `found` for every frame that the server sends. */
function readFrames(socket: TLSSocket, found: (one: { readonly type: number; readonly stream: number }) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
      found({ type: rest[3] ?? 0, stream: rest.readUInt32BE(5) & 0x7fffffff });
      rest = rest.subarray(9 + rest.readUIntBE(0, 3));
    }
  });
}
