import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiRequest, Json, KubeObject } from '@outrigger/core';
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

const widgets: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
} as KubeObject;

it('a server in a folder is the same after a restart: its objects, its authority, its tokens', async () => {
  const first = await createControlPlane({ runtime, storage: { dir }, crds: [widgets] });
  await first.start();
  await send(first, 'POST', '/api/v1/namespaces/default/configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kept' },
    data: { a: '1' },
  });
  await send(first, 'POST', '/apis/example.com/v1/namespaces/default/widgets', {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'w' },
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
  await runtime.timers.sleep(100); // Wait until the server's controllers are idle.
  await first.stop();

  const settled = first.store.revision;
  const second = await createControlPlane({ runtime, storage: { dir }, crds: [widgets] });
  await second.start();
  expect(second.authority).toBe(first.authority);
  expect(await send(second, 'GET', '/api/v1/namespaces/default/configmaps/kept')).toMatchObject({ data: { a: '1' } });
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: status.token } };
  expect(await send(second, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', review)).toMatchObject({
    status: { authenticated: true, user: { username: 'system:serviceaccount:default:bot' } },
  });
  await runtime.timers.sleep(50);
  expect(second.store.revision).toBe(settled); // A settled server writes nothing.
  await send(second, 'GET', '/apis/example.com/v1/namespaces/default/widgets/w');
  await second.stop();

  const keys = readdirSync(join(dir, 'pki')).filter((file) => file.endsWith('.key'));
  expect(keys.sort()).toEqual(['ca.key', 'sa.key']);
  for (const key of keys) expect(statSync(join(dir, 'pki', key)).mode & 0o077).toBe(0);
});

it('an unreachable webhook does not prevent a server from starting again', async () => {
  const options = {
    runtime,
    storage: { dir: join(dir, 'guarded') },
    crds: [widgets],
    webhooks: (): Promise<never> => Promise.reject(new Error('nobody there')),
  };
  const first = await createControlPlane(options);
  await first.start();
  await send(first, 'POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    metadata: { name: 'everything' },
    webhooks: [
      {
        name: 'everything.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { url: 'https://nobody.example.com' },
        rules: [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*'] }],
      },
    ],
  });
  await first.stop();
  const second = await createControlPlane(options);
  await second.start();
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'refused' } };
  const answer = await second.transport().send({ method: 'POST', path: '/api/v1/namespaces', body: namespace });
  expect(answer.body).toMatchObject({ code: 500, message: /failed calling webhook "everything.example.com": .*: nobody there$/ });
  await second.stop();
});
