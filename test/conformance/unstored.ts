import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, eventually, type Obj } from './api.js';
import { ownNamespace, type Subject, unique } from './subject.js';
import { registerWidget } from './widgets.js';

const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const AUTHENTICATION = '/apis/authentication.k8s.io/v1';
const CONTAINERS = [{ name: 'c', image: 'i' }];

/**
 * Tests objects that are not stored: scales, evictions, tokens and reviews. Each of them is an instruction to the server, so the server
 * rejects an instruction with a field that it cannot read.
 */
export function unstored(subject: Subject): void {
  describe('a Scale', () => scales(subject));
  describe('an Eviction', () => evictions(subject));
  describe('a TokenRequest', () => tokenRequests(subject));
  describe('a review', () => reviews(subject));
}

function scales(subject: Subject): void {
  const ns = ownNamespace(subject, 'scale');
  const path = `/apis/apps/v1/namespaces/${ns.name}/deployments`;
  const scale = (name: string, spec: unknown, metadata: object = {}): object => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name, ...metadata },
    spec,
  });
  const deployment = async (spec: object = { replicas: 2 }): Promise<string> => {
    const name = unique('scaled');
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: CONTAINERS } };
    const body = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: { selector: { matchLabels: { a: 'b' } }, template, ...spec },
    };
    expect((await subject.admin.patch('apply', `${path}/${name}?fieldManager=creator`, body)).status).toBe(201);
    return name;
  };
  const replicas = async (name: string): Promise<unknown> => (await subject.admin.get(`${path}/${name}`)).body.spec['replicas'];
  const apply = (name: string, manager: string, spec: object, query = ''): Promise<Answer> =>
    subject.admin.patch('apply', `${path}/${name}/scale?fieldManager=${manager}${query}`, scale(name, spec));
  const owners = async (name: string): Promise<readonly string[]> => {
    const { metadata } = (await subject.admin.get(`${path}/${name}`)).body;
    return metadata.managedFields
      .filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes('f:replicas'))
      .map(({ manager, operation, apiVersion, subresource }) => `${manager} ${operation} ${apiVersion} ${subresource ?? ''}`)
      .sort();
  };

  it.each<[unknown]>([['3'], [1.5], [true], [{}], [[]], [2_147_483_648]])(
    'changes nothing with the number of replicas %j',
    async (value) => {
      const name = await deployment();
      const put = await subject.admin.put(`${path}/${name}/scale`, scale(name, { replicas: value }));
      expect([put.status, put.body.reason]).toEqual([400, 'BadRequest']);
      const patched = await subject.admin.patch('merge', `${path}/${name}/scale`, { spec: { replicas: value } });
      expect([patched.status, patched.body.reason]).toEqual([422, 'Invalid']);
      expect(await replicas(name)).toBe(2);
    },
  );
  it.each<[string, unknown]>([
    ['a list', []],
    ['a text', 'x'],
  ])('changes nothing with a spec that is %s', async (_, spec) => {
    const name = await deployment();
    expect((await subject.admin.put(`${path}/${name}/scale`, scale(name, spec))).status).toBe(400);
    expect((await subject.admin.patch('merge', `${path}/${name}/scale`, { spec })).status).toBe(422);
    expect(await replicas(name)).toBe(2);
  });
  it.each<[string, object, number]>([
    ['name', { name: 'another' }, 400],
    ['namespace', { namespace: 'default' }, 400],
    ['uid', { uid: 'another' }, 409],
    ['version', { resourceVersion: '1' }, 409],
  ])('changes nothing with another %s', async (_, metadata, status) => {
    const name = await deployment();
    expect((await subject.admin.put(`${path}/${name}/scale`, scale(name, { replicas: 5 }, metadata))).status).toBe(status);
    expect((await subject.admin.patch('merge', `${path}/${name}/scale`, { metadata, spec: { replicas: 5 } })).status).toBe(status);
    expect(await replicas(name)).toBe(2);
  });
  it('is a table for clients that print it', async () => {
    const name = await deployment();
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const table = (await subject.admin.get(`${path}/${name}/scale`, { accept })).body as object;
    expect(table).toMatchObject({
      kind: 'Table',
      columnDefinitions: ['Name', 'Desired', 'Available', 'Age'].map((column) => ({ name: column })),
      rows: [{ cells: [name, 2, 0, expect.any(String)] }],
    });
  });
  it('reads nulls as absent', async () => {
    const name = await deployment();
    const sent = { ...scale(name, { replicas: 3 }, { creationTimestamp: null }), status: { replicas: 0, selector: null } };
    expect((await subject.admin.put(`${path}/${name}/scale`, sent)).body.spec).toEqual({ replicas: 3 });
  });
  it('warns of unknown fields, or is refused because of them', async () => {
    const name = await deployment();
    const patch = { spec: { replicas: 3, replicaz: 1 } };
    expect((await subject.admin.patch('merge', `${path}/${name}/scale?fieldValidation=Strict`, patch)).status).toBe(422);
    const { status, headers } = await subject.admin.patch('merge', `${path}/${name}/scale`, patch);
    expect([status, headers['warning']]).toEqual([200, '299 - "unknown field \\"spec.replicaz\\""']);
  });
  it('can be applied, and owns the number of replicas', async () => {
    const name = await deployment();
    const refused = await apply(name, 'scaler', { replicas: 7 });
    expect([refused.status, refused.body.message]).toEqual([409, 'Apply failed with 1 conflict: conflict with "creator": .spec.replicas']);
    expect(await apply(name, 'scaler', { replicas: 7 }, '&force=true')).toMatchObject({
      status: 200,
      body: { kind: 'Scale', spec: { replicas: 7 } },
    });
    expect(await replicas(name)).toBe(7);
    expect(await owners(name)).toEqual(['scaler Apply apps/v1 scale']);
    expect((await apply(name, 'scaler', { replicas: 8 })).status).toBe(200);
    expect((await apply(name, 'other', { replicas: 9 })).body.message).toContain(
      'conflict with "scaler" with subresource "scale": .spec.replicas',
    );
    expect((await apply(name, 'other', { replicas: 8 })).status).toBe(200);
    expect(await owners(name)).toEqual(['other Apply apps/v1 scale', 'scaler Apply apps/v1 scale']);
  });
  it('cannot replace, without force, a number that was not set by an apply', async () => {
    const name = await deployment({});
    expect((await apply(name, 'scaler', { replicas: 7 })).body.message).toContain('conflict with "before-first-apply"');
    expect((await apply(name, 'scaler', { replicas: 1 })).status).toBe(200);
  });
  it.each<[string, object, number]>([
    ['another kind', { apiVersion: 'apps/v1', kind: 'Deployment' }, 400],
    ['another version', { apiVersion: 'autoscaling/v2', kind: 'Scale' }, 400],
    ['an unknown field', { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicaz: 1 } }, 500],
    ['a text', { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: '5' } }, 500],
    ['a fraction', { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 1.5 } }, 500],
    ['a number of more than 32 bits', { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 2_147_483_648 } }, 422],
  ])('cannot be applied with %s', async (_, body, status) => {
    const name = await deployment();
    const answer = await subject.admin.patch('apply', `${path}/${name}/scale?fieldManager=m&force=true`, { metadata: { name }, ...body });
    expect([answer.status, await replicas(name)]).toEqual([status, 2]);
  });
  it('of a custom kind needs neither kind nor apiVersion', async () => {
    const paths = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
    const replicasOnly = { type: 'object', properties: { replicas: { type: 'integer' } } };
    const schema = { spec: replicasOnly, status: replicasOnly };
    const widget = await registerWidget(subject, [{ name: 'v1', schema, subresources: { scale: paths } }]);
    await subject.admin.create(widget.in(ns.name), widget.object('scaled', { spec: { replicas: 2 } }));
    const own = `${widget.in(ns.name)}/scaled`;
    const put = await subject.admin.put(`${own}/scale`, { metadata: { name: 'scaled' }, spec: { replicas: 3 } });
    expect([put.status, put.body], put.text).toMatchObject([200, { kind: 'Scale', spec: { replicas: 3 } }]);
    expect((await subject.admin.get(own)).body.spec).toEqual({ replicas: 3 });
    const wrong = await subject.admin.put(`${own}/scale`, { kind: 'Widget', metadata: { name: 'scaled' }, spec: { replicas: 4 } });
    expect([wrong.status, (await subject.admin.get(own)).body.spec]).toEqual([400, { replicas: 3 }]);
  });
}

