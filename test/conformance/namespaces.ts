import { describe, expect, it } from 'vitest';
import { eventually } from './api.js';
import { configMap, type Subject, unique } from './subject.js';

export function namespaces(subject: Subject): void {
  describe('namespaces', () => {
    it('are active, finalized by kubernetes and labelled with their name', async () => {
      const name = unique('ns');
      const created = await subject.admin.create('/api/v1/namespaces', { metadata: { name } });
      expect(created).toMatchObject({
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
        metadata: { labels: { 'kubernetes.io/metadata.name': name } },
      });
    });
    it('exist for the system from the start', async () => {
      for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease']) {
        await eventually(async () => expect((await subject.admin.get(`/api/v1/namespaces/${name}`)).status).toBe(200));
      }
    });
    it('protect the default one from deletion', async () => {
      const answer = await subject.admin.delete('/api/v1/namespaces/default');
      expect(answer).toMatchObject({ status: 403, body: { reason: 'Forbidden' } });
      expect(answer.body.message).toContain('this namespace may not be deleted');
    });
    it('delete their content when they are deleted', async () => {
      const name = unique('ns');
      await subject.admin.create('/api/v1/namespaces', { metadata: { name } });
      await subject.admin.create(`/api/v1/namespaces/${name}/configmaps`, configMap('inside'));
      const answer = await subject.admin.delete(`/api/v1/namespaces/${name}`);
      expect(answer).toMatchObject({ status: 200, body: { kind: 'Namespace', status: { phase: 'Terminating' } } });
      await eventually(async () => expect((await subject.admin.get(`/api/v1/namespaces/${name}`)).status).toBe(404), 60_000);
      expect((await subject.admin.get(`/api/v1/namespaces/${name}/configmaps/inside`)).status).toBe(404);
    });
    it('refuse new content while they are terminating, and wait for finalizers inside', async () => {
      const name = unique('ns');
      const path = `/api/v1/namespaces/${name}/configmaps`;
      await subject.admin.create('/api/v1/namespaces', { metadata: { name } });
      await subject.admin.create(path, configMap('held', {}, { finalizers: ['example.com/hold'] }));
      await subject.admin.delete(`/api/v1/namespaces/${name}`);
      const refused = await subject.admin.post(path, configMap('late'));
      expect(refused).toMatchObject({ status: 403, body: { reason: 'Forbidden' } });
      expect(refused.body.message).toContain(`unable to create new content in namespace ${name} because it is being terminated`);
      expect(refused.body.details.causes[0]?.reason).toBe('NamespaceTerminating');
      await eventually(async () => expect((await subject.admin.get(`${path}/held`)).body.metadata.deletionTimestamp).toBeTruthy(), 60_000);
      expect((await subject.admin.get(`/api/v1/namespaces/${name}`)).status).toBe(200);
      await subject.admin.patch('merge', `${path}/held`, { metadata: { finalizers: null } });
      await eventually(async () => expect((await subject.admin.get(`/api/v1/namespaces/${name}`)).status).toBe(404), 60_000);
    });
    it('get a default service account', async () => {
      const name = unique('ns');
      await subject.admin.create('/api/v1/namespaces', { metadata: { name } });
      await eventually(async () =>
        expect((await subject.admin.get(`/api/v1/namespaces/${name}/serviceaccounts/default`)).status).toBe(200),
      );
    });
    it('get the certificate of the server in a config map', async () => {
      const name = unique('ns');
      await subject.admin.create('/api/v1/namespaces', { metadata: { name } });
      await eventually(async () => {
        const { body } = await subject.admin.get(`/api/v1/namespaces/${name}/configmaps/kube-root-ca.crt`);
        expect(body.data['ca.crt']).toContain('BEGIN CERTIFICATE');
      });
    });
    it('must have names of 63 characters at most', async () => {
      const answer = await subject.admin.post('/api/v1/namespaces', { metadata: { name: 'x'.repeat(64) } });
      expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    });
  });
}
