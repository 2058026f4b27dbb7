import { describe, expect, it } from 'vitest';
import type { Answer } from './api.js';
import { configMap, ownNamespace, type Subject, unique } from './subject.js';

export function writing(subject: Subject): void {
  describe('create', () => creating(subject));
  describe('update', () => updating(subject));
  describe('dryRun', () => dryRunning(subject));
  describe('fieldValidation', () => validatingFields(subject));
}

function creating(subject: Subject): void {
  const ns = ownNamespace(subject, 'create');
  const path = ns.path('configmaps');

  it('answers 201 with the stored object', async () => {
    const answer = await subject.admin.post(path, configMap('c1', { k: 'v' }));
    expect(answer).toMatchObject({
      status: 201,
      body: { kind: 'ConfigMap', data: { k: 'v' }, metadata: { name: 'c1', namespace: ns.name } },
    });
  });
  it('answers 409 AlreadyExists for an existing name', async () => {
    await subject.admin.create(path, configMap('taken'));
    const answer = await subject.admin.post(path, configMap('taken'));
    expect(answer).toMatchObject({ status: 409, body: { reason: 'AlreadyExists', message: 'configmaps "taken" already exists' } });
  });
  it('ignores uid, creation time, generation and managed fields that the caller sends', async () => {
    const made = { uid: 'mine', creationTimestamp: '2001-01-01T00:00:00Z', generation: 7, selfLink: '/x' };
    const created = await subject.admin.create(path, configMap('made-up', {}, made));
    expect(created.metadata.uid).not.toBe('mine');
    expect(created.metadata.creationTimestamp).not.toBe('2001-01-01T00:00:00Z');
    expect(created.metadata).not.toHaveProperty('selfLink');
  });
  it.each([
    ['an EndpointSlice without endpoints', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', { addressType: 'IPv4' }],
    ['a LimitRange without limits', '/api/v1/namespaces/default/limitranges', { spec: {} }],
    ['an Event about nothing', '/api/v1/namespaces/default/events', {}],
    ['a PriorityClass without a value', '/apis/scheduling.k8s.io/v1/priorityclasses', {}],
    ['a ControllerRevision without a number', '/apis/apps/v1/namespaces/default/controllerrevisions', { data: {} }],
  ])('takes %s, whatever the schema calls required', async (_, where, rest) => {
    const answer = await subject.admin.post(`${where}?dryRun=All`, { metadata: { name: 'bare' }, ...rest });
    expect(answer).toMatchObject({ status: 201 });
  });
  it('refuses a resourceVersion', async () => {
    const answer = await subject.admin.post(path, configMap('rv', {}, { resourceVersion: '1' }));
    expect(answer.status).toBe(500);
    expect(answer.body.message).toContain('resourceVersion should not be set on objects to be created');
  });
  it('refuses an object with another namespace than the path', async () => {
    const answer = await subject.admin.post(path, configMap('x', {}, { namespace: 'elsewhere' }));
    expect(answer).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
    expect(answer.body.message).toContain('the namespace of the provided object does not match the namespace sent on the request');
  });
  it('ignores a namespace in an object that has none', async () => {
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: unique('role'), namespace: 'default' },
    };
    const created = await subject.admin.create(roles, { ...role, rules: [] });
    const one = `${roles}/${created.metadata.name}`;
    const answers = [
      await subject.admin.put(one, { ...role, rules: [] }),
      await subject.admin.patch('merge', one, { metadata: { namespace: 'default', labels: { a: 'b' } } }),
      await subject.admin.patch('apply', `${one}?fieldManager=ann`, role),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const { metadata } of [created, ...answers.map(({ body }) => body)]) expect(metadata).not.toHaveProperty('namespace');
    await subject.admin.delete(one);
  });
  it('names each owner once, and warns about duplicates', async () => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'u1' };
    const ownerReferences = [owner, { ...owner, controller: true }, owner];
    const { headers, body } = await subject.admin.post(`${path}?dryRun=All`, configMap(unique('owned'), {}, { ownerReferences }));
    expect(body.metadata).toMatchObject({ ownerReferences: [owner, { ...owner, controller: true }] });
    expect(headers['warning']).toContain('.metadata.ownerReferences contains duplicate entries');
    expect(headers['warning']).toContain('duplicate UID(s) observed: u1');
  });
  it('answers NotFound for a namespace that does not exist', async () => {
    const answer = await subject.admin.post('/api/v1/namespaces/no-such-namespace/configmaps', configMap('x'));
    expect(answer).toMatchObject({ status: 404, body: { message: 'namespaces "no-such-namespace" not found' } });
  });
  it('generates a name from generateName', async () => {
    const created = await subject.admin.create(path, { metadata: { generateName: 'gen-' } });
    expect(created.metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });
  it('cuts a long generateName so that the name still fits', async () => {
    const created = await subject.admin.create(path, { metadata: { generateName: 'g'.repeat(250) } });
    expect(created.metadata.name).toMatch(/^g{58}[a-z0-9]{5}$/);
  });
  it('refuses an object without a name', async () => {
    const answer = await subject.admin.post(path, { data: {} });
    expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    expect(answer.body.details.causes).toMatchObject([{ field: 'metadata.name', reason: 'FieldValueRequired' }]);
    expect(answer.body.message).toContain('name or generateName is required');
  });
  it('refuses a name that is not a DNS name, saying which field', async () => {
    const answer = await subject.admin.post(path, configMap('Not_A_Name'));
    expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid', details: { name: 'Not_A_Name' } } });
    expect(answer.body.message).toContain('ConfigMap "Not_A_Name" is invalid: metadata.name: Invalid value: "Not_A_Name"');
  });
  it('refuses label values and keys that are not legal, each with its path', async () => {
    const answer = await subject.admin.post(path, configMap('labels', {}, { labels: { 'bad key': 'x', ok: 'not ok!' } }));
    expect(answer.status).toBe(422);
    expect(answer.body.details.causes.map(({ field }) => field)).toEqual(['metadata.labels', 'metadata.labels']);
  });
  it('refuses a kind that does not belong to the path', async () => {
    const answer = await subject.admin.post(path, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(/Secret in version "v1" cannot be handled as a ConfigMap/);
  });
  it('refuses annotations of more than 256 KiB', async () => {
    const answer = await subject.admin.post(path, configMap('big', {}, { annotations: { a: 'x'.repeat(262_145) } }));
    expect(answer.status).toBe(422);
    expect(answer.body.details.causes).toMatchObject([{ field: 'metadata.annotations', reason: 'FieldValueTooLong' }]);
  });
  it('records the creator as a field manager named after its user agent', async () => {
    const answer = await subject.admin.post(path, configMap('managed', { a: '1' }), { 'user-agent': 'my-tool/1.2 (x)' });
    expect(answer.body.metadata.managedFields).toMatchObject([
      { manager: 'my-tool', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } } },
    ]);
  });
  it('takes the manager name from fieldManager when given', async () => {
    const answer = await subject.admin.post(`${path}?fieldManager=someone`, configMap('managed2', { a: '1' }));
    expect(answer.body.metadata.managedFields.map(({ manager }) => manager)).toEqual(['someone']);
  });
}

