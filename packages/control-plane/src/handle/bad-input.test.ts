/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return -- answers of every kind are looked into */
import type { ApiRequest } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { Api } from './fixtures.js';
import { widgetDefinition } from './fixtures-widgets.js';

const CMS = '/api/v1/namespaces/default/configmaps';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const json = { 'content-type': 'application/json' };

async function given(): Promise<Api> {
  const api = new Api();
  await api.namespace('default');
  await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widgetDefinition());
  return api;
}

interface Case {
  readonly name: string;
  readonly method?: ApiRequest['method'] | 'BREW';
  readonly path?: string;
  readonly body?: ApiRequest['body'];
  readonly headers?: Record<string, string>;
  readonly code: number;
  readonly message?: RegExp;
}

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

const cases: readonly Case[] = [
  { name: 'JSON that ends early', body: bytes('{"metadata":'), code: 400 },
  { name: 'no body at all', code: 400 },
  { name: 'a list instead of an object', body: bytes('[]'), code: 400, message: /must be an object, not an array/ },
  { name: 'text that is not UTF-8', body: Uint8Array.of(0x7b, 0xff, 0x7d), code: 400 },
  { name: 'broken YAML', body: bytes('a: [1,'), headers: { 'content-type': 'application/yaml' }, code: 400 },
  {
    name: 'a bomb of YAML aliases',
    body: bytes(
      `a: &a [${'x,'.repeat(10)}]\nb: &b [${'*a,'.repeat(10)}]\nc: &c [${'*b,'.repeat(10)}]\nd: &d [${'*c,'.repeat(10)}]\ne: [${'*d,'.repeat(10)}]\n`,
    ),
    headers: { 'content-type': 'application/yaml' },
    code: 400,
  },
  ...Object.entries({
    'a list of short items': '- a\n'.repeat(700_000),
    'a map of short keys': Array.from({ length: 200_000 }, (_, i) => `k${i}: a`).join('\n'),
    'a map on one line': `a: {${'a: 1,'.repeat(400_000)}}`,
    'many documents': '---\n'.repeat(600_000),
    'many aliases': `a: &a {x: 1}\nb: {<<: [${'*a,'.repeat(300_000)}*a]}\n`,
    'many tags': `${'!!a '.repeat(600_000)}x`,
  }).map(([text, yaml]) => ({
    name: `AT-53 YAML that takes seconds to parse: ${text}`,
    body: bytes(yaml),
    headers: { 'content-type': 'application/yaml' },
    code: 400,
    message: /more than 200000 YAML tokens/,
  })),
  ...['application/json', 'application/yaml'].flatMap((type) =>
    Object.entries({
      [type === 'application/json' ? 'brackets' : 'braces']: [
        type === 'application/json' ? '['.repeat(1_000_000) : '{"a":'.repeat(500_000),
        400,
      ],
      members: [`{${'"a":1,'.repeat(400_000)}`, 413],
    } as const).map(([text, [body, code]]) => ({
      name: `AT-54 ${type} whose limits are exceeded before its end: ${text}`,
      body: bytes(body),
      headers: { 'content-type': type },
      code,
      message: code === 400 ? /nested deeper than 1000 levels/ : /more than 100000 values/,
    })),
  ),
  ...['1e400', '-1e400', `1${'0'.repeat(400)}`].map((number) => ({
    name: `the number ${number.slice(0, 6)}, which would be stored as null`,
    body: bytes(`{"metadata":{"name":"a"},"x":[{"y":${number}}]}`),
    code: 400,
    message: /out of the range of a 64-bit float/,
  })),
  { name: 'a body of 10 MB', body: new Uint8Array(10 * 1024 * 1024), code: 413 },
  { name: 'nesting far too deep', body: bytes(nested(100_000)), code: 400, message: /nested deeper than/ },
  { name: 'an unknown media type', body: bytes('{}'), headers: { 'content-type': 'text/html' }, code: 415 },
  {
    name: 'bytes that are not protobuf',
    body: bytes('k8s'),
    headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
    code: 400,
    message: /does not appear to be a protobuf message/,
  },
  {
    name: 'protobuf of a custom kind',
    path: WIDGETS,
    body: bytes('k8s\0'),
    headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
    code: 415,
  },
  {
    name: 'another kind',
    body: { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'a' } },
    code: 400,
    message: /Secret in version "v1" cannot be handled as a ConfigMap/,
  },
  {
    name: 'another version',
    body: { kind: 'ConfigMap', apiVersion: 'v2', metadata: { name: 'a' } },
    code: 400,
    message: /does not match the expected API version \(v1\)/,
  },
  { name: 'metadata that is text', body: { metadata: 'hello' }, code: 400 },
  { name: 'labels that are numbers', body: { metadata: { name: 'a', labels: { x: 1 } } }, code: 400, message: /cannot unmarshal number/ },
  { name: 'data that is numbers', body: { metadata: { name: 'a' }, data: { x: 1 } }, code: 400 },
  {
    name: 'a secret that is not base64',
    path: '/api/v1/namespaces/default/secrets',
    body: { metadata: { name: 'a' }, data: { x: 'not base64!' } },
    code: 400,
    message: /cannot be handled as a Secret: illegal base64 data at input byte 3/,
  },
  { name: 'no name', body: { metadata: {} }, code: 422, message: /name or generateName is required/ },
  { name: 'a name with a slash', body: { metadata: { name: 'a/b' } }, code: 422 },
  { name: 'a namespace that differs from the path', body: { metadata: { name: 'a', namespace: 'b' } }, code: 400 },
  {
    name: 'a namespace that does not exist',
    path: '/api/v1/namespaces/none/configmaps',
    body: { metadata: { name: 'a' } },
    code: 404,
    message: /namespaces "none" not found/,
  },
  { name: 'a resource version on create', body: { metadata: { name: 'a', resourceVersion: '5' } }, code: 500 },
  {
    name: 'an unknown value of dryRun',
    path: `${CMS}?dryRun=Some`,
    body: { metadata: { name: 'a' } },
    code: 422,
    message: /dryRun: Unsupported value/,
  },
  { name: 'an unknown value of fieldValidation', path: `${CMS}?fieldValidation=Harsh`, body: { metadata: { name: 'a' } }, code: 422 },
  { name: 'a field manager of a novel', path: `${CMS}?fieldManager=${'x'.repeat(200)}`, body: { metadata: { name: 'a' } }, code: 422 },
  {
    name: 'a custom object without kind',
    path: WIDGETS,
    body: { metadata: { name: 'a' } },
    code: 400,
    message: /Object 'Kind' is missing/,
  },
  { name: 'a create with a name in the path', path: `${CMS}/a`, body: { metadata: { name: 'a' } }, code: 405 },
  { name: 'an update of a collection', method: 'PUT', body: {}, code: 405 },
  { name: 'an unknown method', method: 'BREW', code: 405 },
  { name: 'a broken percent sign', method: 'GET', path: '/api/v1/namespaces/%zz/pods', code: 400 },
  {
    name: 'a resource that is not served',
    method: 'GET',
    path: '/api/v1/unicorns',
    code: 404,
    message: /could not find the requested resource/,
  },
  { name: 'a subresource that is not served', method: 'GET', path: `${CMS}/a/soul`, code: 404 },
  { name: 'a namespace for a cluster-scoped resource', method: 'GET', path: '/api/v1/namespaces/default/nodes', code: 404 },
  { name: 'a media type that the server cannot produce', method: 'GET', headers: { accept: 'image/png' }, code: 406 },
  { name: 'a selector of a megabyte', method: 'GET', path: `${CMS}?labelSelector=${'a,'.repeat(500_000)}`, code: 400 },
];

