import { describe, expect, it } from 'vitest';
import { configMap, ownNamespace, type Subject } from './subject.js';

export function patching(subject: Subject): void {
  describe('JSON patch', () => jsonPatch(subject));
  describe('merge patch', () => mergePatch(subject));
  describe('strategic merge patch', () => strategicPatch(subject));
}

function jsonPatch(subject: Subject): void {
  const ns = ownNamespace(subject, 'json');
  const path = ns.path('configmaps');

  it('adds, replaces, moves, copies and removes', async () => {
    await subject.admin.create(path, configMap('j1', { a: '1', b: '2' }));
    const answer = await subject.admin.patch('json', `${path}/j1`, [
      { op: 'add', path: '/data/c', value: '3' },
      { op: 'replace', path: '/data/a', value: '9' },
      { op: 'move', from: '/data/b', path: '/data/moved' },
      { op: 'copy', from: '/data/c', path: '/data/copied' },
      { op: 'remove', path: '/data/c' },
    ]);
    expect(answer).toMatchObject({ status: 200, body: { data: { a: '9', moved: '2', copied: '3' } } });
    expect(Object.keys(answer.body.data).sort()).toEqual(['a', 'copied', 'moved']);
  });
  it('reaches keys with slashes by their escape', async () => {
    await subject.admin.create(path, configMap('j2', {}, { annotations: { 'example.com/a': '1' } }));
    const answer = await subject.admin.patch('json', `${path}/j2`, [
      { op: 'replace', path: '/metadata/annotations/example.com~1a', value: '2' },
    ]);
    expect(answer.body.metadata.annotations).toEqual({ 'example.com/a': '2' });
  });
  it('changes nothing when a test fails', async () => {
    await subject.admin.create(path, configMap('j3', { a: '1' }));
    const answer = await subject.admin.patch('json', `${path}/j3`, [
      { op: 'replace', path: '/data/a', value: '2' },
      { op: 'test', path: '/data/a', value: '3' },
    ]);
    expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    expect((await subject.admin.get(`${path}/j3`)).body.data).toEqual({ a: '1' });
  });
  it('answers 422 when a path to remove is not there', async () => {
    await subject.admin.create(path, configMap('j4'));
    expect((await subject.admin.patch('json', `${path}/j4`, [{ op: 'remove', path: '/data/none' }])).status).toBe(422);
  });
  it('answers 400 for a patch that is not a list', async () => {
    await subject.admin.create(path, configMap('j5'));
    expect((await subject.admin.patch('json', `${path}/j5`, { op: 'add' })).status).toBe(400);
  });
  it('answers NotFound for an object that does not exist', async () => {
    expect((await subject.admin.patch('json', `${path}/none`, [])).status).toBe(404);
  });
}

