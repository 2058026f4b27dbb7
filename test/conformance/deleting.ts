import { describe, expect, it } from 'vitest';
import { eventually, type Obj } from './api.js';
import { names } from './reading.js';
import { configMap, ownNamespace, type Subject, unique } from './subject.js';

export function deleting(subject: Subject): void {
  describe('delete', () => deletingOne(subject));
  describe('finalizers', () => finalizing(subject));
  describe('deletecollection', () => deletingMany(subject));
  describe('garbage collection', () => collecting(subject));
}

function deletingOne(subject: Subject): void {
  const ns = ownNamespace(subject, 'delete');
  const path = ns.path('configmaps');

  it('answers with a Status that names the deleted object', async () => {
    const created = await subject.admin.create(path, configMap('x1'));
    const answer = await subject.admin.delete(`${path}/x1`);
    expect(answer).toMatchObject({
      status: 200,
      body: { kind: 'Status', status: 'Success', details: { name: 'x1', kind: 'configmaps', uid: created.metadata.uid } },
    });
    expect((await subject.admin.get(`${path}/x1`)).status).toBe(404);
  });
  it('answers NotFound the second time', async () => {
    expect(await subject.admin.delete(`${path}/x1`)).toMatchObject({ status: 404, body: { reason: 'NotFound' } });
  });
  it('answers Conflict when the uid precondition fails, and keeps the object', async () => {
    await subject.admin.create(path, configMap('x2'));
    const answer = await subject.admin.delete(`${path}/x2`, { preconditions: { uid: 'another' } });
    expect(answer).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
    expect(answer.body.message).toContain('the UID in the precondition (another) does not match the UID in record');
    expect((await subject.admin.get(`${path}/x2`)).status).toBe(200);
  });
  it('answers Conflict when the resourceVersion precondition fails', async () => {
    const created = await subject.admin.create(path, configMap('x3'));
    await subject.admin.patch('merge', `${path}/x3`, { data: { a: '1' } });
    const answer = await subject.admin.delete(`${path}/x3`, { preconditions: { resourceVersion: created.metadata.resourceVersion } });
    expect(answer).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
    expect(answer.body.message).toContain('the ResourceVersion in the precondition');
  });
  it('deletes when both preconditions hold', async () => {
    const { metadata } = await subject.admin.create(path, configMap('x4'));
    const preconditions = { uid: metadata.uid, resourceVersion: metadata.resourceVersion };
    expect((await subject.admin.delete(`${path}/x4`, { preconditions })).status).toBe(200);
  });
  it('refuses a propagation policy it does not know', async () => {
    await subject.admin.create(path, configMap('x5'));
    const answer = await subject.admin.delete(`${path}/x5`, { propagationPolicy: 'Sometimes' });
    expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
  });
  it.each<[string, object, string]>([
    ['a uid that is a number', { preconditions: { uid: 1 } }, 'Preconditions.preconditions.uid of type types.UID'],
    ['a version that is a number', { preconditions: { resourceVersion: 5 } }, 'preconditions.resourceVersion of type string'],
    ['preconditions that are a list', { preconditions: [] }, 'DeleteOptions.preconditions of type v1.Preconditions'],
    ['a dry run that is a text', { dryRun: 'All' }, 'DeleteOptions.dryRun of type []string'],
    ['a dry run of numbers', { dryRun: [1] }, 'DeleteOptions.dryRun of type string'],
    ['a policy that is a number', { propagationPolicy: 1 }, 'DeleteOptions.propagationPolicy of type v1.DeletionPropagation'],
    ['orphans by a text', { orphanDependents: 'true' }, 'DeleteOptions.orphanDependents of type bool'],
    ['a grace period that is a text', { gracePeriodSeconds: '1' }, 'DeleteOptions.gracePeriodSeconds of type int64'],
    ['a grace period that is a fraction', { gracePeriodSeconds: 1.5 }, 'DeleteOptions.gracePeriodSeconds of type int64'],
  ])('deletes nothing when it cannot read an option: %s', async (_, options, field) => {
    const name = unique('unread');
    await subject.admin.create(path, configMap(name));
    const answer = await subject.admin.delete(`${path}/${name}`, options);
    expect(answer).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
    expect(answer.body.message).toContain(field);
    expect((await subject.admin.get(`${path}/${name}`)).status).toBe(200);
  });
  it('reads options that are null, and a negative grace period', async () => {
    for (const options of [{ preconditions: { uid: null }, gracePeriodSeconds: null, dryRun: null }, { gracePeriodSeconds: -1 }]) {
      await subject.admin.create(path, configMap('x9'));
      expect((await subject.admin.delete(`${path}/x9`, options)).status).toBe(200);
    }
  });
  it('takes the propagation policy from the query too', async () => {
    await subject.admin.create(path, configMap('x6'));
    const answer = await subject.admin.delete(`${path}/x6?propagationPolicy=Foreground`);
    expect(answer.body.metadata.finalizers).toEqual(['foregroundDeletion']);
  });
  it('reads the options from the body alone if there is one', async () => {
    await subject.admin.create(path, configMap('x8'));
    await subject.admin.delete(`${path}/x8?dryRun=All`, { apiVersion: 'v1', kind: 'DeleteOptions' });
    expect((await subject.admin.get(`${path}/x8`)).status).toBe(404);
  });
  it.each(['uid=another', 'resourceVersion=1'])('deletes nothing when the precondition ?%s fails', async (query) => {
    const name = unique('kept');
    await subject.admin.create(path, configMap(name));
    expect(await subject.admin.delete(`${path}/${name}?${query}`)).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
    expect((await subject.admin.get(`${path}/${name}`)).status).toBe(200);
  });
  it('deletes when the preconditions in the query hold', async () => {
    const { metadata } = await subject.admin.create(path, configMap('x10'));
    const query = `uid=${metadata.uid}&resourceVersion=${metadata.resourceVersion}`;
    expect((await subject.admin.delete(`${path}/x10?${query}`)).status).toBe(200);
  });
  it('lets a successor of the same name have a uid of its own', async () => {
    const first = await subject.admin.create(path, configMap('x7'));
    await subject.admin.delete(`${path}/x7`);
    const second = await subject.admin.create(path, configMap('x7'));
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
  });
}