function updating(subject: Subject): void {
  const ns = ownNamespace(subject, 'update');
  const path = ns.path('configmaps');

  it('replaces the object and moves its resourceVersion', async () => {
    const created = await subject.admin.create(path, configMap('u1', { a: '1', b: '2' }));
    const answer = await subject.admin.put(`${path}/u1`, { ...created, data: { a: '3' } });
    expect(answer).toMatchObject({ status: 200, body: { data: { a: '3' } } });
    expect(answer.body.data).not.toHaveProperty('b');
    expect(BigInt(answer.body.metadata.resourceVersion)).toBeGreaterThan(BigInt(created.metadata.resourceVersion));
  });
  it('answers 409 Conflict for a stale resourceVersion', async () => {
    const created = await subject.admin.create(path, configMap('u2', { a: '1' }));
    await subject.admin.put(`${path}/u2`, { ...created, data: { a: '2' } });
    const answer = await subject.admin.put(`${path}/u2`, { ...created, data: { a: '3' } });
    expect(answer).toMatchObject({
      status: 409,
      body: {
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on configmaps "u2": the object has been modified; please apply your changes to the latest version and try again',
      },
    });
  });
  it('overwrites the object if no resourceVersion is sent', async () => {
    await subject.admin.create(path, configMap('u3', { a: '1' }));
    expect(await subject.admin.put(`${path}/u3`, configMap('u3', { a: '2' }))).toMatchObject({ status: 200, body: { data: { a: '2' } } });
  });
  it('answers NotFound for an object that does not exist', async () => {
    expect((await subject.admin.put(`${path}/none`, configMap('none'))).status).toBe(404);
  });
  it('refuses a body whose name differs from the path', async () => {
    await subject.admin.create(path, configMap('u4'));
    const answer = await subject.admin.put(`${path}/u4`, configMap('u5'));
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain('the name of the object (u5) does not match the name on the URL (u4)');
  });
  it('answers Conflict for the uid of another object', async () => {
    await subject.admin.create(path, configMap('u6'));
    const answer = await subject.admin.put(`${path}/u6`, configMap('u6', {}, { uid: '00000000-0000-0000-0000-000000000000' }));
    expect(answer).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
    expect(answer.body.message).toContain('Precondition failed: UID in precondition: 00000000-0000-0000-0000-000000000000');
  });
  it('keeps creation time and uid whatever the body contains', async () => {
    const created = await subject.admin.create(path, configMap('u7'));
    const answer = await subject.admin.put(`${path}/u7`, configMap('u7', { a: '1' }, { creationTimestamp: '2001-01-01T00:00:00Z' }));
    expect(answer.body.metadata).toMatchObject({ uid: created.metadata.uid, creationTimestamp: created.metadata.creationTimestamp });
  });
  it.each<[string, unknown]>([
    ['deletionTimestamp', '2020-01-01T00:00:00Z'],
    ['deletionGracePeriodSeconds', 30],
  ])('refuses %s, which only a delete sets, in each way of writing', async (field, value) => {
    const name = unique('kept');
    await subject.admin.create(path, configMap(name));
    const metadata = { [field]: value };
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata } };
    for (const answer of [
      await subject.admin.put(`${path}/${name}`, configMap(name, {}, metadata)),
      await subject.admin.patch('merge', `${path}/${name}`, { metadata }),
      await subject.admin.patch('json', `${path}/${name}`, [{ op: 'add', path: `/metadata/${field}`, value }]),
      await subject.admin.patch('apply', `${path}/${name}?fieldManager=a`, applied),
    ]) {
      expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
      expect(answer.body.message).toContain(`metadata.${field}: Invalid value`);
    }
    expect((await subject.admin.get(`${path}/${name}`)).body.metadata).not.toHaveProperty(field);
  });
  it('refuses to change immutable data', async () => {
    const created = await subject.admin.create(path, { ...configMap('frozen', { a: '1' }), immutable: true });
    const answer = await subject.admin.put(`${path}/frozen`, { ...created, data: { a: '2' } });
    expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    expect(answer.body.message).toContain('field is immutable when `immutable` is set');
  });
}

