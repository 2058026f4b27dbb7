import type { WatchEvent } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { event } from './fixtures.js';
import { createInProcessTransport } from './in-process.js';

describe('in-process transport', () => {
  it('hands over requests and answers as they are', async () => {
    const body = Object.freeze({ kind: 'Widget' });
    const transport = createInProcessTransport(async (request) => ({ status: 200, headers: { path: request.path }, body }));
    const response = await transport.send({ method: 'GET', path: '/x' });
    expect(response.headers['path']).toBe('/x');
    expect(response.body).toBe(body);
  });

  it('ends requests and watches when closed, and takes no more', async () => {
    async function* events(signal: AbortSignal): AsyncGenerator<WatchEvent> {
      yield event('ADDED', 'a', '1');
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    }
    const transport = createInProcessTransport((request, signal) =>
      request.watch ? Promise.resolve({ status: 200, headers: {}, events: events(signal) }) : new Promise(() => undefined),
    );
    const request = transport.send({ method: 'GET', path: '/' });
    const watch = await transport.send({ method: 'GET', path: '/', watch: true });
    const read = (async () => {
      for await (const _ of watch.events ?? []);
    })();
    await transport.close();
    await expect(request).rejects.toMatchObject({ name: 'ConnectionError', code: 'CLOSED' });
    await expect(read).rejects.toMatchObject({ name: 'ConnectionError', code: 'CLOSED' });
    await expect(transport.send({ method: 'GET', path: '/' })).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('notifies the handler when a watch is no longer read', async () => {
    let reason: unknown;
    async function* events(signal: AbortSignal): AsyncGenerator<WatchEvent> {
      signal.addEventListener('abort', () => {
        reason = signal.reason;
      });
      yield event('ADDED', 'a', '1');
      yield event('ADDED', 'b', '2');
    }
    const transport = createInProcessTransport(async (_, signal) => ({ status: 200, headers: {}, events: events(signal) }));
    const watch = await transport.send({ method: 'GET', path: '/', watch: true });
    for await (const _ of watch.events ?? []) break;
    expect(String(reason)).toContain('the reader of this watch is gone');
  });

  it('follows the signal of the caller even if the handler does not', async () => {
    const transport = createInProcessTransport(() => new Promise(() => undefined));
    const stop = new AbortController();
    const request = transport.send({ method: 'GET', path: '/' }, stop.signal);
    stop.abort(new Error('stopped'));
    await expect(request).rejects.toThrow('stopped');
  });
});
