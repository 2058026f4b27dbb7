import { type RequestListener, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type BoundedRequest, sendBounded } from './bounded-request.js';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const asking = (url: string, rest: Partial<BoundedRequest> = {}): Promise<{ status: number; body: string }> =>
  sendBounded({ method: 'GET', url, timeoutMs: 10_000, maxBytes: 1000, ...rest }, new AbortController().signal);

describe('a bounded request', () => {
  it('sends its headers and body, and returns status and body', async () => {
    const url = await serve((request, response) => {
      request
        .setEncoding('utf8')
        .on('data', (text: string) => response.writeHead(201).end(`${request.headers['x-test'] as string} ${text}`));
    });
    expect(await asking(url, { method: 'POST', headers: { 'x-test': 'yes' }, body: 'hello' })).toEqual({ status: 201, body: 'yes hello' });
  });

  it('does not follow a redirect', async () => {
    const seen: string[] = [];
    const url = await serve((request, response) => {
      seen.push(request.url ?? '');
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect((await asking(url)).status).toBe(302);
    expect(seen).toEqual(['/']);
  });

  it.each([
    ['a response that is too long', 'is longer than 1000 bytes', (url: string) => asking(url)],
    ['a response that is announced as too long', 'is longer than 1000 bytes', (url: string) => asking(`${url}announced`)],
    ['a server that does not respond', 'no complete response within 0.05 s', (url: string) => asking(`${url}silent`, { timeoutMs: 50 })],
    ['a response that does not end', 'no complete response within 0.05 s', (url: string) => asking(`${url}endless`, { timeoutMs: 50 })],
  ])('refuses %s', async (_, message, send) => {
    const url = await serve((request, response) => {
      if (request.url === '/silent') return;
      if (request.url === '/endless') response.write('x');
      else if (request.url === '/announced') response.writeHead(200, { 'content-length': '5000' }).end('x'.repeat(5000));
      else for (let i = 0; i < 100; i++) response.write('x'.repeat(100));
    });
    await expect(send(url)).rejects.toThrow(message);
  });

  it('ends with its signal', async () => {
    const url = await serve(() => undefined);
    const stop = new AbortController();
    const pending = sendBounded({ method: 'GET', url, timeoutMs: 10_000, maxBytes: 1000 }, stop.signal);
    stop.abort(new Error('stopped'));
    await expect(pending).rejects.toThrow(/stopped|aborted/);
  });
});
