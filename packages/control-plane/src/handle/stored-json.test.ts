/* oxlint-disable typescript/no-unsafe-member-access -- answers of every kind are looked into */
import { describe, expect, it, vi } from 'vitest';
import { encodeBody } from '../serve/encode.js';
import { Api } from './fixtures.js';
import { widget, widgetDefinition } from './fixtures-widgets.js';

const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

async function given(): Promise<Api> {
  const api = new Api();
  await api.namespace('default');
  await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widgetDefinition());
  for (const [name, tier] of [
    ['a', 'x'],
    ['b', 'x'],
    ['c', 'y'],
    ['d', 'x'],
  ] as const) {
    const metadata = { name, labels: { tier }, annotations: { note: '"labels":{"tier":"y"} \\' } };
    await api.post(WIDGETS, { apiVersion: 'example.com/v1', kind: 'Widget', metadata, spec: {} });
    await api.post(CONFIG_MAPS, { metadata, data: { metadata: '{"labels":{}}' } });
  }
  await api.post(WIDGETS, widget('e'));
  await api.post(CONFIG_MAPS, { metadata: { name: 'e' } });
  return api;
}

/** Makes the store return JSON for reads with `inPassing`, as a store on disk does. Returns the names of the objects that are parsed. */
function onDisk({ server: { store } }: Api): string[] {
  const parsed: string[] = [];
  const range = store.range.bind(store);
  vi.spyOn(store, 'range').mockImplementation((prefix, options) => {
    const found = range(prefix, options);
    if (!options?.inPassing) return found;
    const entries = found.entries.map(({ key, revision, object }) => ({
      key,
      revision,
      text: JSON.stringify(object),
      get object() {
        parsed.push(object.metadata.name ?? '');
        return object;
      },
    }));
    return { ...found, entries };
  });
  return parsed;
}

describe.each([
  { kind: 'Widget', path: WIDGETS },
  { kind: 'ConfigMap', path: CONFIG_MAPS },
])('a list of $kind objects from a store on disk', ({ path }) => {
  const queries = [
    { name: 'without a selector', selector: '', parsed: [] },
    { name: 'with a label selector', selector: '&labelSelector=tier=x', parsed: ['e'] },
    { name: 'with a field selector', selector: '&fieldSelector=metadata.name!=c', parsed: ['b', 'c', 'd', 'e'] },
  ];
  it.each(queries)('$name is equal to one from memory, and parses only objects on which its selection depends', async (query) => {
    const api = await given();
    const first = await api.get(`${path}?limit=1`);
    const rest = `${path}?limit=9&continue=${first.metadata.continue}${query.selector}`;
    const want = JSON.stringify(await api.get(rest));
    const parsed = onDisk(api);
    const { body } = await api.send('GET', rest);
    const text = Buffer.concat([...encodeBody(body, 'application/json')]).toString();
    expect(new Set(parsed)).toEqual(new Set(query.parsed));
    expect(JSON.parse(text)).toEqual(JSON.parse(want));
    expect(JSON.stringify(body)).toBe(want);
  });
});