function evictions(subject: Subject): void {
  const ns = ownNamespace(subject, 'evict');
  const pods = ns.path('pods');
  const evict = async (fields: object, query = ''): Promise<{ readonly status: number; readonly isThere: boolean }> => {
    const name = unique('pod');
    const spec = { serviceAccountName: 'default', automountServiceAccountToken: false, containers: CONTAINERS };
    await eventually(() => subject.admin.create(pods, { metadata: { name }, spec }));
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: ns.name }, ...fields };
    const { status } = await subject.admin.post(`${pods}/${name}/eviction${query}`, eviction);
    const isThere = (await subject.admin.get(`${pods}/${name}`)).status === 200;
    return { status, isThere };
  };

  it.each<[string, object, number]>([
    ['a dry run that is a text', { deleteOptions: { dryRun: 'All' } }, 400],
    ['an unknown dry run', { deleteOptions: { dryRun: ['Some'] } }, 422],
    ['options that are a list', { deleteOptions: [] }, 400],
    ['a uid that is a number', { deleteOptions: { preconditions: { uid: 5 } } }, 400],
    ['the uid of another pod', { deleteOptions: { preconditions: { uid: 'another' } } }, 409],
    ['an unknown propagation', { deleteOptions: { propagationPolicy: 'Some' } }, 422],
    ['no name', { metadata: {} }, 400],
  ])('with %s evicts no pod', async (_, fields, status) => {
    expect(await evict(fields)).toEqual({ status, isThere: true });
  });
  it('evicts no pod on a dry run, in the query or in its options', async () => {
    expect(await evict({}, '?dryRun=All')).toEqual({ status: 201, isThere: true });
    expect(await evict({ deleteOptions: { dryRun: ['All'] } })).toEqual({ status: 201, isThere: true });
  });
  it('with unknown fields is refused if the client asks for that', async () => {
    expect(await evict({ deleteOptions: { dryrun: ['All'] } }, '?fieldValidation=Strict')).toEqual({ status: 400, isThere: true });
  });
  it('reads nulls as absent', async () => {
    expect(await evict({ deleteOptions: null })).toEqual({ status: 201, isThere: false });
  });
}