function finalizing(subject: Subject): void {
  const ns = ownNamespace(subject, 'final');
  const path = ns.path('configmaps');
  const held = (name: string): Promise<Obj> =>
    subject.admin.create(path, configMap(name, { a: '1' }, { finalizers: ['example.com/hold'] }));

  it('keep the object, marked with a deletion time', async () => {
    await held('h1');
    const answer = await subject.admin.delete(`${path}/h1`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ kind: 'ConfigMap', metadata: { deletionGracePeriodSeconds: 0 } });
    expect(answer.body.metadata.deletionTimestamp).toMatch(/Z$/);
    expect((await subject.admin.get(`${path}/h1`)).body.metadata.deletionTimestamp).toBe(answer.body.metadata.deletionTimestamp);
  });
  it('release the object when the last one is removed', async () => {
    await held('h2');
    await subject.admin.delete(`${path}/h2`);
    expect((await subject.admin.patch('merge', `${path}/h2`, { metadata: { finalizers: [] } })).status).toBe(200);
    expect((await subject.admin.get(`${path}/h2`)).status).toBe(404);
  });
  it('do not move the deletion time when deleted again', async () => {
    await held('h3');
    const first = await subject.admin.delete(`${path}/h3`);
    const second = await subject.admin.delete(`${path}/h3`);
    expect(second.body.metadata.deletionTimestamp).toBe(first.body.metadata.deletionTimestamp);
  });
  it('cannot be added to an object that is being deleted', async () => {
    await held('h4');
    await subject.admin.delete(`${path}/h4`);
    const answer = await subject.admin.patch('merge', `${path}/h4`, { metadata: { finalizers: ['example.com/hold', 'example.com/new'] } });
    expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    expect(answer.body.message).toContain('no new finalizers can be added if the object is being deleted, found new finalizers');
  });
  it('allow other changes while they hold', async () => {
    await held('h5');
    await subject.admin.delete(`${path}/h5`);
    expect((await subject.admin.patch('merge', `${path}/h5`, { data: { a: '2' } })).body.data).toEqual({ a: '2' });
  });
  it('must be qualified names', async () => {
    const answer = await subject.admin.post(path, configMap('h6', {}, { finalizers: ['not a name'] }));
    expect(answer).toMatchObject({ status: 422 });
    expect(answer.body.details.causes[0]?.field).toBe('metadata.finalizers');
  });
  it('reach watchers as MODIFIED first and DELETED last', async () => {
    const created = await held('h7');
    const watch = await subject.admin.watch(`${path}?resourceVersion=${created.metadata.resourceVersion}&fieldSelector=metadata.name%3Dh7`);
    await subject.admin.delete(`${path}/h7`);
    await subject.admin.patch('merge', `${path}/h7`, { metadata: { finalizers: null } });
    const events = await watch.until(({ type }) => type === 'DELETED');
    watch.close();
    expect(events.map(({ type }) => type)).toEqual(['MODIFIED', 'DELETED']);
  });
}