function dryRunning(subject: Subject): void {
  const ns = ownNamespace(subject, 'dry');
  const path = ns.path('configmaps');

  it('answers a create as if it happened and stores nothing', async () => {
    expect(await subject.admin.post(`${path}?dryRun=All`, configMap('d1'))).toMatchObject({
      status: 201,
      body: { metadata: { name: 'd1' } },
    });
    expect((await subject.admin.get(`${path}/d1`)).status).toBe(404);
  });
  it('answers an update as if it happened and stores nothing', async () => {
    const created = await subject.admin.create(path, configMap('d2', { a: '1' }));
    const answer = await subject.admin.put(`${path}/d2?dryRun=All`, { ...created, data: { a: '2' } });
    expect(answer).toMatchObject({
      status: 200,
      body: { data: { a: '2' }, metadata: { resourceVersion: created.metadata.resourceVersion } },
    });
    expect((await subject.admin.get(`${path}/d2`)).body.data).toEqual({ a: '1' });
  });
  it('answers a patch and a delete without doing them', async () => {
    await subject.admin.create(path, configMap('d3', { a: '1' }));
    expect((await subject.admin.patch('merge', `${path}/d3?dryRun=All`, { data: { a: '2' } })).body.data).toEqual({ a: '2' });
    expect((await subject.admin.delete(`${path}/d3?dryRun=All`)).status).toBe(200);
    expect((await subject.admin.get(`${path}/d3`)).body.data).toEqual({ a: '1' });
  });
  it('still refuses an invalid object', async () => {
    expect((await subject.admin.post(`${path}?dryRun=All`, configMap('Not_A_Name'))).status).toBe(422);
  });
  it.each(['Some', ''])('refuses the value "%s" instead of All', async (value) => {
    const answer = await subject.admin.post(`${path}?dryRun=${value}`, configMap('d4'));
    expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    expect(answer.body.message).toContain(`dryRun: Unsupported value: ["${value}"]: supported values: "All"`);
  });
}

