import type { ApiRequest } from '@outrigger/core';
import { createRealRuntime } from '@outrigger/kube/node';
import { describe, expect, it } from 'vitest';
import { SYSTEM } from './auth/identities.js';
import type { Attributes, Identity } from './handle/contract.js';
import { InProcessTransport } from './in-process-transport.js';

describe('the in-process transport', () => {
  const request: ApiRequest = { method: 'GET', path: '/x' };
  const seen: (AbortSignal | undefined)[] = [];
  let isStopped = false;
  const agent: Identity = { user: 'agent', groups: [] };
  const asked: Attributes[] = [];
  const make = (identity: Identity = SYSTEM): InProcessTransport =>
    new InProcessTransport(
      {
        runtime: createRealRuntime(),
        handle: async (_, { user, groups }, signal) => {
          seen.push(signal);
          return { status: 200, headers: {}, body: [user, ...groups].join(' ') };
        },
        authorize: (attributes) => {
          asked.push(attributes);
          return { allowed: attributes.name === 'runner' };
        },
        isStopped: () => isStopped,
      },
      identity,
    );

  it('sends requests as its identity', async () => {
    expect((await make().send(request)).body).toBe('system:apiserver system:masters system:authenticated');
  });

  it('uses the impersonated identity, if the caller may impersonate it', async () => {
    const user = 'system:serviceaccount:apps:runner';
    const { body } = await make(agent).send({ ...request, headers: { 'impersonate-user': user } });
    expect(body).toBe(`${user} system:serviceaccounts system:serviceaccounts:apps system:authenticated`);
    expect(asked.at(-1)).toMatchObject({ identity: agent, verb: 'impersonate', resource: 'serviceaccounts', namespace: 'apps' });
  });

  it.each([
    [
      'a user it may not be',
      { 'impersonate-user': 'ann' },
      403,
      'users "ann" is forbidden: User "agent" cannot impersonate resource "users"',
    ],
    ['a group without a user', { 'impersonate-group': 'dev' }, 400, 'without impersonating a user'],
  ])('answers %s with a refusal', async (_, headers, status, message) => {
    const answer = await make(agent).send({ ...request, headers });
    expect([answer.status, (answer.body as { message: string }).message]).toEqual([status, expect.stringContaining(message)]);
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

  it('does not answer an aborted request, or after the server is closed', async () => {
    await expect(make().send(request, AbortSignal.abort())).rejects.toThrow('aborted');
    isStopped = true;
    await expect(make().send(request)).rejects.toThrow('the server has stopped');
  });
});
