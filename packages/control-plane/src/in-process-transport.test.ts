import type { ApiRequest } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { SYSTEM } from './auth/identities.js';
import { InProcessTransport } from './in-process-transport.js';

describe('the in-process transport', () => {
  const request: ApiRequest = { method: 'GET', path: '/x' };
  const seen: (AbortSignal | undefined)[] = [];
  let isStopped = false;
  const make = (): InProcessTransport =>
    new InProcessTransport(
      async (_, identity, signal) => {
        seen.push(signal);
        return { status: 200, headers: {}, body: identity.user };
      },
      SYSTEM,
      () => isStopped,
    );

  it('asks as its identity', async () => {
    expect((await make().send(request)).body).toBe('system:apiserver');
  });

  it('ends its watches when it is closed, or when the caller is', async () => {
    const transport = make();
    const caller = new AbortController();
    await transport.send({ ...request, watch: true });
    await transport.send({ ...request, watch: true }, caller.signal);
    const [first, second] = seen.slice(-2);
    caller.abort();
    expect([first?.aborted, second?.aborted]).toEqual([false, true]);
    await transport.close();
    expect(first?.aborted).toBe(true);
    await expect(transport.send(request)).rejects.toThrow('closed');
  });

  it('gives no answer for who has already left, or when nobody is there to answer', async () => {
    await expect(make().send(request, AbortSignal.abort())).rejects.toThrow('aborted');
    isStopped = true;
    await expect(make().send(request)).rejects.toThrow('the server has stopped');
  });
});