function tokenRequests(subject: Subject): void {
  const ns = ownNamespace(subject, 'token');
  const path = `${ns.path('serviceaccounts')}/default/token`;
  beforeAll(async () => {
    await eventually(() => subject.admin.create(path, { spec: {} }));
  });

  it.each<[string, unknown]>([
    ['a life that is a text', { expirationSeconds: '600' }],
    ['a life that is a fraction', { expirationSeconds: 600.5 }],
    ['an audience that is no list', { audiences: 'other' }],
    ['an audience that is a number', { audiences: [1] }],
    ['a bound object that is a text', { boundObjectRef: 'pod' }],
    ['a spec that is a text', 'x'],
  ])('with %s gets no token', async (_, spec) => {
    const { status, body } = await subject.admin.post(path, { spec });
    expect([status, body.reason, body.status]).toEqual([400, 'BadRequest', 'Failure']);
  });
  it('reads nulls as absent', async () => {
    const spec = { audiences: null, expirationSeconds: null, boundObjectRef: null };
    const { spec: stated } = await subject.admin.create(path, {
      metadata: { creationTimestamp: null },
      spec,
      status: { token: '', expirationTimestamp: null },
    });
    expect(stated).toMatchObject({ expirationSeconds: 3600, boundObjectRef: null });
  });
  it('is answered with a warning about unknown fields', async () => {
    const { status, headers } = await subject.admin.post(path, { spec: { audience: ['x'] } });
    expect([status, headers['warning']]).toEqual([201, '299 - "unknown field \\"spec.audience\\""']);
  });
}

function reviews(subject: Subject): void {
  it.each<[string, string, unknown]>([
    [`${AUTHORIZATION}/subjectaccessreviews`, 'a user that is a number', { user: 5, resourceAttributes: { verb: 'get' } }],
    [`${AUTHORIZATION}/subjectaccessreviews`, 'groups that are a text', { user: 'a', groups: 'b', resourceAttributes: { verb: 'get' } }],
    [`${AUTHORIZATION}/subjectaccessreviews`, 'attributes that are a text', { user: 'a', resourceAttributes: 'get' }],
    [`${AUTHORIZATION}/subjectaccessreviews`, 'a spec that is a list', []],
    [`${AUTHORIZATION}/selfsubjectaccessreviews`, 'a verb that is a list', { resourceAttributes: { verb: ['get'] } }],
    [`${AUTHORIZATION}/selfsubjectrulesreviews`, 'a namespace that is a number', { namespace: 5 }],
    [`${AUTHENTICATION}/tokenreviews`, 'a token that is a number', { token: 5 }],
    [`${AUTHENTICATION}/tokenreviews`, 'an audience that is no list', { token: 'x', audiences: 'y' }],
  ])('%s refuses %s', async (path, _, spec) => {
    const { status, body } = await subject.admin.post(path, { spec });
    expect([status, body.reason]).toEqual([400, 'BadRequest']);
  });
  it('reads nulls as absent', async () => {
    const resourceAttributes = { verb: 'get', resource: 'pods', namespace: null };
    const { status } = (await subject.admin.create(`${AUTHORIZATION}/selfsubjectaccessreviews`, {
      metadata: { creationTimestamp: null },
      spec: { resourceAttributes, nonResourceAttributes: null },
      status: { allowed: false },
    })) as Obj & { readonly status: object };
    expect(status).toMatchObject({ allowed: true });
  });
}
