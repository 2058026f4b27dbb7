/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return -- answers of every kind are looked into */
import { describe, expect, it, vi } from 'vitest';
import { type Answer, Api } from './fixtures.js';

const ALL = '/api/v1/configmaps';
const ONE = '/api/v1/namespaces/one/configmaps';
const TWO = '/api/v1/namespaces/two/configmaps';

const names = (list: Answer): string[] => list.items.map((item: Answer) => `${item.metadata.namespace}/${item.metadata.name}`);

async function given(): Promise<Api> {
  const api = new Api();
  await api.namespace('one');
  await api.namespace('two');
  for (const [path, name] of [
    [TWO, 'a'],
    [ONE, 'b'],
    [ONE, 'a'],
    [TWO, 'c'],
    [ONE, 'c'],
  ] as const) {
    await api.post(path, { metadata: { name, labels: { name, tier: name === 'a' ? 'first' : 'other' } } });
  }
  return api;
}

describe('list', () => {
  it('sorts by namespace and name, and leaves apiVersion and kind to the list', async () => {
    const list = await (await given()).get(ALL);
    expect(names(list)).toEqual(['one/a', 'one/b', 'one/c', 'two/a', 'two/c']);
    expect(list).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '8' } });
    expect(list.items[0]).not.toHaveProperty('kind');
  });

  it('leaves the cache of the store alone after its first page', async () => {
    const api = await given();
    const range = vi.spyOn(api.server.store, 'range');
    const first = await api.get(`${ALL}?limit=2`);
    await api.get(`${ALL}?limit=2&continue=${first.metadata.continue}`);
    expect(range.mock.calls.map(([, options]) => options?.inPassing ?? false)).toEqual([false, true]);
  });

  it('lets other requests run between two reads, and still shows one snapshot', async () => {
    const api = await given();
    for (let i = 0; i < 2500; i++) await api.post(ONE, { metadata: { name: `x${i}` } });
    const order: string[] = [];
    vi.spyOn(api.runtime.timers, 'yield').mockImplementation(async () => {
      await api.post(TWO, { metadata: { name: `write${order.length}` } });
      order.push('a write');
    });
    const list = await api.get(ALL);
    expect([...order, 'the list']).toEqual(['a write', 'a write', 'the list']);
    expect(list.items).toHaveLength(2505);
  });

  it('with a selector reads about as many objects as it returns', async () => {
    const api = await given();
    for (let i = 0; i < 1000; i++) await api.post(ONE, { metadata: { name: `x${i}`, labels: { tier: 'many' } } });
    const range = vi.spyOn(api.server.store, 'range');
    const list = await api.get(`${ALL}?labelSelector=tier=many&limit=300`);
    expect(list.items).toHaveLength(300);
    const read = range.mock.results.reduce((sum, { value }) => sum + value.entries.length, 0);
    expect(read).toBeLessThan(500);
  });

  const selections = [
    { name: 'a label', query: 'labelSelector=tier=first', want: ['one/a', 'two/a'] },
    { name: 'a set of labels', query: 'labelSelector=name in (b,c)', want: ['one/b', 'one/c', 'two/c'] },
    { name: 'a name', query: 'fieldSelector=metadata.name=c', want: ['one/c', 'two/c'] },
    { name: 'a namespace', query: 'fieldSelector=metadata.namespace!=one', want: ['two/a', 'two/c'] },
    { name: 'nothing', query: 'labelSelector=tier=none', want: [] },
  ];
  it.each(selections)('selects by $name', async ({ query, want }) => {
    expect(names(await (await given()).get(`${ALL}?${query}`))).toEqual(want);
  });

  it('pages through one snapshot, regardless of writes in between', async () => {
    const api = await given();
    const first = await api.get(`${ALL}?limit=2`);
    expect(names(first)).toEqual(['one/a', 'one/b']);
    expect(first.metadata).toMatchObject({ resourceVersion: '8', remainingItemCount: 3 });
    await api.delete(`${ONE}/c`);
    await api.post(TWO, { metadata: { name: 'b' } });
    await api.merge(`${TWO}/a`, { data: { changed: 'yes' } });
    const second = await api.get(`${ALL}?limit=2&continue=${first.metadata.continue}`);
    expect(names(second)).toEqual(['one/c', 'two/a']);
    expect(second.items[1]).not.toHaveProperty('data');
    expect(second.metadata).toMatchObject({ resourceVersion: '8', remainingItemCount: 1 });
    const third = await api.get(`${ALL}?limit=2&continue=${second.metadata.continue}`);
    expect(names(third)).toEqual(['two/c']);
    expect(third.metadata).toEqual({ resourceVersion: '8' });
  });

  it('does not report the remaining count with a selector', async () => {
    const page = await (await given()).get(`${ALL}?limit=1&labelSelector=tier=first`);
    expect(page.metadata).toHaveProperty('continue');
    expect(page.metadata).not.toHaveProperty('remainingItemCount');
  });

  it('reads an exact old version', async () => {
    const api = await given();
    expect(names(await api.get(`${ALL}?resourceVersion=5&resourceVersionMatch=Exact`))).toEqual(['one/b', 'two/a']);
    expect(names(await api.get(`${ALL}?resourceVersion=5&resourceVersionMatch=NotOlderThan`))).toHaveLength(5);
    expect(names(await api.get(`${ALL}?resourceVersion=0`))).toHaveLength(5);
  });

  it('answers that a page or version is too old after history is compacted', async () => {
    const api = await given();
    const { metadata } = await api.get(`${ALL}?limit=1`);
    await api.delete(`${ONE}/a`);
    await api.server.store.compact(api.server.store.revision);
    const expired = await api.get(`${ALL}?limit=1&continue=${metadata.continue}`);
    expect(expired).toMatchObject({
      code: 410,
      reason: 'Expired',
      message: expect.stringContaining('use the continue token in this response') as string,
    });
    const rest = await api.get(`${ALL}?limit=1&continue=${expired.metadata.continue}`);
    expect(rest).toMatchObject({ kind: 'ConfigMapList', items: [{ metadata: { name: expect.any(String) as string } }] });
    expect(await api.get(`${ALL}?resourceVersion=5&resourceVersionMatch=Exact`)).toMatchObject({ code: 410, reason: 'Expired' });
  });

  const refusals = [
    { name: 'a limit that is no number', query: 'limit=many', code: 400, message: /invalid syntax/ },
    { name: 'a broken label selector', query: 'labelSelector=a b c', code: 400, message: /unable to parse requirement: found 'b'/ },
    {
      name: 'a field that cannot be selected',
      query: 'fieldSelector=data.x=y',
      code: 400,
      message: /"data.x" is not a known field selector/,
    },
    { name: 'a version that is no number', query: 'resourceVersion=new', code: 400, message: /invalid resource version/ },
    { name: 'a version from the future', query: 'resourceVersion=999', code: 504, message: /Too large resource version: 999, current: 8/ },
    {
      name: 'a match without a version',
      query: 'resourceVersionMatch=Exact',
      code: 422,
      message: /forbidden unless resourceVersion is provided/,
    },
    { name: 'a token of another list', query: 'continue=abc', code: 400, message: /invalid continue token/ },
    {
      name: 'a token and a version',
      query: `continue=${'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiJhIn0'}&resourceVersion=3`,
      code: 400,
      message: /not allowed when using continue/,
    },
  ];
  it.each(refusals)('refuses $name', async ({ query, code, message }) => {
    expect(await (await given()).get(`${ALL}?${query}`)).toMatchObject({ kind: 'Status', code, message: expect.stringMatching(message) });
  });

  it('deletes a collection by selector and answers with the deleted objects', async () => {
    const api = await given();
    const deleted = await api.delete(`${ONE}?labelSelector=tier=other`);
    expect(names(deleted)).toEqual(['one/b', 'one/c']);
    expect(names(await api.get(ALL))).toEqual(['one/a', 'two/a', 'two/c']);
  });
});
