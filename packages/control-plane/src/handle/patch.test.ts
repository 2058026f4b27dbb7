/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return -- answers of every kind are looked into */
import { describe, expect, it } from 'vitest';
import { type Answer, Api } from './fixtures.js';

const CMS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

const deployment = {
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'nginx:1', env: [{ name: 'A', value: '1' }] }] },
    },
  },
};

async function given(): Promise<Api> {
  const api = new Api();
  await api.namespace('default');
  await api.post(CMS, { metadata: { name: 'a' }, data: { x: '1' } });
  await api.post(DEPLOYMENTS, deployment);
  return api;
}

const patch = (api: Api, path: string, type: string, body: Answer): Promise<Answer> =>
  api.read('PATCH', path, body, { 'content-type': `application/${type}+json` });

describe('patch', () => {
  it('merges, and removes null members', async () => {
    const api = await given();
    expect((await patch(api, `${CMS}/a`, 'merge-patch', { data: { x: null, y: '2' } })).data).toEqual({ y: '2' });
  });

  it('applies JSON patches completely or not at all', async () => {
    const api = await given();
    const steps = [
      { op: 'add', path: '/data/y', value: '2' },
      { op: 'test', path: '/data/x', value: '9' },
    ];
    expect(await patch(api, `${CMS}/a`, 'json-patch', steps)).toMatchObject({ code: 422 });
    expect((await api.get(`${CMS}/a`)).data).toEqual({ x: '1' });
    expect((await patch(api, `${CMS}/a`, 'json-patch', steps.slice(0, 1))).data).toEqual({ x: '1', y: '2' });
  });

  it('merges lists of built-in kinds by their keys', async () => {
    const api = await given();
    const body = {
      spec: {
        template: {
          spec: {
            containers: [
              { name: 'main', env: [{ name: 'B', value: '2' }] },
              { name: 'side', image: 's:1' },
            ],
          },
        },
      },
    };
    const patched = await patch(api, `${DEPLOYMENTS}/web`, 'strategic-merge-patch', body);
    const containers = patched.spec.template.spec.containers.map(
      (c: Answer) => `${c.name} ${c.image} ${(c.env ?? []).map((e: Answer) => e.name)}`,
    );
    expect(containers.sort()).toEqual(['main nginx:1 B,A', 'side s:1 ']);
    expect(patched.metadata.generation).toBe(2);
  });

  it('fails if the patch names another resourceVersion or uid', async () => {
    const api = await given();
    const { resourceVersion, uid } = (await api.get(`${CMS}/a`)).metadata;
    expect(await api.merge(`${CMS}/a`, { metadata: { resourceVersion: '1' }, data: { x: '2' } })).toMatchObject({
      code: 409,
      reason: 'Conflict',
    });
    expect(await api.merge(`${CMS}/a`, { metadata: { uid: 'other' }, data: { x: '2' } })).toMatchObject({
      code: 422,
      message: /metadata.uid: Invalid value: "other": field is immutable/,
    });
    expect(await api.merge(`${CMS}/a`, { metadata: { resourceVersion, uid }, data: { x: '2' } })).toMatchObject({ data: { x: '2' } });
    expect(await api.merge(`${CMS}/a`, { metadata: { name: 'b' } })).toMatchObject({
      code: 400,
      message: /does not match the name on the URL/,
    });
  });

  it('writes nothing when nothing changes', async () => {
    const api = await given();
    const before = api.server.store.revision;
    await api.merge(`${CMS}/a`, { data: { x: '1' } });
    await api.put(`${CMS}/a`, await api.get(`${CMS}/a`));
    await api.put(`${DEPLOYMENTS}/web`, deployment);
    expect(api.server.store.revision).toBe(before);
  });

  it('changes nothing in a dry run', async () => {
    const api = await given();
    expect((await api.merge(`${CMS}/a?dryRun=All`, { data: { x: '2' } })).data).toEqual({ x: '2' });
    expect((await api.get(`${CMS}/a`)).data).toEqual({ x: '1' });
  });

  it('retries patches without a resourceVersion, so that many concurrent ones all take effect', async () => {
    const api = await given();
    await Promise.all(Array.from({ length: 10 }, (_, i) => api.merge(`${CMS}/a`, { data: { [`k${i}`]: 'v' } })));
    expect(Object.keys((await api.get(`${CMS}/a`)).data)).toHaveLength(11);
  });

  it('answers 404 for a missing object, 415 for an unknown patch type', async () => {
    const api = await given();
    expect(await api.merge(`${CMS}/none`, {})).toMatchObject({ code: 404 });
    expect(await api.read('PATCH', `${CMS}/a`, {}, { 'content-type': 'text/plain' })).toMatchObject({ code: 415 });
  });

  it('records which manager changed which field', async () => {
    const api = await given();
    await api.read(
      'PATCH',
      `${CMS}/a`,
      { data: { y: '2' } },
      { 'content-type': 'application/merge-patch+json', 'user-agent': 'robot/1.0 (x)' },
    );
    const { managedFields } = (await api.get(`${CMS}/a`)).metadata;
    expect(managedFields.map((entry: Answer) => `${entry.manager} ${entry.operation} ${JSON.stringify(entry.fieldsV1)}`)).toEqual([
      'robot Update {"f:data":{"f:y":{}}}',
      'unknown Update {"f:data":{".":{},"f:x":{}}}',
    ]);
  });
});

