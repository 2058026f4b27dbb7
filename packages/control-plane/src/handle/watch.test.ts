import type { ApiResponse, WatchEvent } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import type { ServedWatchEvent } from './contract.js';
import { ADMIN, Api } from './fixtures.js';

const CMS = '/api/v1/namespaces/one/configmaps';

async function given(): Promise<Api> {
  const api = new Api();
  await api.namespace('one');
  await api.namespace('two');
  return api;
}

/** Returns the events of a watch as short strings, until the watch ends or `count` events have arrived. */
async function collect(response: ApiResponse, count = Number.POSITIVE_INFINITY): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of response.events ?? []) {
    seen.push(brief(event));
    if (seen.length >= count) break;
  }
  return seen;
}

const brief = ({ type, object }: WatchEvent): string => `${type} ${object.metadata.name ?? ''}@${object.metadata.resourceVersion}`;

async function change(api: Api): Promise<void> {
  await api.post(CMS, { metadata: { name: 'a', labels: { on: 'yes' } } });
  await api.merge(`${CMS}/a`, { data: { x: '1' } });
  await api.merge(`${CMS}/a`, { metadata: { labels: { on: 'no' } } });
  await api.merge(`${CMS}/a`, { metadata: { labels: { on: 'yes' } } });
  await api.delete(`${CMS}/a`);
}

