import { beforeAll, describe, expect, it } from 'vitest';
import type { Obj } from './api.js';
import { configMap, ownNamespace, type Subject, unique } from './subject.js';

export function reading(subject: Subject): void {
  describe('get', () => getting(subject));
  describe('list', () => listing(subject));
  describe('list in pages', () => paging(subject));
  describe('selectors', () => selecting(subject));
  describe('list at a resource version', () => resourceVersions(subject));
}

function getting(subject: Subject): void {
  const ns = ownNamespace(subject, 'get');
  const path = ns.path('configmaps/one');
  let created: Obj;
  beforeAll(async () => {
    created = await subject.admin.create(ns.path('configmaps'), configMap('one', { a: '1' }, { labels: { x: 'y' } }));
  });

  it('returns the object as it was stored, with kind and apiVersion', async () => {
    const answer = await subject.admin.get(path);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...created, apiVersion: 'v1', kind: 'ConfigMap' });
  });
  it('gives every object a name, namespace, uid, resourceVersion and creation time', () => {
    expect(created.metadata).toMatchObject({ name: 'one', namespace: ns.name, uid: expect.stringMatching(/^[0-9a-f-]{36}$/) as string });
    expect(created.metadata.resourceVersion).toMatch(/^[1-9]\d*$/);
    expect(created.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });
  it('answers NotFound with the resource and name for an object that does not exist', async () => {
    const answer = await subject.admin.get(ns.path('configmaps/none'));
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'NotFound',
      code: 404,
      message: 'configmaps "none" not found',
      details: { name: 'none', kind: 'configmaps' },
    });
  });
  it('names the group in NotFound of a grouped resource', async () => {
    const answer = await subject.admin.get(`/apis/apps/v1/namespaces/${ns.name}/deployments/none`);
    expect(answer.body).toMatchObject({ message: 'deployments.apps "none" not found', details: { group: 'apps', kind: 'deployments' } });
  });
  it('answers a get at version 0 from whatever it has', async () => {
    expect((await subject.admin.get(`${path}?resourceVersion=0`)).body.metadata.name).toBe('one');
  });
  it('answers JSON to Accept */*', async () => {
    const answer = await subject.admin.get(path, { accept: '*/*' });
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
  });
  it('answers YAML on request', async () => {
    const answer = await subject.admin.get(path, { accept: 'application/yaml' });
    expect(answer.headers['content-type']).toMatch(/^application\/yaml/);
    expect(answer.text).toContain('kind: ConfigMap\n');
  });
}

function listing(subject: Subject): void {
  const ns = ownNamespace(subject, 'list');
  beforeAll(async () => {
    for (const name of ['b', 'a', 'c']) await subject.admin.create(ns.path('configmaps'), configMap(name));
  });

  it('names the list kind and carries a resourceVersion', async () => {
    const { body } = await subject.admin.get(ns.path('secrets'));
    expect(body).toMatchObject({ kind: 'SecretList', apiVersion: 'v1', items: [] });
    expect(body.metadata.resourceVersion).toMatch(/^[1-9]\d*$/);
  });
  it('returns items in order of their names', async () => {
    const { body } = await subject.admin.get(ns.path('configmaps'));
    expect(names(body).filter((name) => name.length === 1)).toEqual(['a', 'b', 'c']);
  });
  it('leaves kind and apiVersion out of the items of a built-in list', async () => {
    const { body } = await subject.admin.get(ns.path('configmaps'));
    expect(body.items[0]).not.toHaveProperty('kind');
  });
  it('lists every namespace from the resource without one', async () => {
    const { body } = await subject.admin.get('/api/v1/configmaps');
    expect(body.items.some(({ metadata }) => metadata.namespace === ns.name && metadata.name === 'a')).toBe(true);
  });
  it('answers an empty list for a namespace that does not exist', async () => {
    const answer = await subject.admin.get('/api/v1/namespaces/no-such-namespace/configmaps');
    expect(answer.status).toBe(200);
    expect(answer.body.items).toEqual([]);
  });
  it('returns one object as a list when selected by name', async () => {
    const { body } = await subject.admin.get(ns.path('configmaps?fieldSelector=metadata.name%3Db'));
    expect(names(body)).toEqual(['b']);
  });
}