function mergePatch(subject: Subject): void {
  const ns = ownNamespace(subject, 'merge');
  const path = ns.path('configmaps');

  it('merges objects and removes fields that are null', async () => {
    await subject.admin.create(path, configMap('m1', { a: '1', b: '2' }, { labels: { x: 'y' } }));
    const answer = await subject.admin.patch('merge', `${path}/m1`, { data: { a: null, c: '3' } });
    expect(answer).toMatchObject({ status: 200, body: { metadata: { labels: { x: 'y' } } } });
    expect(answer.body.data).toEqual({ b: '2', c: '3' });
  });
  it('replaces lists as a whole', async () => {
    await subject.admin.create(path, configMap('m2', {}, { finalizers: ['example.com/a', 'example.com/b'] }));
    const answer = await subject.admin.patch('merge', `${path}/m2`, { metadata: { finalizers: ['example.com/c'] } });
    expect(answer.body.metadata.finalizers).toEqual(['example.com/c']);
    await subject.admin.patch('merge', `${path}/m2`, { metadata: { finalizers: null } });
  });
  it('answers Conflict when it carries a stale resourceVersion', async () => {
    const { metadata } = await subject.admin.create(path, configMap('m3'));
    await subject.admin.patch('merge', `${path}/m3`, { data: { a: '1' } });
    const stale = { metadata: { resourceVersion: metadata.resourceVersion }, data: { a: '2' } };
    expect(await subject.admin.patch('merge', `${path}/m3`, stale)).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
  });
  it('refuses to change the uid', async () => {
    await subject.admin.create(path, configMap('m4'));
    const other = { metadata: { uid: '00000000-0000-0000-0000-000000000000' }, data: { a: '2' } };
    expect(await subject.admin.patch('merge', `${path}/m4`, other)).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
  });
  it('does not move the resourceVersion when it changes nothing', async () => {
    const created = await subject.admin.create(path, configMap('m5', { a: '1' }));
    const answer = await subject.admin.patch('merge', `${path}/m5`, { data: { a: '1' } });
    expect(answer.body.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
  });
  it('never loses one of many patches sent at once', async () => {
    await subject.admin.create(path, configMap('m6'));
    const keys = Array.from({ length: 20 }, (_, i) => `k${i}`);
    const answers = await Promise.all(keys.map((key) => subject.admin.patch('merge', `${path}/m6`, { data: { [key]: 'x' } })));
    const applied = keys.filter((_, i) => answers[i]?.status === 200);
    expect(Object.keys((await subject.admin.get(`${path}/m6`)).body.data).sort()).toEqual(applied.sort());
    expect(applied.length).toBeGreaterThan(0);
  });
  it('refuses to change the name', async () => {
    await subject.admin.create(path, configMap('m7'));
    const answer = await subject.admin.patch('merge', `${path}/m7`, { metadata: { name: 'other' } });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain('the name of the object (other) does not match the name on the URL (m7)');
  });
}

function strategicPatch(subject: Subject): void {
  const ns = ownNamespace(subject, 'strategic');
  const path = `/apis/apps/v1/namespaces/${ns.name}/deployments`;
  const containers = (...list: object[]): object => ({ spec: { template: { spec: { containers: list } } } });
  const deployment = (name: string): object => ({
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [
            { name: 'one', image: 'one:1', env: [{ name: 'A', value: '1' }] },
            { name: 'two', image: 'two:1' },
          ],
        },
      },
    },
  });
  const images = (spec: unknown): string[] => {
    const { template } = spec as { template: { spec: { containers: { name: string; image: string }[] } } };
    return template.spec.containers.map(({ name, image }) => `${name}=${image}`);
  };

  it('merges list items by their key', async () => {
    await subject.admin.create(path, deployment('s1'));
    const answer = await subject.admin.patch('strategic', `${path}/s1`, containers({ name: 'two', image: 'two:2' }));
    expect(images(answer.body.spec)).toEqual(['two=two:2', 'one=one:1'].sort((a, b) => (a < b ? -1 : 1)));
  });
  it('removes a list item with $patch: delete', async () => {
    await subject.admin.create(path, deployment('s2'));
    const answer = await subject.admin.patch('strategic', `${path}/s2`, containers({ name: 'two', $patch: 'delete' }));
    expect(images(answer.body.spec)).toEqual(['one=one:1']);
  });
  it('replaces a list with $patch: replace', async () => {
    await subject.admin.create(path, deployment('s3'));
    const answer = await subject.admin.patch('strategic', `${path}/s3`, containers({ name: 'new', image: 'n:1' }, { $patch: 'replace' }));
    expect(images(answer.body.spec)).toEqual(['new=n:1']);
  });
  it('adds to a set of values', async () => {
    const secrets = ns.path('secrets');
    await subject.admin.create(secrets, { metadata: { name: 's4', finalizers: ['example.com/a'] } });
    const answer = await subject.admin.patch('strategic', `${secrets}/s4`, { metadata: { finalizers: ['example.com/b'] } });
    expect([...answer.body.metadata.finalizers].sort()).toEqual(['example.com/a', 'example.com/b']);
    await subject.admin.patch('merge', `${secrets}/s4`, { metadata: { finalizers: null } });
  });
  it('fills in defaults of a built-in kind', async () => {
    const { spec } = await subject.admin.create(path, deployment('s5'));
    expect(spec).toMatchObject({ replicas: 1, revisionHistoryLimit: 10, strategy: { type: 'RollingUpdate' } });
  });
}
