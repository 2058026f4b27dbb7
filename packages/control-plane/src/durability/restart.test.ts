import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiRequest, Json } from '@outrigger/core';
import { createRealRuntime } from '@outrigger/kube/node';
import { afterAll, expect, it } from 'vitest';
import { type ControlPlane, createControlPlane } from '../assemble.js';

const dir = mkdtempSync(join(tmpdir(), 'restart-'));
const runtime = createRealRuntime();
afterAll(() => {
  runtime.scope.close();
  rmSync(dir, { recursive: true });
});

async function send<T>(plane: ControlPlane, method: ApiRequest['method'], path: string, body?: unknown): Promise<T> {
  const answer = await plane.transport().send({ method, path, ...(body === undefined ? {} : { body: body as Json }) });
  expect(answer.status).toBeLessThan(300);
  return answer.body as T;
}

it('a server in a folder is the same after a restart: its objects, its authority, its tokens', async () => {
  const first = await createControlPlane({ runtime, storage: { dir } });
  await first.start();
  await send(first, 'POST', '/api/v1/namespaces/default/configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kept' },
    data: { a: '1' },
  });
  await send(first, 'POST', '/api/v1/namespaces/default/serviceaccounts', {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'bot' },
  });
  const order = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { status } = await send<{ status: { token: string } }>(
    first,
    'POST',
    '/api/v1/namespaces/default/serviceaccounts/bot/token',
    order,
  );
  await runtime.timers.sleep(100); // its controllers come to rest
  await first.stop();

  const second = await createControlPlane({ runtime, storage: { dir } });
  await second.start();
  const { revision } = second.store;
  expect(second.authority).toBe(first.authority);
  expect(await send(second, 'GET', '/api/v1/namespaces/default/configmaps/kept')).toMatchObject({ data: { a: '1' } });
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: status.token } };
  expect(await send(second, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', review)).toMatchObject({
    status: { authenticated: true, user: { username: 'system:serviceaccount:default:bot' } },
  });
  await runtime.timers.sleep(50);
  expect(second.store.revision).toBe(revision); // nothing is written over a settled store
  await second.stop();

  const keys = readdirSync(join(dir, 'pki')).filter((file) => file.endsWith('.key'));
  expect(keys.sort()).toEqual(['ca.key', 'sa.key']);
  for (const key of keys) expect(statSync(join(dir, 'pki', key)).mode & 0o077).toBe(0);
});