function paging(subject: Subject): void {
  const ns = ownNamespace(subject, 'page');
  const path = ns.path('secrets');
  beforeAll(async () => {
    for (const n of [1, 2, 3, 4, 5]) await subject.admin.create(path, { metadata: { name: `s${n}`, labels: { odd: String(n % 2) } } });
  });

  it('returns at most limit items and a token for the rest', async () => {
    const { body } = await subject.admin.get(`${path}?limit=2`);
    expect(names(body)).toEqual(['s1', 's2']);
    expect(body.metadata.continue).toBeTruthy();
    expect(body.metadata.remainingItemCount).toBe(3);
  });
  it('continues where the page ended until nothing is left', async () => {
    const seen: string[] = [];
    let token = '';
    do {
      const { body } = await subject.admin.get(`${path}?limit=2${token && `&continue=${encodeURIComponent(token)}`}`);
      seen.push(...names(body));
      token = body.metadata.continue ?? '';
    } while (token);
    expect(seen).toEqual(['s1', 's2', 's3', 's4', 's5']);
  });
  it('shows every page as of the first, whatever is written in between', async () => {
    const first = await subject.admin.get(`${path}?limit=4`);
    await subject.admin.create(path, { metadata: { name: 's45' } });
    const second = await subject.admin.get(`${path}?limit=4&continue=${encodeURIComponent(first.body.metadata.continue)}`);
    expect(names(second.body)).toEqual(['s5']);
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    await subject.admin.delete(`${path}/s45`);
  });
  it('does not count the remaining objects if there is a selector', async () => {
    const { body } = await subject.admin.get(`${path}?limit=1&labelSelector=odd%3D1`);
    expect(names(body)).toEqual(['s1']);
    expect(body.metadata).not.toHaveProperty('remainingItemCount');
  });
  it('fills pages with matching items only', async () => {
    const { body } = await subject.admin.get(`${path}?limit=2&labelSelector=odd%3D0`);
    expect(names(body)).toEqual(['s2', 's4']);
  });
  it('refuses a continue token it did not make', async () => {
    const answer = await subject.admin.get(`${path}?limit=2&continue=nonsense`);
    expect(answer.status).toBe(400);
    expect(answer.body.reason).toBe('BadRequest');
  });
  it('refuses a continue token together with a resourceVersion', async () => {
    const { body } = await subject.admin.get(`${path}?limit=2`);
    const answer = await subject.admin.get(`${path}?limit=2&resourceVersion=1&continue=${encodeURIComponent(body.metadata.continue)}`);
    expect(answer.status).toBe(400);
  });
}

function selecting(subject: Subject): void {
  const ns = ownNamespace(subject, 'select');
  beforeAll(async () => {
    await subject.admin.create(ns.path('secrets'), { metadata: { name: 'a', labels: { tier: 'web', env: 'prod' } } });
    await subject.admin.create(ns.path('secrets'), { metadata: { name: 'b', labels: { tier: 'db', env: 'prod' } } });
    await subject.admin.create(ns.path('secrets'), { metadata: { name: 'c', labels: { tier: 'web' } }, type: 'example.com/other' });
  });

  it.each([
    { selector: 'tier=web', found: ['a', 'c'] },
    { selector: 'tier==web', found: ['a', 'c'] },
    { selector: 'tier!=web', found: ['b'] },
    { selector: 'env', found: ['a', 'b'] },
    { selector: '!env', found: ['c'] },
    { selector: 'env!=prod', found: ['c'] },
    { selector: 'tier in (web,db),env', found: ['a', 'b'] },
    { selector: 'tier notin (db)', found: ['a', 'c'] },
    { selector: 'tier=web,env=prod', found: ['a'] },
    { selector: '', found: ['a', 'b', 'c'] },
  ])('finds $found with labelSelector "$selector"', async ({ selector, found }) => {
    const { body } = await subject.admin.get(ns.path(`secrets?labelSelector=${encodeURIComponent(selector)}`));
    expect(names(body)).toEqual(found);
  });
  it.each(['a b', 'x in ()y', '=x', 'a=b=c', '-a=b'])('refuses the labelSelector "%s"', async (selector) => {
    const answer = await subject.admin.get(ns.path(`secrets?labelSelector=${encodeURIComponent(selector)}`));
    expect(answer).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
  });
  it.each([
    ['a>x', "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer"],
    ['a=-b', 'unable to parse requirement: values[0][a]: Invalid value: "-b": a valid label must be '],
  ])('names what is wrong in the labelSelector "%s"', async (selector, message) => {
    const { status, body } = await subject.admin.get(ns.path(`secrets?labelSelector=${encodeURIComponent(selector)}`));
    expect([status, body.message]).toEqual([400, expect.stringContaining(message) as string]);
  });
  it.each([
    { selector: 'metadata.name!=b', found: ['a', 'c'] },
    { selector: 'type=example.com/other', found: ['c'] },
    { selector: 'metadata.name=a,metadata.name=b', found: [] },
  ])('finds $found with fieldSelector "$selector"', async ({ selector, found }) => {
    const { body } = await subject.admin.get(ns.path(`secrets?fieldSelector=${encodeURIComponent(selector)}`));
    expect(names(body)).toEqual(found);
  });
  it('knows the namespace of a kind without namespaces and fields of its own, and not the replicas of a ReplicaSet', async () => {
    expect(await subject.admin.get('/api/v1/persistentvolumes?fieldSelector=metadata.namespace%3Dx')).toMatchObject({ status: 200 });
    expect(await subject.admin.get('/api/v1/nodes?fieldSelector=metadata.namespace%3Dx')).toMatchObject({ status: 400 });
    expect(await subject.admin.get('/apis/apps/v1/replicasets?fieldSelector=status.replicas%3D1')).toMatchObject({ status: 400 });
  });
  it('refuses a fieldSelector on a field that cannot be selected by', async () => {
    const answer = await subject.admin.get(ns.path('secrets?fieldSelector=data.x%3D1'));
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain('field label not supported: data.x');
  });
}