function deletingMany(subject: Subject): void {
  const ns = ownNamespace(subject, 'many');
  const path = ns.path('secrets');

  it('removes the selected objects and answers with their list', async () => {
    for (const name of ['m1', 'm2', 'keep']) {
      await subject.admin.create(path, { metadata: { name, labels: { keep: String(name === 'keep') } } });
    }
    const answer = await subject.admin.delete(`${path}?labelSelector=keep%3Dfalse`);
    expect(answer).toMatchObject({ status: 200, body: { kind: 'SecretList' } });
    expect(names(answer.body)).toEqual(['m1', 'm2']);
    expect(names((await subject.admin.get(path)).body)).toEqual(['keep']);
  });
  it('removes nothing on a dry run', async () => {
    await subject.admin.delete(`${path}?dryRun=All`);
    expect(names((await subject.admin.get(path)).body)).toEqual(['keep']);
  });
  it('removes nothing when the precondition in the query fails', async () => {
    const name = unique('kept');
    await subject.admin.create(path, { metadata: { name } });
    const answer = await subject.admin.delete(`${path}?uid=another&fieldSelector=metadata.name%3D${name}`);
    expect(answer).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
    expect((await subject.admin.delete(`${path}/${name}`)).status).toBe(200);
  });
  it('marks objects with finalizers instead of removing them, and answers with what they were', async () => {
    await subject.admin.create(path, { metadata: { name: 'held', finalizers: ['example.com/hold'] } });
    const answer = await subject.admin.delete(path);
    expect(answer.body.items.map(({ metadata }) => metadata.deletionTimestamp)).not.toContainEqual(expect.anything());
    const { body } = await subject.admin.get(path);
    expect(names(body)).toEqual(['held']);
    expect(body.items[0]?.metadata.deletionTimestamp).toBeTruthy();
    await subject.admin.patch('merge', `${path}/held`, { metadata: { finalizers: null } });
  });
}

function collecting(subject: Subject): void {
  const ns = ownNamespace(subject, 'gc');
  const path = ns.path('configmaps');
  const family = async (name: string, reference: object = {}): Promise<{ owner: Obj; child: string }> => {
    const owner = await subject.admin.create(path, configMap(`${name}-owner`));
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner.metadata.name, uid: owner.metadata.uid, ...reference }];
    await subject.admin.create(path, configMap(`${name}-child`, {}, { ownerReferences }));
    return { owner, child: `${path}/${name}-child` };
  };
  const gone = (url: string): Promise<void> => eventually(async () => expect((await subject.admin.get(url)).status).toBe(404), 60_000);

  it('removes the dependents of a deleted owner', async () => {
    const { owner, child } = await family('background');
    await subject.admin.delete(`${path}/${owner.metadata.name}`, { propagationPolicy: 'Background' });
    await gone(child);
  });
  it('removes dependents before the owner in foreground', async () => {
    const { owner, child } = await family('foreground', { blockOwnerDeletion: true });
    const answer = await subject.admin.delete(`${path}/${owner.metadata.name}`, { propagationPolicy: 'Foreground' });
    expect(answer.body.metadata.finalizers).toEqual(['foregroundDeletion']);
    await gone(`${path}/${owner.metadata.name}`);
    expect((await subject.admin.get(child)).status).toBe(404);
  });
  it('removes all dependents in foreground, also while one blocks the deletion of the owner', async () => {
    const { owner, child } = await family('held', { blockOwnerDeletion: true });
    await subject.admin.patch('merge', child, { metadata: { finalizers: ['example.com/hold'] } });
    const { name, uid } = owner.metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }];
    await subject.admin.create(path, configMap('held-free', {}, { ownerReferences }));
    await subject.admin.delete(`${path}/${name}`, { propagationPolicy: 'Foreground' });
    await gone(`${path}/held-free`);
    expect((await subject.admin.get(`${path}/${name}`)).status).toBe(200);
    await subject.admin.patch('merge', child, { metadata: { finalizers: null } });
    await gone(`${path}/${name}`);
  });
  it('keeps dependents that are orphaned', async () => {
    const { owner, child } = await family('orphan');
    await subject.admin.delete(`${path}/${owner.metadata.name}`, { propagationPolicy: 'Orphan' });
    await gone(`${path}/${owner.metadata.name}`);
    const { body } = await subject.admin.get(child);
    expect(body.metadata).not.toHaveProperty('ownerReferences');
  });
  it('removes an object whose owner never existed', async () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'never', uid: '11111111-1111-1111-1111-111111111111' }];
    await subject.admin.create(path, configMap('stray', {}, { ownerReferences }));
    await gone(`${path}/stray`);
  });
  it('keeps an object as long as one owner lives', async () => {
    const one = await subject.admin.create(path, configMap('two-owner-1'));
    const two = await subject.admin.create(path, configMap('two-owner-2'));
    const ownerReferences = [one, two].map(({ metadata: { name, uid } }) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid }));
    await subject.admin.create(path, configMap('two-child', {}, { ownerReferences }));
    await subject.admin.delete(`${path}/two-owner-1`, { propagationPolicy: 'Background' });
    await eventually(async () => {
      const { body } = await subject.admin.get(`${path}/two-child`);
      expect(body.metadata).toMatchObject({ ownerReferences: [{ name: 'two-owner-2' }] });
    }, 60_000);
  });
  it('refuses an owner reference without a uid', async () => {
    const answer = await subject.admin.post(
      path,
      configMap('bad', {}, { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x' }] }),
    );
    expect(answer).toMatchObject({ status: 422 });
    expect(answer.body.details.causes.map(({ field }) => field)).toContain('metadata.ownerReferences.uid');
  });
  it('refuses two controllers of one object', async () => {
    const reference = (uid: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid, controller: true });
    const answer = await subject.admin.post(path, configMap('bad', {}, { ownerReferences: [reference('a'), reference('b')] }));
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain('Only one reference can have Controller set to true');
  });
}