describe('bad input', () => {
  it.each(cases)('is refused: $name', async ({ method = 'POST', path = CMS, body, headers, code, message }) => {
    const api = await given();
    const before = api.server.store.revision;
    const response = await api.send(method as ApiRequest['method'], path, body, { ...json, ...headers });
    expect(response.status).toBe(code);
    expect(response.body).toMatchObject({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code,
      ...(message ? { message: expect.stringMatching(message) } : {}),
    });
    expect(api.server.store.revision).toBe(before);
    expect(api.runtime.log.errors).toEqual([]);
  });

  it('responds to unknown groups like a Go server', async () => {
    const response = await (await given()).send('GET', '/apis/none.example.com/v1/things');
    expect(response).toMatchObject({ status: 404, body: '404 page not found\n', headers: { 'content-type': 'text/plain; charset=utf-8' } });
  });

  it('keeps `__proto__` and friends as data, or drops them as unknown', async () => {
    const api = await given();
    const text = '{"metadata":{"name":"a"},"data":{"__proto__":"1","constructor":"2"},"__proto__":{"polluted":true}}';
    const response = await api.send('POST', CMS, bytes(text), json);
    expect(response.status).toBe(201);
    expect(JSON.stringify((response.body as { data: object }).data)).toBe('{"__proto__":"1","constructor":"2"}');
    expect(response.headers['warning']).toContain('unknown field \\"__proto__\\"');
    await api.read('PATCH', `${CMS}/a`, bytes('{"data":{"__proto__":"3"}}'), { 'content-type': 'application/merge-patch+json' });
    expect(JSON.stringify((await api.get(`${CMS}/a`)).data)).toBe('{"__proto__":"3","constructor":"2"}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('accepts an object that is deep but not too deep', async () => {
    const api = await given();
    const deep = bytes(`{"metadata":{"name":"a"},"data":{},"x":${nested(900)}}`);
    expect((await api.send('POST', CMS, deep, json)).status).toBe(201);
  });

  it('warns about or refuses unknown and duplicate fields, as fieldValidation asks', async () => {
    const api = await given();
    const body = bytes('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"x":"1","x":"2"},"nope":1}');
    const send = (level: string) => api.send('POST', `${CMS}?dryRun=All&fieldValidation=${level}`, body, json);
    expect((await send('Ignore')).headers).not.toHaveProperty('warning');
    expect((await send('Warn')).headers['warning']).toBe('299 - "unknown field \\"nope\\"", 299 - "duplicate field \\"data.x\\""');
    expect((await send('Strict')).body).toMatchObject({
      code: 400,
      message:
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "nope", duplicate field "data.x"',
    });
  });
});