function resourceVersions(subject: Subject): void {
  const ns = ownNamespace(subject, 'rv');
  const path = ns.path('secrets');

  it('shows a write at once to a list without a version', async () => {
    const name = unique('fresh');
    const created = await subject.admin.create(path, { metadata: { name } });
    const { body } = await subject.admin.get(path);
    expect(names(body)).toContain(name);
    expect(BigInt(body.metadata.resourceVersion)).toBeGreaterThanOrEqual(BigInt(created.metadata.resourceVersion));
  });
  it('is not older than the requested version', async () => {
    const created = await subject.admin.create(path, { metadata: { name: unique('rv') } });
    const { body } = await subject.admin.get(
      `${path}?resourceVersion=${created.metadata.resourceVersion}&resourceVersionMatch=NotOlderThan`,
    );
    expect(BigInt(body.metadata.resourceVersion)).toBeGreaterThanOrEqual(BigInt(created.metadata.resourceVersion));
  });
  it('shows the past with resourceVersionMatch=Exact', async () => {
    const old = await subject.admin.create(path, { metadata: { name: unique('old') } });
    const young = await subject.admin.create(path, { metadata: { name: unique('young') } });
    const { body } = await subject.admin.get(
      `${path}?limit=100&resourceVersion=${old.metadata.resourceVersion}&resourceVersionMatch=Exact`,
    );
    expect(body.metadata.resourceVersion).toBe(old.metadata.resourceVersion);
    expect(names(body)).toContain(old.metadata.name);
    expect(names(body)).not.toContain(young.metadata.name);
  });
  it('shows the past to a list with a limit and a version, but not to a list of one name', async () => {
    const old = await subject.admin.create(path, { metadata: { name: unique('before') } });
    const { name, resourceVersion } = old.metadata;
    await subject.admin.patch('merge', `${path}/${name}`, { metadata: { labels: { later: 'yes' } } });
    const list = async (query: string): Promise<Obj> =>
      (await subject.admin.get(`${path}?resourceVersion=${resourceVersion}${query}`)).body;
    const labelsIn = ({ items }: Obj): unknown => items.find(({ metadata }) => metadata.name === name)?.metadata.labels;
    const past = await list('&limit=100');
    expect([past.metadata.resourceVersion, labelsIn(past)]).toEqual([resourceVersion, undefined]);
    expect(labelsIn(await list(''))).toEqual({ later: 'yes' });
    expect(labelsIn(await list('&limit=100&resourceVersionMatch=NotOlderThan'))).toEqual({ later: 'yes' });
    expect(labelsIn(await list(`&limit=100&fieldSelector=metadata.name%3D${name}`))).toEqual({ later: 'yes' });
  });
  it('refuses resourceVersionMatch without a resourceVersion', async () => {
    const answer = await subject.admin.get(`${path}?resourceVersionMatch=Exact`);
    expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    expect(answer.body.message).toContain('resourceVersionMatch is forbidden unless resourceVersion is provided');
  });
  it('refuses an exact match of version 0', async () => {
    const answer = await subject.admin.get(`${path}?resourceVersion=0&resourceVersionMatch=Exact`);
    expect(answer.status).toBe(422);
  });
  it('refuses a resourceVersion that is not a number', async () => {
    expect((await subject.admin.get(`${path}?resourceVersion=abc`)).status).toBe(400);
  });
  it('answers 504 with a Timeout for a version from the future', async () => {
    const { body } = await subject.admin.get(path);
    const future = BigInt(body.metadata.resourceVersion) + 1_000_000n;
    const answer = await subject.admin.get(`${path}?resourceVersion=${future}`);
    expect(answer.status).toBe(504);
    expect(answer.body.reason).toBe('Timeout');
    expect(answer.body.message).toMatch(/Too large resource version/);
  });
}

export function names(list: Obj): string[] {
  return list.items.map(({ metadata }) => metadata.name);
}
