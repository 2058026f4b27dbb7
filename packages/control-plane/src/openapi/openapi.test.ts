import { describe, expect, it } from 'vitest';
import { Api } from '../handle/fixtures.js';
import { widgetDefinition } from '../handle/fixtures-widgets.js';
import { WireReader } from '../protobuf/wire-reader.js';

const GNOSTIC = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const ASKED_GNOSTIC = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Document {
  readonly definitions: Readonly<Record<string, { readonly [key: string]: unknown }>>;
  readonly components: { readonly schemas: Document['definitions'] };
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly parameters: readonly { readonly name: string }[] }>>>>;
}
const WITHOUT_SCHEMA = { versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }] };
type Index = { readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>> };

function parsed(bytes: unknown): Document {
  return JSON.parse(Buffer.from(bytes as Uint8Array).toString()) as Document;
}

describe('OpenAPI version 3', () => {
  it('describes kinds, with the parameters clients look for', async () => {
    const api = new Api();
    await api.post(CRDS, widgetDefinition());
    const { paths } = (await api.get('/openapi/v3')) as Index;
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['api/v1', 'apis/apps/v1', 'apis/example.com/v1']));
    const document = parsed((await api.send('GET', '/openapi/v3/apis/example.com/v1')).body);
    expect(document.components.schemas['com.example.v1.Widget']).toMatchObject({
      properties: { spec: { properties: { color: { enum: ['red', 'green', 'blue'] }, size: { default: 'medium' } } } },
      'x-kubernetes-group-version-kind': [{ group: 'example.com', version: 'v1', kind: 'Widget' }],
    });
    const patch = document.paths['/apis/example.com/v1/namespaces/{namespace}/widgets/{name}']?.['patch'];
    expect(patch?.parameters.map(({ name }) => name)).toContain('fieldValidation');
  });

  it('describes the fields of built-in kinds', async () => {
    const { components } = parsed((await new Api().send('GET', '/openapi/v3/apis/apps/v1')).body);
    expect(components.schemas['io.k8s.api.apps.v1.DeploymentSpec']).toMatchObject({
      properties: { replicas: { type: 'integer', format: 'int32' } },
    });
  });

  it('gives documents an address that changes with their content', async () => {
    const api = new Api();
    const before = (await api.get('/openapi/v3')) as Index;
    await api.post(CRDS, widgetDefinition());
    const url = ((await api.get('/openapi/v3')) as Index).paths['apis/example.com/v1']?.serverRelativeURL ?? '';
    expect((await api.send('GET', url)).headers['cache-control']).toMatch(/^public, immutable/);
    await api.apply(
      `${CRDS}/widgets.example.com`,
      'test',
      widgetDefinition((spec) => Object.assign(spec, WITHOUT_SCHEMA)),
      true,
    );
    const after = (await api.get('/openapi/v3')) as Index;
    const changed = after.paths['apis/example.com/v1']?.serverRelativeURL;
    expect(changed).not.toBe(url);
    expect(after.paths['apis/apps/v1']).toEqual(before.paths['apis/apps/v1']);
    const moved = await api.send('GET', url);
    expect([moved.status, moved.headers['location']]).toEqual([301, changed]);
  });

  it.each([
    '/openapi/v2/',
    '/openapi/v3/',
    '/openapi/v3/apis/apps/v1/',
    '/openapi//v3',
    '/openapi/v3/apis/apps/v9',
    '/openapi/v3/nothing',
    '/openapi/v4',
    '/openapi',
  ])('returns 404 for %s', async (path) => {
    expect((await new Api().send('GET', path)).status).toBe(404);
  });
});

describe('OpenAPI version 2', () => {
  const shared = new Api();

  it.each([
    { accept: undefined, type: 'application/json' },
    { accept: '', type: 'application/json' },
    { accept: 'application/json, */*', type: 'application/json' },
    { accept: `${GNOSTIC}`, type: GNOSTIC },
    { accept: `${ASKED_GNOSTIC},application/json`, type: GNOSTIC },
    { accept: `${GNOSTIC};q=0.5,application/json`, type: 'application/json' },
    { accept: 'text/html', type: undefined },
  ])('answers $accept with $type', async ({ accept, type }) => {
    const { status, headers } = await shared.send('GET', '/openapi/v2', undefined, accept === undefined ? {} : { accept });
    expect(status === 406 ? undefined : headers['content-type']).toBe(type);
  });

  it('describes all kinds in one document, without the schema features that version 2 lacks', async () => {
    const api = new Api();
    await api.post(CRDS, widgetDefinition());
    const { definitions, paths } = parsed((await api.send('GET', '/openapi/v2')).body);
    expect(definitions['io.k8s.api.core.v1.PodSpec']).toMatchObject({
      properties: { containers: { 'x-kubernetes-patch-merge-key': 'name', items: { $ref: '#/definitions/io.k8s.api.core.v1.Container' } } },
    });
    expect(definitions['com.example.v1.Widget']).toMatchObject({ properties: { spec: { properties: { size: { type: 'string' } } } } });
    expect(JSON.stringify(definitions['com.example.v1.Widget'])).not.toContain('default');
    expect(paths['/apis/example.com/v1/namespaces/{namespace}/widgets/{name}/scale']).toHaveProperty('patch');
  });

  it('has the same content in the format of gnostic', async () => {
    const { definitions } = parsed((await shared.send('GET', '/openapi/v2')).body);
    const { body } = await shared.send('GET', '/openapi/v2', undefined, { accept: GNOSTIC });
    const [written] = delimited(body as Uint8Array, 9);
    const names = delimited(written ?? new Uint8Array(), 1).map((named) => Buffer.from(delimited(named, 1)[0] ?? []).toString());
    expect(names).toEqual(Object.keys(definitions));
  });

  it('is not sent again if it has not changed', async () => {
    const api = new Api();
    const first = await api.send('GET', '/openapi/v2');
    const known = { 'if-none-match': `"other", ${first.headers['etag']}` };
    expect(await api.send('GET', '/openapi/v2', undefined, known)).toMatchObject({ status: 304, headers: { etag: first.headers['etag'] } });
    expect((await api.send('GET', '/openapi/v2')).body).toBe(first.body);
    await api.post(CRDS, widgetDefinition());
    expect((await api.send('GET', '/openapi/v2', undefined, known)).status).toBe(200);
  });
});

/** Returns the contents of the length-delimited fields with this number. */
function delimited(bytes: Uint8Array, wanted: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (const reader = new WireReader(bytes); !reader.isDone; ) {
    const { number, wireType } = reader.tag();
    if (number === wanted && wireType === 2) found.push(reader.bytes());
    else reader.skip(wireType);
  }
  return found;
}