describe('watch', () => {
  it('shows the ages of a table as of each event', async () => {
    const api = await given();
    const accept = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const response = await api.send('GET', `${CMS}?watch=1&resourceVersion=3`, undefined, accept);
    await api.post(CMS, { metadata: { name: 'a' } });
    api.runtime.advance(90_000);
    await api.merge(`${CMS}/a`, { data: { x: '1' } });
    const rows: unknown[] = [];
    for await (const { object } of response.events ?? []) {
      rows.push((object as unknown as { rows: [{ cells: unknown }] }).rows[0].cells);
      if (rows.length === 2) break;
    }
    expect(rows).toEqual([
      ['a', 0, '0s'],
      ['a', 1, '90s'],
    ]);
  });

  it('replays from a version and continues without a gap', async () => {
    const api = await given();
    await api.post(CMS, { metadata: { name: 'old' } });
    const response = await api.send('GET', `${CMS}?watch=true&resourceVersion=3`);
    await change(api);
    expect(await collect(response, 6)).toEqual(['ADDED old@4', 'ADDED a@5', 'MODIFIED a@6', 'MODIFIED a@7', 'MODIFIED a@8', 'DELETED a@9']);
  });

  it('begins with the current state when no version is given', async () => {
    const api = await given();
    await api.post(CMS, { metadata: { name: 'b' } });
    await api.post(CMS, { metadata: { name: 'a' } });
    const response = await api.send('GET', `${CMS}?watch=1`);
    await api.delete(`${CMS}/a`);
    expect(await collect(response, 3)).toEqual(['ADDED a@5', 'ADDED b@4', 'DELETED a@6']);
  });

  it('marks the end of the initial state on request', async () => {
    const api = await given();
    await api.post(CMS, { metadata: { name: 'a' } });
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const response = await api.send('GET', `${CMS}?${query}`);
    const events: WatchEvent[] = [];
    for await (const event of response.events ?? []) if (events.push(event) === 2) break;
    expect(events.map(brief)).toEqual(['ADDED a@4', 'BOOKMARK @4']);
    expect(events[1]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
  });

  it('shows objects entering and leaving a selection as added and deleted', async () => {
    const api = await given();
    const response = await api.send('GET', `${CMS}?watch=1&resourceVersion=3&labelSelector=on=yes`);
    await change(api);
    expect(await collect(response, 5)).toEqual(['ADDED a@4', 'MODIFIED a@5', 'DELETED a@6', 'ADDED a@7', 'DELETED a@8']);
  });

  it('shows the last state of a deleted object', async () => {
    const api = await given();
    const response = await api.send('GET', `${CMS}?watch=1&resourceVersion=3`);
    await api.post(CMS, { metadata: { name: 'a' }, data: { x: '1' } });
    await api.delete(`${CMS}/a`);
    const events: WatchEvent[] = [];
    for await (const event of response.events ?? []) if (events.push(event) === 2) break;
    expect(events[1]).toMatchObject({ type: 'DELETED', object: { kind: 'ConfigMap', data: { x: '1' } } });
    expect(events[1]?.object.metadata).not.toHaveProperty('deletionTimestamp');
  });

  it('sends only events of its namespace', async () => {
    const api = await given();
    const response = await api.send('GET', '/api/v1/namespaces/two/configmaps?watch=1&resourceVersion=3');
    await change(api);
    await api.post('/api/v1/namespaces/two/configmaps', { metadata: { name: 'mine' } });
    expect(await collect(response, 1)).toEqual(['ADDED mine@9']);
  });

  it('sends an error event if its version is compacted or in the future', async () => {
    const api = await given();
    await change(api);
    await api.server.store.compact(8);
    const old = await api.send('GET', `${CMS}?watch=1&resourceVersion=5`);
    const [event] = await events(old);
    expect(old.status).toBe(200);
    expect(event).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired', message: 'too old resource version: 5 (8)' } });
    const [future] = await events(await api.send('GET', `${CMS}?watch=1&resourceVersion=500`));
    expect(future).toMatchObject({ type: 'ERROR', object: { code: 504, details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } } });
  });

  it('ends with an error event if the changes that it missed are compacted before they are read', async () => {
    const api = await given();
    await change(api);
    const response = await api.send('GET', `${CMS}?watch=1&resourceVersion=3`);
    await api.post(CMS, { metadata: { name: 'later' } });
    const seen: WatchEvent[] = [];
    for await (const event of response.events ?? []) if (seen.push(event) === 1) await api.server.store.compact(8);
    expect(seen).toHaveLength(2);
    expect(brief(seen[0] as WatchEvent)).toBe('ADDED a@4');
    expect(seen[1]).toMatchObject({ type: 'ERROR', object: { code: 410, message: 'too old resource version: 4 (8)' } });
  });

  it('sends bookmarks every minute and before it ends, and ends after its timeout', async () => {
    const api = await given();
    const response = await api.send('GET', `${CMS}?watch=1&resourceVersion=3&allowWatchBookmarks=true&timeoutSeconds=90`);
    const seen = collect(response);
    api.runtime.advance(60_000);
    await change(api);
    api.runtime.advance(30_000);
    expect(await seen).toEqual(['BOOKMARK @3', 'ADDED a@4', 'MODIFIED a@5', 'MODIFIED a@6', 'MODIFIED a@7', 'DELETED a@8', 'BOOKMARK @8']);
  });

  it('ends when its reader stops, its signal is aborted or the server closes, and then uses no resources', async () => {
    const api = await given();
    const abort = new AbortController();
    const request = { method: 'GET', path: CMS, query: { watch: 'true', resourceVersion: '3' } } as const;
    const aborted = collect(await api.server.handle(request, ADMIN, abort.signal));
    const left = collect(await api.server.handle(request, ADMIN), 1);
    const closed = collect(await api.server.handle(request, ADMIN));
    await api.post(CMS, { metadata: { name: 'a' } });
    abort.abort();
    api.server.close();
    expect(await Promise.all([aborted, left, closed])).toEqual([['ADDED a@4'], ['ADDED a@4'], ['ADDED a@4']]);
  });

  it('encodes an event once for all watches with the same view', async () => {
    const api = await given();
    const watchers = await Promise.all([1, 2, 3].map(() => api.send('GET', `${CMS}?watch=1&resourceVersion=3`)));
    const cluster = await api.send('GET', '/api/v1/configmaps?watch=1&resourceVersion=3');
    await api.post(CMS, { metadata: { name: 'a' } });
    const lines = await Promise.all([...watchers, cluster].map(async (response) => (await events(response, 1))[0]?.line));
    expect(new Set(lines).size).toBe(1);
    expect(new TextDecoder().decode(lines[0])).toMatch(/^\{"type":"ADDED","object":\{"kind":"ConfigMap",.*\}\}\n$/);
  });

  it('shows tables and metadata on request', async () => {
    const api = await given();
    const accept = (as: string) => ({ accept: `application/json;as=${as};v=v1;g=meta.k8s.io` });
    const table = await api.send('GET', `${CMS}?watch=1&resourceVersion=3`, undefined, accept('Table'));
    const partial = await api.send('GET', `${CMS}?watch=1&resourceVersion=3`, undefined, accept('PartialObjectMetadata'));
    await api.post(CMS, { metadata: { name: 'a' }, data: { x: '1' } });
    expect((await events(table, 1))[0]?.object).toMatchObject({ kind: 'Table', rows: [{ cells: ['a', 1, '0s'] }] });
    expect((await events(partial, 1))[0]?.object).not.toHaveProperty('data');
  });

  it('refuses initial events without a match', async () => {
    const api = await given();
    expect(await api.get(`${CMS}?watch=1&sendInitialEvents=true`)).toMatchObject({ code: 422 });
  });
});

async function events(response: ApiResponse, count = Number.POSITIVE_INFINITY): Promise<ServedWatchEvent[]> {
  const seen: ServedWatchEvent[] = [];
  for await (const event of response.events ?? []) if (seen.push(event as ServedWatchEvent) >= count) break;
  return seen;
}
