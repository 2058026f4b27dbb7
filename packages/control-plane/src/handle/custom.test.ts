/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return -- answers of every kind are looked into */
import { describe, expect, it, vi } from 'vitest';
import { encodeBody } from '../serve/encode.js';
import { Api } from './fixtures.js';
import { widget, widgetDefinition } from './fixtures-widgets.js';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';

async function given(): Promise<Api> {
  const api = new Api();
  await api.namespace('default');
  await api.post(CRDS, widgetDefinition());
  return api;
}

describe('custom resources', () => {
  it('are served as soon as their definition is stored', async () => {
    const api = new Api();
    await api.namespace('default');
    expect(await api.get(WIDGETS)).toBe('404 page not found\n');
    const definition = await api.post(CRDS, widgetDefinition());
    expect(definition.status.conditions.map((c: { type: string; status: string }) => `${c.type}=${c.status}`)).toEqual([
      'NamesAccepted=True',
      'Established=True',
    ]);
    expect(definition.status.storedVersions).toEqual(['v1']);
    expect(await api.get(WIDGETS)).toMatchObject({ kind: 'WidgetList', apiVersion: 'example.com/v1', items: [] });
  });

  it('are listed with the JSON of the store, except those that have gained a default since they were stored', async () => {
    const api = await given();
    await api.post(WIDGETS, widget('a'));
    await api.post(WIDGETS, widget('b'));
    const properties = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties';
    const patch = [{ op: 'add', path: `${properties}/weight`, value: { type: 'integer', default: 7 } }];
    await api.read('PATCH', `${CRDS}/widgets.example.com`, patch, { 'content-type': 'application/json-patch+json' });
    await api.post(WIDGETS, widget('c'));
    // Make the store return JSON with spaces. The spaces show which items of the response contain the JSON of the store.
    const { store } = api.server;
    const range = store.range.bind(store);
    vi.spyOn(store, 'range').mockImplementation((prefix, options) => {
      const found = range(prefix, options);
      const entries = found.entries.map((entry) => {
        const text = JSON.stringify(entry.object, undefined, 1);
        return options?.inPassing ? { ...entry, object: JSON.parse(text), text } : entry;
      });
      return { ...found, entries };
    });
    const { metadata } = await api.get(`${WIDGETS}?limit=1`);
    const { body } = await api.send('GET', `${WIDGETS}?limit=5&continue=${metadata.continue}`);
    const text = Buffer.concat([...encodeBody(body, 'application/json')]).toString();
    expect(JSON.parse(text).items.map((item: { metadata: { name: string }; spec: object }) => [item.metadata.name, item.spec])).toEqual([
      ['b', { size: 'medium', weight: 7 }],
      ['c', { size: 'medium', weight: 7 }],
    ]);
    expect([text.includes('"name":"b"'), text.includes('"name": "c"')]).toEqual([true, true]);
  });

  it('are defaulted, pruned and validated', async () => {
    const api = await given();
    const response = await api.send('POST', WIDGETS, widget('a', { color: 'red', extra: 1 }));
    expect(response.body).toMatchObject({ metadata: { generation: 1 }, spec: { color: 'red', size: 'medium' } });
    expect(response.headers['warning']).toBe('299 - "unknown field \\"spec.extra\\""');
    expect(await api.post(WIDGETS, widget('b', { color: 'pink' }))).toMatchObject({
      code: 422,
      message: 'Widget.example.com "b" is invalid: spec.color: Unsupported value: "pink": supported values: "red", "green", "blue"',
    });
    expect(await api.read('POST', `${WIDGETS}?fieldValidation=Strict`, widget('c', { nope: 1 }))).toMatchObject({ code: 400 });
  });

  it('increase their generation for all fields except status and metadata', async () => {
    const api = await given();
    await api.post(WIDGETS, widget('a', { color: 'red' }));
    expect((await api.merge(`${WIDGETS}/a`, { metadata: { labels: { x: 'y' } } })).metadata.generation).toBe(1);
    expect(await api.merge(`${WIDGETS}/a/status`, { status: { phase: 'Ready' }, spec: { color: 'blue' } })).toMatchObject({
      metadata: { generation: 1, labels: { x: 'y' } },
      spec: { color: 'red' },
      status: { phase: 'Ready' },
    });
    const changed = await api.merge(`${WIDGETS}/a`, { spec: { color: 'blue' }, status: { phase: 'Lost' } });
    expect(changed).toMatchObject({ metadata: { generation: 2 }, status: { phase: 'Ready' } });
  });

  it('are scaled', async () => {
    const api = await given();
    await api.post(WIDGETS, widget('a', { replicas: 1 }));
    expect(await api.get(`${WIDGETS}/a/scale`)).toMatchObject({ kind: 'Scale', spec: { replicas: 1 }, status: { replicas: 0 } });
    expect(await api.merge(`${WIDGETS}/a/scale`, { spec: { replicas: 4 } })).toMatchObject({ spec: { replicas: 4 } });
    expect((await api.get(`${WIDGETS}/a`)).spec.replicas).toBe(4);
  });

  it('are applied by several managers', async () => {
    const api = await given();
    await api.apply(`${WIDGETS}/a`, 'one', widget('a', { color: 'red', parts: [{ name: 'x', count: 1 }] }));
    await api.apply(`${WIDGETS}/a`, 'two', widget('a', { parts: [{ name: 'y', count: 2 }] }));
    expect(await api.get(`${WIDGETS}/a`)).toMatchObject({
      spec: {
        color: 'red',
        parts: [
          { name: 'x', count: 1 },
          { name: 'y', count: 2 },
        ],
      },
    });
    expect(await api.apply(`${WIDGETS}/a`, 'two', widget('a', { color: 'blue' }))).toMatchObject({ code: 409, reason: 'Conflict' });
    const forced = await api.apply(`${WIDGETS}/a`, 'two', widget('a', { color: 'blue' }), true);
    expect(forced.spec).toEqual({ color: 'blue', size: 'medium', parts: [{ name: 'x', count: 1 }] });
  });

  it('are found by selectable fields', async () => {
    const api = await given();
    await api.post(WIDGETS, widget('a', { color: 'red' }));
    await api.post(WIDGETS, widget('b', { color: 'blue' }));
    const names = async (query: string) =>
      (await api.get(`${WIDGETS}?${query}`)).items?.map((item: { metadata: { name: string } }) => item.metadata.name);
    expect(await names('fieldSelector=spec.color=blue')).toEqual(['b']);
    expect(await names('fieldSelector=metadata.name=a')).toEqual(['a']);
    expect(await api.get(`${WIDGETS}?fieldSelector=spec.size=big`)).toMatchObject({ code: 400 });
  });
});
