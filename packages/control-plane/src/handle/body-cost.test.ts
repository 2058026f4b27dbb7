import type { ApiRequest } from '@outrigger/core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Api } from './fixtures.js';
import { widget, widgetDefinition } from './fixtures-widgets.js';

const COUNT = 100_001;
const many = (prefix: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: COUNT }, (_, i) => [`${prefix}${i}`, 'a']));
const list = <T>(item: (i: number) => T): T[] => Array.from({ length: COUNT }, (_, i) => item(i));

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const json = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** Bodies with many values. Each body has them in a different part of the object. The schema declares some of these parts, but not all. */
const bodies: Readonly<Record<string, object>> = {
  labels: { metadata: { name: 'a', labels: many('k') } },
  annotations: { metadata: { name: 'a', annotations: many('k') } },
  finalizers: { metadata: { name: 'a', finalizers: list((i) => `a.b/${i}`) } },
  'owner references': { metadata: { name: 'a', ownerReferences: list(() => ({})) } },
  'managed fields': { metadata: { name: 'a', managedFields: [{ fieldsV1: many('f:k') }] } },
  'unknown metadata': { metadata: { name: 'a', ...many('k') } },
  'unknown fields': { metadata: { name: 'a' }, ...many('k') },
  data: { metadata: { name: 'a' }, data: many('k') },
  'list items': { metadata: { name: 'a' }, spec: { parts: list((i) => ({ name: `${i}` })) } },
  'nested lists': { metadata: { name: 'a' }, spec: { parts: list(() => []) } },
};

type Request = readonly [name: string, method: ApiRequest['method'], path: string, type: string];

const requests: readonly Request[] = [
  ...[
    ['ConfigMap', CONFIG_MAPS],
    ['Widget', WIDGETS],
  ].flatMap(([kind, path]): Request[] => [
    [`POST of a ${kind}`, 'POST', `${path}`, 'application/json'],
    [`PUT of a ${kind}`, 'PUT', `${path}/a`, 'application/json'],
    [`merge patch of a ${kind}`, 'PATCH', `${path}/a`, 'application/merge-patch+json'],
    [`JSON patch of a ${kind}`, 'PATCH', `${path}/a`, 'application/json-patch+json'],
    [`apply of a ${kind}`, 'PATCH', `${path}/a?fieldManager=m`, 'application/apply-patch+yaml'],
    [`apply of a new ${kind}`, 'PATCH', `${path}/new?fieldManager=m`, 'application/apply-patch+yaml'],
    [`DELETE of a ${kind}`, 'DELETE', `${path}/a`, 'application/json'],
    [`DELETE of each ${kind}`, 'DELETE', `${path}`, 'application/json'],
  ]),
  ['strategic merge patch', 'PATCH', `${CONFIG_MAPS}/a`, 'application/strategic-merge-patch+json'],
  ['PUT of a status', 'PUT', `${WIDGETS}/a/status`, 'application/json'],
  ['apply of a status', 'PATCH', `${WIDGETS}/a/status?fieldManager=m`, 'application/apply-patch+yaml'],
  ['PUT of a scale', 'PUT', `${WIDGETS}/a/scale`, 'application/json'],
  ['merge patch of a scale', 'PATCH', `${WIDGETS}/a/scale`, 'application/merge-patch+json'],
];

describe('AT-54 a body of many values is refused before any work on its values', () => {
  let api: Api;
  beforeAll(async () => {
    api = new Api();
    await api.namespace('default');
    await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widgetDefinition());
    await api.post(CONFIG_MAPS, { metadata: { name: 'a' } });
    await api.post(WIDGETS, widget('a'));
  });

  const expectRefused = async (body: object, [, method, path, type]: Request): Promise<void> => {
    const typed = path.startsWith(WIDGETS) ? { apiVersion: 'example.com/v1', kind: 'Widget' } : { apiVersion: 'v1', kind: 'ConfigMap' };
    const object = { ...typed, ...body };
    const sent = type.includes('json-patch') ? [{ op: 'add', path: '/x', value: object }] : object;
    const before = api.server.store.revision;
    const answer = await api.send(method, path, json(sent), { 'content-type': type });
    expect(answer).toMatchObject({
      status: 413,
      body: { reason: 'RequestEntityTooLarge', message: 'Request entity too large: it has more than 100000 values' },
    });
    expect(api.server.store.revision).toBe(before);
  };
  it.each(Object.entries(bodies))('in %s', async (_part, body) => {
    for (const request of requests.slice(0, 1)) await expectRefused(body, request);
  });
  it.each(requests)('in a %s', async (...request) => expectRefused({ metadata: { name: 'a', labels: many('k') } }, request));

  it.each([
    ['authorization.k8s.io/v1', 'SelfSubjectAccessReview', 'selfsubjectaccessreviews'],
    ['authorization.k8s.io/v1', 'SelfSubjectRulesReview', 'selfsubjectrulesreviews'],
    ['authentication.k8s.io/v1', 'TokenReview', 'tokenreviews'],
  ])('a review of %s: %s', async (apiVersion, kind, plural) => {
    const answer = await api.send('POST', `/apis/${apiVersion}/${plural}`, json({ apiVersion, kind, spec: many('k') }), {
      'content-type': 'application/json',
    });
    expect(answer).toMatchObject({ status: 413, body: { message: expect.stringContaining('more than 100000 values') as string } });
  });
});

