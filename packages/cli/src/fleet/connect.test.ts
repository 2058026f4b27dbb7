import type { ApiRequest, Transport } from '@outrigger/core';
import { expect, it } from 'vitest';
import { untilAnswered } from './connect.js';

const request: ApiRequest = { method: 'GET', path: '/version' };

it('a hub that has answered once causes no timeout, however long the command follows it', async () => {
  let answered = 0;
  const silent: Transport = { send: () => Promise.reject(new Error('refused')), close: async () => undefined };
  const hub: Transport = { ...silent, send: async () => ({ status: 200, headers: {}, body: {} }) };
  await expect(untilAnswered(silent, () => answered++).send(request)).rejects.toThrow('refused');
  expect(answered).toBe(0);
  await untilAnswered(hub, () => answered++).send(request);
  expect(answered).toBe(1);
});