describe('server-side apply', () => {
  const manifest = (data: Record<string, string>) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data });

  it('creates, changes and removes the fields of its manager', async () => {
    const api = await given();
    await api.apply(`${CMS}/applied`, 'one', manifest({ a: '1', b: '2' }));
    await api.merge(`${CMS}/applied`, { data: { other: 'kept' } });
    expect((await api.apply(`${CMS}/applied`, 'one', manifest({ a: '3' }))).data).toEqual({ a: '3', other: 'kept' });
  });

  it('names the managers of conflicting fields, and takes the fields with force', async () => {
    const api = await given();
    await api.apply(`${CMS}/applied`, 'one', manifest({ a: '1' }));
    expect(await api.apply(`${CMS}/applied`, 'two', manifest({ a: '2' }))).toMatchObject({
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "one": .data.a',
      details: { causes: [{ reason: 'FieldManagerConflict', field: '.data.a' }] },
    });
    expect((await api.apply(`${CMS}/applied`, 'two', manifest({ a: '2' }), true)).data).toEqual({ a: '2' });
  });

  it('writes nothing when applied again', async () => {
    const api = await given();
    await api.apply(`${DEPLOYMENTS}/applied`, 'one', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      ...deployment,
      metadata: { name: 'applied' },
    });
    const before = api.server.store.revision;
    api.runtime.advance(60_000);
    await api.apply(`${DEPLOYMENTS}/applied`, 'one', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      ...deployment,
      metadata: { name: 'applied' },
    });
    expect(api.server.store.revision).toBe(before);
  });

  it('needs a manager, a known kind and known fields', async () => {
    const api = await given();
    const type = { 'content-type': 'application/apply-patch+yaml' };
    expect(await api.read('PATCH', `${CMS}/applied`, manifest({}), type)).toMatchObject({
      code: 422,
      message: /fieldManager: Required value: is required for apply patch/,
    });
    expect(await api.apply(`${CMS}/applied`, 'one', { metadata: { name: 'applied' } })).toMatchObject({ code: 400 });
    expect(await api.apply(`${CMS}/applied`, 'one', { ...manifest({}), nope: 1 })).toMatchObject({
      code: 500,
      message: /field not declared in schema/,
    });
  });

  it('does not change status', async () => {
    const api = await given();
    const status = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, status: { replicas: 3 } };
    const applied = await api.apply(`${DEPLOYMENTS}/web/status`, 'kubelet', status);
    expect(applied).toMatchObject({ status: { replicas: 3 }, metadata: { generation: 1 } });
    expect(applied.metadata.managedFields.find((entry: Answer) => entry.manager === 'kubelet')).toMatchObject({
      subresource: 'status',
      operation: 'Apply',
    });
  });
});
