/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return -- answers of every kind are looked into */
import { describe, expect, it } from 'vitest';
import { type Answer, Api } from './fixtures.js';

const CMS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';

async function given(metadata: object = {}): Promise<{ api: Api; created: Answer }> {
  const api = new Api();
  await api.namespace('default');
  const created = await api.post(CMS, { metadata: { name: 'a', ...metadata } });
  return { api, created };
}

describe('delete', () => {
  it('answers with a Status for a deleted object', async () => {
    const { api, created } = await given();
    expect(await api.delete(`${CMS}/a`)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: created.metadata.uid },
    });
    expect(await api.delete(`${CMS}/a`)).toMatchObject({ code: 404, details: { name: 'a', kind: 'configmaps' } });
  });

  it('refuses if the preconditions do not match the object', async () => {
    const { api, created } = await given();
    const { uid, resourceVersion } = created.metadata;
    expect(await api.delete(`${CMS}/a`, { preconditions: { uid: 'other' } })).toMatchObject({
      code: 409,
      message: /UID in the precondition/,
    });
    expect(await api.delete(`${CMS}/a`, { preconditions: { resourceVersion: '1' } })).toMatchObject({ code: 409 });
    expect(await api.delete(`${CMS}/a`, { preconditions: { uid, resourceVersion } })).toMatchObject({ status: 'Success' });
  });

  it('waits for finalizers, accepts no new ones, and removes with the last', async () => {
    const { api } = await given({ finalizers: ['x.io/a', 'x.io/b'] });
    const deleting = await api.delete(`${CMS}/a`);
    expect(deleting.metadata).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 });
    api.runtime.advance(5000);
    expect((await api.delete(`${CMS}/a`)).metadata).toEqual(deleting.metadata);
    expect(await api.merge(`${CMS}/a`, { metadata: { finalizers: ['x.io/a', 'x.io/c'] } })).toMatchObject({
      code: 422,
      message: /no new finalizers can be added if the object is being deleted, found new finalizers \[\]string\{"x.io\/c"\}/,
    });
    expect((await api.merge(`${CMS}/a`, { metadata: { finalizers: ['x.io/b'] } })).metadata.finalizers).toEqual(['x.io/b']);
    await api.merge(`${CMS}/a`, { metadata: { finalizers: null } });
    expect(await api.get(`${CMS}/a`)).toMatchObject({ code: 404 });
  });

  it('never undoes a deletion by an update', async () => {
    const { api } = await given({ finalizers: ['x.io/a'] });
    const deleting = await api.delete(`${CMS}/a`);
    const { deletionTimestamp: _, ...metadata } = deleting.metadata;
    const updated = await api.put(`${CMS}/a`, { ...deleting, metadata, data: { x: '1' } });
    expect(updated).toMatchObject({ metadata: { deletionTimestamp: deleting.metadata.deletionTimestamp }, data: { x: '1' } });
  });

  const propagations = [
    { policy: 'Foreground', want: ['foregroundDeletion'] },
    { policy: 'Orphan', want: ['orphan'] },
  ];
  it.each(propagations)('sets a finalizer for the garbage collector: $policy', async ({ policy, want }) => {
    const { api } = await given();
    expect((await api.delete(`${CMS}/a`, { propagationPolicy: policy })).metadata.finalizers).toEqual(want);
    expect((await api.delete(`${CMS}/a`, { propagationPolicy: 'Background' })).status).toBe('Success');
  });

  it('refuses invalid options', async () => {
    const { api } = await given();
    expect(await api.delete(`${CMS}/a?propagationPolicy=Sideways`)).toMatchObject({
      code: 422,
      message: /propagationPolicy: Unsupported value/,
    });
    expect(await api.delete(`${CMS}/a`, { gracePeriodSeconds: '1' })).toMatchObject({ code: 400 });
    expect(await api.delete(`${CMS}/a`, { kind: 'ConfigMap' })).toMatchObject({ code: 400 });
  });

  it('changes nothing in a dry run', async () => {
    const { api, created } = await given();
    expect(await api.delete(`${CMS}/a?dryRun=All`)).toMatchObject({ status: 'Success' });
    expect(await api.get(`${CMS}/a`)).toEqual(created);
  });

  it('gives a running pod time to stop, less if asked again, and none if it never ran', async () => {
    const { api } = await given();
    const pod = (name: string, nodeName?: string) => ({
      metadata: { name },
      spec: { ...(nodeName ? { nodeName } : {}), containers: [{ name: 'c', image: 'i' }] },
    });
    await api.post(PODS, pod('running', 'n1'));
    await api.post(PODS, pod('waiting'));
    expect((await api.delete(`${PODS}/running`)).metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:30Z',
      deletionGracePeriodSeconds: 30,
    });
    expect((await api.delete(`${PODS}/running?gracePeriodSeconds=5`)).metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:05Z',
    });
    expect((await api.delete(`${PODS}/waiting`)).metadata.name).toBe('waiting');
    expect(await api.get(`${PODS}/waiting`)).toMatchObject({ code: 404 });
    await api.delete(`${PODS}/running?gracePeriodSeconds=0`);
    expect(await api.get(`${PODS}/running`)).toMatchObject({ code: 404 });
  });

  it('empties a namespace before deleting it, and refuses new objects in it', async () => {
    const { api } = await given();
    const deleting = await api.delete('/api/v1/namespaces/default');
    expect(deleting).toMatchObject({ status: { phase: 'Terminating' }, spec: { finalizers: ['kubernetes'] } });
    expect(await api.post(CMS, { metadata: { name: 'b' } })).toMatchObject({
      code: 403,
      message: 'configmaps "b" is forbidden: unable to create new content in namespace default because it is being terminated',
      details: { causes: [{ reason: 'NamespaceTerminating' }] },
    });
    expect(await api.post('/api/v1/namespaces', { metadata: { name: 'default' } })).toMatchObject({
      message: /^object is being deleted: /,
    });
    await api.put('/api/v1/namespaces/default/finalize', { ...deleting, spec: { finalizers: [] } });
    expect(await api.get('/api/v1/namespaces/default')).toMatchObject({ code: 404 });
  });
});
