/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return -- answers of every kind are looked into */
import { describe, expect, it } from 'vitest';
import { Api } from './fixtures.js';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

async function given(): Promise<Api> {
  const api = new Api();
  await api.namespace('default');
  return api;
}

describe('objects', () => {
  it('creates, reads, updates, patches and deletes', async () => {
    const api = await given();
    const created = await api.post(CONFIG_MAPS, { metadata: { name: 'a' }, data: { x: '1' } });
    expect(created).toMatchObject({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', namespace: 'default', resourceVersion: '3' },
      data: { x: '1' },
    });
    expect(await api.get(`${CONFIG_MAPS}/a`)).toEqual(created);
    const updated = await api.put(`${CONFIG_MAPS}/a`, { ...created, data: { x: '2' } });
    expect(updated).toMatchObject({ metadata: { resourceVersion: '4' }, data: { x: '2' } });
    const patched = await api.merge(`${CONFIG_MAPS}/a`, { data: { x: null, y: '3' } });
    expect(patched.data).toEqual({ y: '3' });
    expect(await api.delete(`${CONFIG_MAPS}/a`)).toMatchObject({ status: 'Success', details: { name: 'a', kind: 'configmaps' } });
    expect(await api.get(`${CONFIG_MAPS}/a`)).toMatchObject({ code: 404, message: 'configmaps "a" not found' });
  });
});