function validatingFields(subject: Subject): void {
  const ns = ownNamespace(subject, 'fields');
  const path = ns.path('configmaps');
  const unknown = (name: string): object => ({ ...configMap(name), unknownField: 1 });

  it('warns about unknown fields by default and drops them', async () => {
    const answer = await subject.admin.post(path, unknown('f1'));
    expect(answer.status).toBe(201);
    expect(answer.headers['warning']).toBe('299 - "unknown field \\"unknownField\\""');
    expect(answer.body).not.toHaveProperty('unknownField');
  });
  it('sends no warning with Ignore', async () => {
    const answer = await subject.admin.post(`${path}?fieldValidation=Ignore`, unknown('f2'));
    expect(answer.status).toBe(201);
    expect(answer.headers).not.toHaveProperty('warning');
  });
  it('refuses unknown fields with Strict', async () => {
    const answer = await subject.admin.post(`${path}?fieldValidation=Strict`, unknown('f3'));
    expect(answer).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
    expect(answer.body.message).toContain('strict decoding error: unknown field "unknownField"');
  });
  it('refuses duplicate fields with Strict', async () => {
    const text = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"f4"},"data":{"a":"1","a":"2"}}';
    const answer = await subject.admin.post(`${path}?fieldValidation=Strict`, text);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain('strict decoding error: duplicate field "data.a"');
  });
  it('refuses unknown fields of a patch with Strict', async () => {
    await subject.admin.create(path, configMap('f5'));
    const answer = await subject.admin.patch('merge', `${path}/f5?fieldValidation=Strict`, { unknownField: 1 });
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain('strict decoding error: unknown field "unknownField"');
  });
  it('reads the last of duplicate keys in YAML, with a warning that names the line, or refuses them', async () => {
    const text = (name: string): string =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, name: ${name}}\nunknownField: 1\ndata:\n  a: first\n  a: last\n`;
    const post = (name: string, level: string): Promise<Answer> =>
      subject.admin.post(`${path}?fieldValidation=${level}`, text(name), { 'content-type': 'application/yaml' });
    const ignored = await post('y1', 'Ignore');
    expect(ignored).toMatchObject({ status: 201, body: { data: { a: 'last' } } });
    expect(ignored.headers).not.toHaveProperty('warning');
    expect((await post('y2', 'Warn')).headers['warning']).toBe(
      ['line 3: key \\"name\\" already set in map', 'line 7: key \\"a\\" already set in map', 'unknown field \\"unknownField\\"']
        .map((problem) => `299 - "${problem}"`)
        .join(', '),
    );
    const strict = await post('y3', 'Strict');
    expect(strict.status).toBe(400);
    expect(strict.body.message).toContain(
      'strict decoding error: yaml: unmarshal errors:\n  line 3: key "name" already set in map\n  line 7: key "a" already set in map, unknown field "unknownField"',
    );
  });
  it.each([
    ['YAML', 'apiVersion: v1\nkind: ConfigMap\ndata:\n  a: first\n  a: last\n', 5],
    ['JSON', '{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"first","a":"last"}}', 1],
  ])('names the line of duplicate keys in an apply, in %s', async (syntax, text, line) => {
    const name = `y-${syntax.toLowerCase()}`;
    await subject.admin.create(path, configMap(name));
    const warned = await subject.admin.patch('apply', `${path}/${name}?fieldManager=ann`, text);
    expect(warned).toMatchObject({ status: 200, body: { data: { a: 'last' } } });
    expect(warned.headers['warning']).toBe(`299 - "line ${line}: key \\"a\\" already set in map"`);
    const refused = await subject.admin.patch('apply', `${path}/${name}?fieldManager=ann&fieldValidation=Strict`, text);
    expect(refused).toMatchObject({
      status: 400,
      body: {
        message: `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line ${line}: key "a" already set in map`,
      },
    });
  });
  it('warns about members that no operation of a JSON patch has, or refuses them', async () => {
    await subject.admin.create(path, configMap('f7', { a: '0' }));
    const operations = '[{"op":"replace","path":"/data/a","value":"1","value":"2","why":"x"}]';
    const warned = await subject.admin.patch('json', `${path}/f7`, operations);
    expect(warned).toMatchObject({ status: 200, body: { data: { a: '2' } } });
    expect(warned.headers['warning']).toBe(
      '299 - "json patch duplicate field \\"[0].value\\"", 299 - "json patch unknown field \\"[0].why\\""',
    );
    const refused = await subject.admin.patch('json', `${path}/f7?fieldValidation=Strict`, operations);
    expect(refused.status).toBe(422);
    expect(refused.body.message).toContain(
      'strict decoding error: json patch duplicate field "[0].value", json patch unknown field "[0].why"',
    );
  });
  it('refuses another value of fieldValidation', async () => {
    const answer = await subject.admin.post(`${path}?fieldValidation=Maybe`, configMap('f6'));
    expect(answer).toMatchObject({ status: 422 });
    expect(answer.body.message).toContain('fieldValidation: Unsupported value: "Maybe"');
  });
}