describe('AT-54 an object that is too large to store is refused before the work on it', () => {
  // Mutating admission is the first expensive step. The server must reject an object that is too large before this step.
  const seen: string[] = [];
  const LARGE = 'x'.repeat(1.6 * 1024 * 1024);
  const large = { ...(widget('large') as object), spec: { color: 'red', parts: [{ name: LARGE }] } };
  it.each<[string, ApiRequest['method'], string, string, unknown]>([
    ['POST', 'POST', WIDGETS, 'application/json', large],
    ['PUT', 'PUT', `${WIDGETS}/large`, 'application/json', large],
    ['merge patch', 'PATCH', `${WIDGETS}/large`, 'application/merge-patch+json', { spec: { parts: [{ name: LARGE }] } }],
    [
      'JSON patch',
      'PATCH',
      `${WIDGETS}/large`,
      'application/json-patch+json',
      [{ op: 'add', path: '/spec/parts', value: [{ name: LARGE }] }],
    ],
    ['apply', 'PATCH', `${WIDGETS}/large?fieldManager=m`, 'application/apply-patch+yaml', large],
    [
      'apply of a new object',
      'PATCH',
      `${WIDGETS}/new?fieldManager=m`,
      'application/apply-patch+yaml',
      { ...large, metadata: { name: 'new' } },
    ],
    ['status', 'PUT', `${WIDGETS}/large/status`, 'application/json', { ...(widget('large') as object), status: { phase: LARGE } }],
  ])('%s', async (_name, method, path, type, body) => {
    const api = new Api({
      admission: [
        {
          mutate: async ({ resource, operation }) => {
            seen.push(`${operation} ${resource}`);
            return {};
          },
        },
      ],
    });
    await api.namespace('default');
    await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widgetDefinition());
    if (method !== 'POST') await api.post(WIDGETS, widget('large', { color: 'red' }));
    seen.length = 0;
    const answer = await api.send(method, path, json(body), { 'content-type': type });
    expect(answer).toMatchObject({ status: 500, body: { message: 'etcdserver: request is too large' } });
    expect(seen).toEqual([]);
  });
});

describe('AT-54 work that grows with the square of a count is bounded', () => {
  const OWNERS = 15_000;
  it('owner references that are all the controller', async () => {
    const api = new Api();
    await api.namespace('default');
    const ownerReferences = Array.from({ length: OWNERS }, (_, i) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      name: `p${i}`,
      uid: `${i}`,
      controller: true,
    }));
    const { status, body } = await api.send('POST', CONFIG_MAPS, json({ metadata: { name: 'a', ownerReferences } }), {
      'content-type': 'application/json',
    });
    expect(status).toBe(422);
    expect(JSON.stringify(body).length).toBeLessThan(16 * 1024 * 1024);
  });

  it('volumes and claims of a StatefulSet', async () => {
    const api = new Api();
    await api.namespace('default');
    const CLAIMS = 2_000;
    const claims = Array.from({ length: CLAIMS }, (_, i) => ({ metadata: { name: `c${i}` }, spec: { accessModes: ['ReadWriteOnce'] } }));
    const volumes = Array.from({ length: CLAIMS }, (_, i) => ({ name: `v${i}`, emptyDir: {} }));
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }], volumes } };
    const spec = { serviceName: 's', selector: { matchLabels: { a: 'b' } }, template, volumeClaimTemplates: claims };
    // The cost is the number of elements that searches of lists may look at.
    let looked = 0;
    const includes = vi.spyOn(Array.prototype, 'includes').mockImplementation(function (this: readonly unknown[], one: unknown) {
      looked += this.length;
      return this.indexOf(one) >= 0;
    });
    const path = '/apis/apps/v1/namespaces/default/statefulsets';
    const { status } = await api.send('POST', path, json({ metadata: { name: 'a' }, spec }), { 'content-type': 'application/json' });
    includes.mockRestore();
    expect(status).toBe(201);
    expect(looked).toBeLessThan(100 * CLAIMS);
  });
});
