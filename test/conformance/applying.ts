import { describe, expect, it } from 'vitest';
import type { Answer, Obj } from './api.js';
import { configMap, ownNamespace, type Subject } from './subject.js';

export function applying(subject: Subject): void {
  describe('server-side apply', () => {
    const ns = ownNamespace(subject, 'apply');
    const path = ns.path('configmaps');
    const apply = (manager: string, name: string, data: object, query = ''): Promise<Answer> =>
      subject.admin.patch('apply', `${path}/${name}?fieldManager=${manager}${query}`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name },
        data,
      });

    it('creates what is not there, answering 201', async () => {
      expect(await apply('ann', 'a1', { a: '1' })).toMatchObject({ status: 201, body: { data: { a: '1' } } });
    });
    it('records the applied fields under the manager', async () => {
      const { body } = await apply('ann', 'a2', { a: '1' });
      expect(body.metadata.managedFields).toMatchObject([
        { manager: 'ann', operation: 'Apply', apiVersion: 'v1', fieldsV1: { 'f:data': { 'f:a': {} } } },
      ]);
    });
    it('refuses to apply without a field manager', async () => {
      const answer = await subject.admin.patch('apply', `${path}/a3`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a3' } });
      expect(answer).toMatchObject({ status: 422 });
      expect(answer.body.message).toContain('fieldManager: Required value: is required for apply patch');
    });
    it('removes a field the manager stopped applying', async () => {
      await apply('ann', 'a4', { a: '1', b: '2' });
      expect((await apply('ann', 'a4', { a: '1' })).body.data).toEqual({ a: '1' });
    });
    it('keeps a field another manager also owns', async () => {
      await apply('ann', 'a5', { a: '1', shared: 'x' });
      await apply('bob', 'a5', { shared: 'x' });
      const { body } = await apply('ann', 'a5', { a: '1' });
      expect(body.data).toEqual({ a: '1', shared: 'x' });
      expect(owners(body, 'f:shared')).toEqual(['bob']);
    });
    it('answers Conflict naming the owner and the field', async () => {
      await apply('ann', 'a6', { a: '1' });
      const answer = await apply('bob', 'a6', { a: '2' });
      expect(answer).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
      expect(answer.body.message).toBe('Apply failed with 1 conflict: conflict with "ann": .data.a');
      expect(answer.body.details.causes).toEqual([{ reason: 'FieldManagerConflict', message: 'conflict with "ann"', field: '.data.a' }]);
    });
    it('lists every conflict', async () => {
      await apply('ann', 'a7', { a: '1', b: '1' });
      const answer = await apply('bob', 'a7', { a: '2', b: '2' });
      expect(answer.body.message).toMatch(/^Apply failed with 2 conflicts: conflicts with "ann":\n- \.data\.a\n- \.data\.b$/);
    });
    it('takes the field over with force', async () => {
      await apply('ann', 'a8', { a: '1' });
      const { status, body } = await apply('bob', 'a8', { a: '2' }, '&force=true');
      expect(status).toBe(200);
      expect(body.data).toEqual({ a: '2' });
      expect(owners(body, 'f:a')).toEqual(['bob']);
    });
    it('is no conflict when both want the same value', async () => {
      await apply('ann', 'a9', { a: '1' });
      const { status, body } = await apply('bob', 'a9', { a: '1' });
      expect(status).toBe(200);
      expect(owners(body, 'f:a').sort()).toEqual(['ann', 'bob']);
    });
    it('loses the fields that an update by another manager changed', async () => {
      const { body } = await apply('ann', 'a10', { a: '1' });
      const updated = await subject.admin.put(`${path}/a10?fieldManager=bob`, { ...body, data: { a: '2' } });
      expect(owners(updated.body, 'f:a')).toEqual(['bob']);
      expect((await apply('ann', 'a10', { a: '3' })).body.message).toContain('conflict with "bob" using v1: .data.a');
    });
    it('changes nothing when applied twice', async () => {
      const first = await apply('ann', 'a11', { a: '1' });
      const second = await apply('ann', 'a11', { a: '1' });
      expect(second.status).toBe(200);
      expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    });
    it('takes YAML', async () => {
      const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a12\ndata:\n  a: "1"\n';
      expect(await subject.admin.patch('apply', `${path}/a12?fieldManager=ann`, text)).toMatchObject({
        status: 201,
        body: { data: { a: '1' } },
      });
    });
    it('refuses managedFields in the applied object', async () => {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a13', managedFields: [{ manager: 'x' }] } };
      const answer = await subject.admin.patch('apply', `${path}/a13?fieldManager=ann`, object);
      expect(answer.status).toBe(400);
      expect(answer.body.message).toContain('metadata.managedFields must be nil');
    });
    it('refuses force on another kind of patch', async () => {
      await apply('ann', 'a14', {});
      const answer = await subject.admin.patch('merge', `${path}/a14?force=true`, {});
      expect(answer.status).toBe(422);
      expect(answer.body.message).toContain('force: Forbidden: may not be specified for non-apply patch');
    });
    it('does not resurrect an object that is gone when a uid is given', async () => {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a15', uid: '00000000-0000-0000-0000-000000000000' } };
      const answer = await subject.admin.patch('apply', `${path}/a15?fieldManager=ann`, object);
      expect(answer.status).toBe(409);
    });
    it('clears all ownership when managedFields is set to one empty entry', async () => {
      await apply('ann', 'a16', { a: '1' });
      const answer = await subject.admin.patch('merge', `${path}/a16`, { metadata: { managedFields: [{}] } });
      expect(answer.body.metadata).not.toHaveProperty('managedFields');
    });
    it('shows ownership taken before managedFields existed as before-first-apply', async () => {
      await subject.admin.create(path, configMap('a17', { a: '1' }));
      await subject.admin.patch('merge', `${path}/a17`, { metadata: { managedFields: [{}] } });
      expect((await apply('ann', 'a17', { a: '2' })).body.message).toContain('conflict with "before-first-apply" using v1: .data.a');
    });
    it('needs a name to create an object, not to change one', async () => {
      const unnamed = { apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } };
      const send = (): Promise<Answer> => subject.admin.patch('apply', `${path}/a18?fieldManager=ann`, unnamed);
      expect(await send()).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
      await apply('ann', 'a18', {});
      expect(await send()).toMatchObject({ status: 200, body: { data: { a: '1' } } });
    });
    it.each<[string, object]>([
      ['labels', { labels: null }],
      ['annotations', { annotations: null }],
      ['owners', { ownerReferences: null }],
      ['finalizers', { finalizers: null }],
      ['the time of deletion', { deletionTimestamp: null }],
    ])('AT-43 reads null %s as none, when it creates and when it changes an object', async (title, metadata) => {
      const name = `nulls-${title.replaceAll(' ', '-')}`;
      const send = (data: object): Promise<Answer> =>
        subject.admin.patch('apply', `${path}/${name}?fieldManager=ann`, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name, ...metadata },
          data,
        });
      const [field = ''] = Object.keys(metadata);
      expect((await send({ a: '1' })).body.metadata).not.toHaveProperty(field);
      expect((await send({ a: '2' })).body.metadata).not.toHaveProperty(field);
      expect(await subject.admin.delete(`${path}/${name}`)).toMatchObject({ status: 200 });
    });
    it('reads nulls in maps of texts as empty', async () => {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a19', labels: { l: null } }, data: { d: null } };
      const { body } = await subject.admin.patch('apply', `${path}/a19?fieldManager=ann`, object);
      expect([body.metadata.labels, body.data]).toEqual([{ l: '' }, { d: '' }]);
    });
    it.each<[string, object, object, string]>([
      ['a container', {}, { containers: [{ image: 'x' }] }, 'spec.template.spec.containers[0].name: Required value'],
      [
        'a variable',
        {},
        { containers: [{ name: 'c', image: 'x', env: [{ value: 'x' }] }] },
        'spec.template.spec.containers[0].env[0].name: Required value',
      ],
      ['a volume', {}, { volumes: [{ emptyDir: {} }] }, 'spec.template.spec.volumes[0].name: Required value'],
      [
        'an owner',
        { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x' }] },
        {},
        'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
      ],
    ])('reads an item of a built-in kind without its key, %s, as one with an empty key', async (_, metadata, spec, words) => {
      const answer = await subject.admin.patch('apply', `/apis/apps/v1/namespaces/${ns.name}/deployments/d2?fieldManager=ann`, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd2', ...metadata },
        spec: {
          selector: { matchLabels: { app: 'd2' } },
          template: { metadata: { labels: { app: 'd2' } }, spec: { containers: [{ name: 'c', image: 'x' }], ...spec } },
        },
      });
      expect(answer).toMatchObject({ status: 422, body: { message: `Deployment.apps "d2" is invalid: ${words}` } });
    });
    it('merges lists of a built-in kind by their keys', async () => {
      const deployments = `/apis/apps/v1/namespaces/${ns.name}/deployments`;
      const withContainer = (manager: string, container: string): Promise<Answer> =>
        subject.admin.patch('apply', `${deployments}/d1?fieldManager=${manager}`, {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'd1' },
          spec: {
            selector: { matchLabels: { app: 'd1' } },
            template: { metadata: { labels: { app: 'd1' } }, spec: { containers: [{ name: container, image: 'x:1' }] } },
          },
        });
      await withContainer('ann', 'one');
      const { body } = await withContainer('bob', 'two');
      expect(body.spec).toMatchObject({ template: { spec: { containers: [{ name: 'one' }, { name: 'two' }] } } });
    });
  });
}

/** Returns the field managers that own a field of `data`. */
function owners(object: Obj, field: string): string[] {
  return object.metadata.managedFields
    .filter(({ fieldsV1 }) => Object.hasOwn(fieldsV1['f:data'] ?? {}, field))
    .map(({ manager }) => manager);
}
