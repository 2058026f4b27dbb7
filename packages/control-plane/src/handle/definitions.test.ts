/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return -- answers of every kind are looked into */
import { ApiError, type Json, type KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { storageKey } from '../store/key.js';
import { MemoryStore } from '../store/memory.js';
import { type Answer, Api } from './fixtures.js';
import { widget, widgetDefinition } from './fixtures-widgets.js';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CRD = `${CRDS}/widgets.example.com`;
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';

async function given(definition: Json = widgetDefinition()): Promise<Api> {
  const api = new Api();
  await api.namespace('default');
  await api.post(CRDS, definition);
  return api;
}

const conditions = (definition: Answer): string[] => definition.status.conditions.map((c: Answer) => `${c.type}=${c.status} ${c.reason}`);

type Version = Record<string, Answer>;
const version = (change: (version: Version) => void): Json =>
  widgetDefinition((spec) => change((spec['versions'] as Version[])[0] as Version));

describe('definitions', () => {
  const refusals: readonly { name: string; definition: Answer; message: RegExp }[] = [
    {
      name: 'another name than its plural and group',
      definition: { ...(widgetDefinition() as object), metadata: { name: 'x' } },
      message: /metadata.name: Invalid value: "x": must be spec.names.plural\+"."\+spec.group/,
    },
    {
      name: 'a group without a dot',
      definition: widgetDefinition((spec) => Object.assign(spec, { group: 'example' })),
      message: /should be a domain with at least one dot/,
    },
    {
      name: 'an unknown scope',
      definition: widgetDefinition((spec) => Object.assign(spec, { scope: 'Galaxy' })),
      message: /spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"/,
    },
    {
      name: 'no stored version',
      definition: version((v) => Object.assign(v, { storage: false })),
      message: /must have exactly one version marked as storage version/,
    },
    { name: 'no schema', definition: version((v) => void delete v['schema']), message: /schema.openAPIV3Schema: Required value/ },
    {
      name: 'a schema that is not structural',
      definition: version((v) => Object.assign(v, { schema: { openAPIV3Schema: { properties: { spec: {} } } } })),
      message: /type: Required value: must not be empty/,
    },
    {
      name: 'a rule that does not compile',
      definition: version((v) =>
        Object.assign(v['schema'].openAPIV3Schema.properties.spec, { 'x-kubernetes-validations': [{ rule: 'self.nope > 1' }] }),
      ),
      message: /x-kubernetes-validations\[0\].rule: Invalid value: .*undefined field 'nope'/,
    },
    {
      name: 'a column of no type',
      definition: version((v) => Object.assign(v, { additionalPrinterColumns: [{ name: 'x', type: 'blob', jsonPath: '.a' }] })),
      message: /must be one of boolean,date,integer,number,string/,
    },
    {
      name: 'a scale that scales nothing',
      definition: version((v) => Object.assign(v['subresources'].scale, { specReplicasPath: '.replicas' })),
      message: /should be a json path under .spec/,
    },
    {
      name: 'a selectable field that is an object',
      definition: version((v) => Object.assign(v, { selectableFields: [{ jsonPath: '.spec' }] })),
      message: /must point to a field of type string, boolean or integer/,
    },
    {
      name: 'no names at all',
      definition: { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'a.b' }, spec: {} },
      message: /spec.group: Required value/,
    },
  ];
  it.each(refusals)('are refused with $name', async ({ definition, message }) => {
    expect(await new Api().post(CRDS, definition)).toMatchObject({ code: 422, message: expect.stringMatching(message) });
  });

  it('cannot change the names and scope that their objects depend on', async () => {
    const api = await given();
    expect(await api.merge(CRD, { spec: { scope: 'Cluster' } })).toMatchObject({
      code: 422,
      message: /spec.scope: Invalid value: "Cluster": field is immutable/,
    });
    const second = { name: 'v2', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
    expect(await api.merge(CRD, { spec: { versions: [second] } })).toMatchObject({
      code: 422,
      message: /v1 was previously a storage version/,
    });
  });

  it('wait when another definition has their names', async () => {
    const api = await given();
    const other = {
      ...(widgetDefinition((spec) => Object.assign(spec, { names: { plural: 'gizmos', kind: 'Gizmo', shortNames: ['wd'] } })) as object),
      metadata: { name: 'gizmos.example.com' },
    };
    expect(conditions(await api.post(CRDS, other as Json))).toEqual([
      'NamesAccepted=False ShortNamesConflict',
      'Established=False NotAccepted',
    ]);
    expect((await api.send('GET', '/apis/example.com/v1/namespaces/default/gizmos')).status).toBe(404);
  });

  it('take effect on existing objects', async () => {
    const api = await given();
    await api.post(WIDGETS, widget('a', { color: 'red' }));
    const properties = { weight: { type: 'integer', default: 7 } };
    const { spec } = await api.get(CRD);
    const versions = structuredClone(spec.versions);
    Object.assign(versions[0].schema.openAPIV3Schema.properties.spec.properties, properties);
    await api.merge(CRD, { spec: { versions } });
    expect((await api.get(`${WIDGETS}/a`)).spec).toEqual({ color: 'red', size: 'medium', weight: 7 });
  });

  it('delete their objects first, and wait for finalizers', async () => {
    const api = await given();
    await api.post(WIDGETS, widget('a'));
    await api.post(WIDGETS, { ...(widget('b') as object), metadata: { name: 'b', finalizers: ['x.io/hold'] } });
    expect(conditions(await api.delete(CRD))).toContain('Terminating=True InstanceDeletionPending');
    await settled();
    expect(await api.get(`${WIDGETS}/a`)).toMatchObject({ code: 404 });
    expect(await api.post(WIDGETS, widget('c'))).toMatchObject({ code: 405, message: /terminating/ });
    expect((await api.get(CRD)).metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
    await api.merge(`${WIDGETS}/b`, { metadata: { finalizers: null } });
    await settled();
    expect(await api.get(CRD)).toMatchObject({ code: 404 });
    expect(await api.get(WIDGETS)).toBe('404 page not found\n');
  });

  it('end the watches of a replaced version, so that clients read the new one', async () => {
    const api = await given();
    const watch = await api.send('GET', `${WIDGETS}?watch=1&resourceVersion=3`);
    await api.merge(CRD, { spec: { names: { shortNames: ['wdg'] } } });
    for await (const event of watch.events ?? []) throw new Error(`unexpected ${event.type}`);
    expect((await api.get('/apis/example.com/v1')).resources[0].shortNames).toEqual(['wdg']);
  });

  it('are served again by a server that starts with the same store', async () => {
    const store = new MemoryStore();
    const first = new Api({ store });
    await first.namespace('default');
    await first.post(CRDS, widgetDefinition());
    await first.post(WIDGETS, widget('a', { color: 'red' }));
    first.server.close();
    expect(await new Api({ store }).get(`${WIDGETS}/a`)).toMatchObject({ spec: { color: 'red' } });
  });

  it('of an earlier server may keep preserveUnknownFields, while no other may get it', async () => {
    const store = new MemoryStore();
    const first = new Api({ store });
    const made = await first.post(CRDS, widgetDefinition());
    first.server.close();
    const key = storageKey({
      group: 'apiextensions.k8s.io',
      plural: 'customresourcedefinitions',
      namespace: '',
      name: 'widgets.example.com',
    });
    const { revision } = store.get(key) ?? { revision: 0 };
    await store.put(key, revision, (resourceVersion) => ({
      ...made,
      metadata: { ...made.metadata, resourceVersion: `${resourceVersion}` },
      spec: { ...made.spec, preserveUnknownFields: true },
    }));
    const api = new Api({ store });
    const named = (shortNames: readonly string[]): Json => ({ spec: { names: { shortNames } } });
    expect(await api.merge(CRD, named(['wx']))).toMatchObject({ spec: { names: { shortNames: ['wx'] }, preserveUnknownFields: true } });
    expect(await api.merge(CRD, { spec: { preserveUnknownFields: false } })).toMatchObject({ kind: 'CustomResourceDefinition' });
    expect(await api.merge(CRD, named(['wt']))).toMatchObject({ spec: { names: { shortNames: ['wt'] } } });
    const refused = await api.merge(CRD, { spec: { preserveUnknownFields: true } });
    expect(refused).toMatchObject({ code: 422, message: /spec.preserveUnknownFields: Invalid value: true: cannot set to true/ });
  });

  it('check objects by their rules, old values included', async () => {
    const rules = [
      { rule: "self.color != 'blue' || self.replicas > 1", message: 'blue comes in twos' },
      { rule: 'self.size == oldSelf.size', messageExpression: "'size stays ' + oldSelf.size" },
    ];
    const api = await given(
      version((v) => Object.assign(v['schema'].openAPIV3Schema.properties.spec, { 'x-kubernetes-validations': rules })),
    );
    expect(await api.post(WIDGETS, widget('a', { color: 'blue', replicas: 1 }))).toMatchObject({
      code: 422,
      message: 'Widget.example.com "a" is invalid: spec: Invalid value: blue comes in twos',
    });
    await api.post(WIDGETS, widget('a', { color: 'blue', replicas: 2 }));
    expect(await api.merge(`${WIDGETS}/a`, { spec: { size: 'large' } })).toMatchObject({ code: 422, message: /size stays medium/ });
  });
});

describe('versions', () => {
  const two = widgetDefinition((spec) => {
    const [v1] = spec['versions'] as Version[];
    spec['versions'] = [
      { ...v1, name: 'v1beta1', storage: false, deprecated: true },
      { ...structuredClone(v1), name: 'v1' },
    ];
    spec['conversion'] = {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://example.com' } },
    };
  });
  /** Version v1beta1 writes colours in upper case. */
  const convert = (object: KubeObject, apiVersion: string): KubeObject => {
    const { spec } = object as KubeObject & { spec: { color?: string } };
    const shout = apiVersion.endsWith('v1beta1');
    const color = spec.color && (shout ? spec.color.toUpperCase() : spec.color.toLowerCase());
    return { ...object, apiVersion, spec: { ...spec, ...(color ? { color } : {}) } } as KubeObject;
  };
  const OLD = '/apis/example.com/v1beta1/namespaces/default/widgets';

  async function both(): Promise<Api> {
    const api = new Api({ convert });
    await api.namespace('default');
    const definition = structuredClone(two) as Answer;
    delete definition.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.color.enum;
    await api.post(CRDS, definition);
    return api;
  }

  it('show an object in each version, regardless of the version in which it was written', async () => {
    const api = await both();
    const created = await api.post(OLD, {
      apiVersion: 'example.com/v1beta1',
      kind: 'Widget',
      metadata: { name: 'a' },
      spec: { color: 'RED' },
    });
    expect(created).toMatchObject({ apiVersion: 'example.com/v1beta1', spec: { color: 'RED' } });
    expect(await api.get(`${WIDGETS}/a`)).toMatchObject({
      apiVersion: 'example.com/v1',
      spec: { color: 'red' },
      metadata: { uid: created.metadata.uid },
    });
    await api.merge(`${WIDGETS}/a`, { spec: { color: 'blue' } });
    expect((await api.get(OLD)).items).toMatchObject([{ apiVersion: 'example.com/v1beta1', spec: { color: 'BLUE' } }]);
    expect(api.server.store.get('example.com/widgets/default/a')?.object).toMatchObject({
      apiVersion: 'example.com/v1',
      spec: { color: 'blue' },
    });
  });

  it('are watched in the requested version', async () => {
    const api = await both();
    const watch = await api.send('GET', `${OLD}?watch=1&resourceVersion=3`);
    await api.post(WIDGETS, widget('a', { color: 'red' }));
    for await (const event of watch.events ?? []) {
      expect(event.object).toMatchObject({ apiVersion: 'example.com/v1beta1', spec: { color: 'RED' } });
      break;
    }
  });

  it('end a watch that meets an object they cannot convert, and leave the store working', async () => {
    const api = new Api({
      convert: (object, apiVersion) => {
        if (apiVersion.endsWith('v1beta1')) throw new ApiError('InternalError', 'cannot go back');
        return convert(object, apiVersion);
      },
    });
    await api.namespace('default');
    await api.post(CRDS, two);
    const watch = await api.send('GET', `${OLD}?watch=1&resourceVersion=3`);
    await api.post(WIDGETS, widget('a', { color: 'red' }));
    const seen = [];
    for await (const event of watch.events ?? []) seen.push(event);
    expect(seen).toMatchObject([{ type: 'ERROR', object: { code: 500, message: 'cannot go back' } }]);
    expect(await api.post(WIDGETS, widget('b'))).toMatchObject({ kind: 'Widget' });
  });

  it('warn when they are old, and are discovered newest first', async () => {
    const api = await both();
    expect((await api.send('GET', OLD)).headers['warning']).toBe(
      '299 - "example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget"',
    );
    expect((await api.get('/apis/example.com')).versions.map((v: Answer) => v.version)).toEqual(['v1', 'v1beta1']);
  });

  it('differ only in their name if the definition has no conversion', async () => {
    const api = new Api();
    await api.namespace('default');
    const definition = structuredClone(two) as Answer;
    delete definition.spec.conversion;
    await api.post(CRDS, definition);
    await api.post(WIDGETS, widget('a', { color: 'red' }));
    expect(await api.get(`${OLD}/a`)).toMatchObject({ apiVersion: 'example.com/v1beta1', spec: { color: 'red' } });
  });

  it('distinguish managers by the version that they wrote', async () => {
    const api = await both();
    const apply = (path: string, manager: string, apiVersion: string, color: string) =>
      api.apply(`${path}/a`, manager, { apiVersion, kind: 'Widget', metadata: { name: 'a' }, spec: { color } });
    await apply(OLD, 'old', 'example.com/v1beta1', 'RED');
    expect(await apply(WIDGETS, 'new', 'example.com/v1', 'blue')).toMatchObject({
      code: 409,
      message: /conflict with "old" using example.com\/v1beta1: .spec.color/,
    });
    expect(await apply(WIDGETS, 'new', 'example.com/v1', 'red')).toMatchObject({ spec: { color: 'red' } });
  });
});

/** Waits until the server has finished everything that a write triggers. This takes only microtasks, so no time passes. */
async function settled(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}
