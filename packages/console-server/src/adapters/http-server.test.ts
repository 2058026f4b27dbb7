import { request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { createCertificateAuthority, issueServerCertificate } from '@outrigger/core/x509';
import { createRealRuntime } from '@outrigger/kube/node';
import { afterEach, describe, expect, it } from 'vitest';
import type { App } from '../http/app.js';
import type { HttpRequest, Sink } from '../http/messages.js';
import { type ConsoleServer, serveConsole } from './http-server.js';

const runtime = createRealRuntime();
let server: ConsoleServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const echo: App = async ({ method, url, headers, body }) => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ method, url, headers, body }),
});

async function serve(app: App, tls?: { readonly cert: string; readonly key: string }): Promise<ConsoleServer> {
  server = await serveConsole({ runtime, app, host: '127.0.0.1', port: 0, ...(tls ? { tls } : {}) });
  return server;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

function send(port: number, options: object, body = '', isTls = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const ask = isTls ? httpsRequest : httpRequest;
    const request = ask({ host: '127.0.0.1', port, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

describe('the sockets of the console', () => {
  it('pass on method, address, headers and body', async () => {
    const { port } = await serve(echo);
    const answer = await send(port, { method: 'POST', path: '/api/x?y=%2F', headers: { 'X-Any': 'a' } }, '{"a":1}');
    const seen = JSON.parse(answer.body.toString()) as HttpRequest;
    expect(seen).toMatchObject({ method: 'POST', url: '/api/x?y=%2F', body: '{"a":1}', headers: { 'x-any': 'a' } });
  });

  it('accept a body of the maximum size', async () => {
    const { port } = await serve(echo);
    expect((await send(port, { method: 'POST' }, 'x'.repeat(64 * 1024))).status).toBe(200);
  });

  it.each([
    ['with a length', `Content-Length: ${1024 ** 3}`, (data: string): string => data],
    ['in chunks', 'Transfer-Encoding: chunked', (data: string): string => `${data.length.toString(16)}\r\n${data}\r\n`],
  ])('refuse a body that is too large, %s, and close the connection without reading the rest', async (_name, header, encode) => {
    const { port } = await serve(echo);
    const piece = encode('x'.repeat(16 * 1024));
    const { answered, sent } = await new Promise<{ answered: string; sent: number }>((resolve) => {
      let answered = '';
      let sent = 0;
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(`POST /api/x HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n`);
        const more = (): void => {
          // The loop ends when the kernel's buffers are full, and starts again only after the server has read some data.
          while (sent < 64 * 1024 ** 2 && !socket.destroyed) {
            sent += piece.length;
            if (!socket.write(piece)) return void socket.once('drain', more);
          }
          socket.end();
        };
        more();
      });
      socket.on('data', (chunk: Buffer) => {
        answered += chunk.toString();
      });
      socket.on('error', () => undefined); // The server closes the connection while the client sends.
      socket.on('close', () => resolve({ answered, sent }));
    });
    if (answered !== '') expect(answered).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i);
    expect(sent).toBeLessThan(32 * 1024 ** 2);
  });

  it('join a header that is sent twice, so that neither value is accepted', async () => {
    const { port } = await serve(echo);
    const text = await new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write('GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\nConnection: close\r\n\r\n'),
      );
      let got = '';
      socket.on('data', (chunk) => {
        got += chunk.toString();
      });
      socket.on('close', () => resolve(got));
    });
    expect(text).toContain('"authorization":"Bearer a, Bearer b"');
  });

  it('compress for a browser that accepts it, and only answers of some size', async () => {
    const { port } = await serve(async () => ({ status: 200, headers: {}, body: 'a'.repeat(5_000) }));
    const packed = await send(port, { headers: { 'accept-encoding': 'gzip' } });
    expect([packed.headers['content-encoding'], gunzipSync(packed.body).length]).toEqual(['gzip', 5_000]);
    const plain = await send(port, {});
    expect([plain.headers['content-encoding'], plain.body.length]).toEqual([undefined, 5_000]);
    expect((await send(port, { method: 'HEAD' })).body.length).toBe(0);
  });

  it('send a stream, and stop it when the browser leaves or the server ends', async () => {
    const sinks: Sink[] = [];
    let stopped = 0;
    const { port } = await serve(async () => ({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      stream(sink) {
        sinks.push(sink);
        sink.send('{"type":"beat"}');
        return () => void stopped++;
      },
    }));
    const first = await new Promise<string>((resolve, reject) => {
      const request = httpRequest({ host: '127.0.0.1', port }, (response) => {
        response.on('error', () => undefined);
        response.once('data', (chunk: Buffer) => {
          resolve(chunk.toString());
          request.destroy();
        });
      });
      request.on('error', reject);
      request.end();
    });
    expect(first).toBe('data: {"type":"beat"}\n\n');
    await expect.poll(() => stopped).toBe(1);
    const second = send(port, {});
    await expect.poll(() => sinks.length).toBe(2);
    await server?.close();
    server = undefined;
    expect((await second).body.toString()).toContain('beat');
    expect(stopped).toBe(2);
  });

  const WASTEFUL: readonly (readonly [name: string, sent: string])[] = [
    ['that send nothing', ''],
    ['that never end their headers', 'GET / HTTP/1.1\r\nhost: a\r\n'],
    ['that never end their body', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nx'],
    ['that never read their response', 'GET /large HTTP/1.1\r\nhost: a\r\n\r\n'],
  ];
  it.each(WASTEFUL)('AT-57 connections %s are few, and neither end a stream nor keep browsers out', async (_name, sent) => {
    let stopped = 0;
    const app: App = async ({ url }) =>
      url === '/stream'
        ? { status: 200, headers: { 'content-type': 'text/event-stream' }, stream: (sink) => (sink.send('{}'), () => void stopped++) }
        : { status: 200, headers: {}, body: url === '/large' ? 'x'.repeat(16 * 1024 ** 2) : 'ok' };
    server = await serveConsole({ runtime, app, host: '127.0.0.1', port: 0, maxConnections: 10 });
    const { port } = server;
    const stream = connect(port, '127.0.0.1', () => stream.write('GET /stream HTTP/1.1\r\nhost: a\r\n\r\n'));
    await new Promise((resolve) => stream.once('data', resolve));
    const sockets = Array.from({ length: 30 }, () => {
      const socket = connect(port, '127.0.0.1', () => socket.write(sent));
      socket.on('error', () => undefined);
      // A client notices the end of its connection only if it reads.
      if (!sent.includes('large')) socket.resume();
      return socket;
    });
    if (sent.includes('large'))
      await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('readable', resolve).once('close', resolve))));
    else await expect.poll(() => sockets.filter(({ closed }) => !closed).length, { timeout: 20_000 }).toBeLessThanOrEqual(9);
    expect((await send(port, { agent: false })).body.toString()).toBe('ok');
    expect(stopped).toBe(0);
    for (const socket of [stream, ...sockets]) socket.destroy();
  });

  it('AT-57 end the connection of a browser that does not read, soon after its stream was closed', async () => {
    let stopped = 0;
    let sink: Sink | undefined;
    const { port } = await serve(async () => ({
      status: 200,
      headers: {},
      stream(one) {
        sink = one;
        while (!one.isBusy) one.send('x'.repeat(100_000));
        return () => void stopped++;
      },
    }));
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'));
    socket.on('error', () => undefined);
    await expect.poll(() => sink).toBeDefined();
    sink?.close();
    await expect.poll(() => stopped, { timeout: 20_000 }).toBe(1);
    socket.destroy();
  });

  it('speak HTTPS with a certificate, and nothing else', async () => {
    const now = runtime.clock.now();
    const valid = () => ({ notBefore: now - 60_000, notAfter: now + 3_600_000, serial: runtime.random.bytes(16) });
    const authority = await createCertificateAuthority(runtime.keys, { commonName: 'authority', ...valid() });
    const issuer = { ca: authority.certificate, caKey: authority.key };
    const names = { commonName: 'console', dnsNames: ['localhost'] };
    const issue = async (): Promise<{ readonly cert: string; readonly key: string }> => {
      const { certificate: cert, privateKey: key } = await issueServerCertificate(runtime.keys, { ...names, ...issuer, ...valid() });
      return { cert, key };
    };
    const first = await issue();
    const { port } = await serve(echo, first);
    const agent = new Agent({ ca: authority.certificate, servername: 'localhost' });
    expect((await send(port, { agent, path: '/a' }, '', true)).status).toBe(200);
    await expect(send(port, {})).rejects.toThrow('socket hang up');
    const serialOf = (): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connectTls({ host: '127.0.0.1', port, ca: authority.certificate, servername: 'localhost' }, () => {
          resolve(socket.getPeerX509Certificate()?.serialNumber ?? '');
          socket.destroy();
        });
        socket.on('error', reject);
      });
    const before = await serialOf();
    server?.useCertificate(await issue());
    expect(await serialOf()).not.toBe(before);
  });
});
