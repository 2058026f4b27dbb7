import { beforeAll, describe, expect, it } from 'vitest';
import { eventually, type Obj } from './api.js';
import { ownNamespace, type Subject, unique } from './subject.js';
import { type CustomKind, registerWidget, widgetDefinition } from './widgets.js';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const spec = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 10 },
    color: { type: 'string', enum: ['red', 'blue'], default: 'red' },
    code: { type: 'string', pattern: '^[a-z]+$', maxLength: 5 },
    low: { type: 'integer' },
    high: { type: 'integer' },
    fixed: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed cannot change' }] },
    ports: {
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, port: { type: 'integer', default: 80 } } },
    },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    list: { type: 'array', items: { type: 'string' } },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    either: { 'x-kubernetes-int-or-string': true },
    when: { type: 'string', format: 'date-time' },
    maybe: { type: 'string', nullable: true },
  },
  'x-kubernetes-validations': [
    {
      rule: '!has(self.low) || !has(self.high) || self.low <= self.high',
      message: 'low is above high',
      fieldPath: '.low',
    },
  ],
};
const status = { type: 'object', properties: { ready: { type: 'boolean' }, replicas: { type: 'integer' } } };

export function customResources(subject: Subject): void {
  describe('custom resource definitions', () => definitions(subject));
  describe('custom resources', () => {
    const ns = ownNamespace(subject, 'custom');
    let widget: CustomKind;
    beforeAll(async () => {
      widget = await registerWidget(subject, [
        {
          name: 'v1',
          schema: { spec, status },
          subresources: { status: {} },
          columns: [
            { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
            { name: 'First', type: 'string', jsonPath: '.spec.list[0]' },
          ],
          selectableFields: [{ jsonPath: '.spec.color' }],
        },
      ]);
    });
    const kind = (): CustomKind => widget;
    validation(subject, ns.name, kind);
    shapes(subject, ns.name, kind);
    lists(subject, ns.name, kind);
  });
  describe('status subresource and generation', () => statuses(subject));
  describe('scale subresource', () => scaling(subject));
  describe('a custom resource of two versions', () => versions(subject));
  describe('a field that a version does not declare', () => undeclared(subject));
}

function definitions(subject: Subject): void {
  it('become established and are named in discovery', async () => {
    const widget = await registerWidget(subject, [{ name: 'v1', schema: {} }]);
    const { body } = await subject.admin.get(widget.crdPath);
    const { conditions, acceptedNames, storedVersions } = body.status as {
      conditions: Condition[];
      acceptedNames: object;
      storedVersions: string[];
    };
    expect(
      conditions
        .filter(({ status }) => status === 'True')
        .map(({ type }) => type)
        .sort(),
    ).toEqual(['Established', 'NamesAccepted']);
    expect(acceptedNames).toMatchObject({ plural: 'widgets', kind: 'Widget' });
    expect(storedVersions).toEqual(['v1']);
    const group = await eventually(async () => {
      const answer = await subject.admin.get(`/apis/${widget.group}/v1`);
      expect(answer.status).toBe(200);
      return answer.body as unknown as { resources: { name: string; shortNames: string[]; categories: string[] }[] };
    });
    expect(group.resources[0]).toMatchObject({ name: 'widgets', shortNames: ['wd'], categories: ['all'] });
  });
  it('are refused when their name is not plural.group', async () => {
    const definition = widgetDefinition('g.example.com', [{ name: 'v1', schema: {} }]) as { metadata: { name: string } };
    const answer = await subject.admin.post(CRDS, { ...definition, metadata: { name: 'wrong.g.example.com' } });
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain('must be spec.names.plural+"."+spec.group');
  });
  it('are refused when a schema has no types', async () => {
    const answer = await subject.admin.post(CRDS, widgetDefinition(`${unique('g')}.example.com`, [{ name: 'v1', schema: { spec: {} } }]));
    expect(answer.status).toBe(422);
    expect(answer.body.details.causes.map(({ field }) => field)).toContain('spec.validation.openAPIV3Schema.properties[spec].type');
  });
  it('are refused with a rule that does not compile', async () => {
    const schema = { spec: { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.nothing > 1' }] } };
    const answer = await subject.admin.post(CRDS, widgetDefinition(`${unique('g')}.example.com`, [{ name: 'v1', schema }]));
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain("undefined field 'nothing'");
  });
  it('are refused without exactly one storage version', async () => {
    const both = [
      { name: 'v1', schema: {} },
      { name: 'v2', schema: {} },
    ];
    const answer = await subject.admin.post(CRDS, widgetDefinition(`${unique('g')}.example.com`, both));
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain('must have exactly one version marked as storage version');
  });
  it('delete their objects when they are deleted', async () => {
    const widget = await registerWidget(subject, [{ name: 'v1', schema: {} }]);
    const { metadata } = await subject.admin.create(widget.in('default'), widget.object('w'));
    const watch = await subject.admin.watch(`${widget.in('default')}?resourceVersion=${metadata.resourceVersion}`);
    await subject.admin.delete(widget.crdPath);
    expect(await watch.next()).toMatchObject({ type: 'DELETED', object: { metadata: { name: 'w' } } });
    expect(await watch.next()).toBeUndefined();
    await eventually(async () => {
      expect((await subject.admin.get(widget.crdPath)).status).toBe(404);
      expect((await subject.admin.get(widget.in('default'))).status).toBe(404);
    });
  });
}

interface Condition {
  readonly type: string;
  readonly status: string;
}

function validation(subject: Subject, namespace: string, kind: () => CustomKind): void {
  it.each([
    { name: 'a missing required field', spec: {}, field: 'spec.size', text: 'Required value' },
    { name: 'a wrong type', spec: { size: 'big' }, field: 'spec.size', text: 'must be of type integer: "string"' },
    { name: 'a number above the maximum', spec: { size: 11 }, field: 'spec.size', text: 'should be less than or equal to 10' },
    { name: 'a number below the minimum', spec: { size: 0 }, field: 'spec.size', text: 'should be greater than or equal to 1' },
    { name: 'a value outside an enum', spec: { size: 1, color: 'green' }, field: 'spec.color', text: 'supported values: "red", "blue"' },
    { name: 'a string that does not match', spec: { size: 1, code: 'X1' }, field: 'spec.code', text: "should match '^[a-z]+$'" },
    { name: 'a string that is too long', spec: { size: 1, code: 'abcdef' }, field: 'spec.code', text: 'may not be more than 5 bytes' },
    {
      name: 'two items with one key',
      spec: { size: 1, ports: [{ name: 'a' }, { name: 'a' }] },
      field: 'spec.ports[1]',
      text: 'Duplicate value',
    },
    { name: 'an item without its key', spec: { size: 1, ports: [{}] }, field: 'spec.ports[0].name', text: 'Required value' },
    { name: 'a duplicate in a set', spec: { size: 1, tags: ['a', 'a'] }, field: 'spec.tags[1]', text: 'Duplicate value: "a"' },
    {
      name: 'too many items',
      spec: { size: 1, ports: [...'abcdef'].map((name) => ({ name })) },
      field: 'spec.ports',
      text: 'must have at most 5 items',
    },
    { name: 'a time that is none', spec: { size: 1, when: 'noon' }, field: 'spec.when', text: 'must be of type date-time' },
    { name: 'a null where a value is required', spec: { size: null }, field: 'spec.size', text: 'Required value' },
    { name: 'a breach of a rule', spec: { size: 1, low: 2, high: 1 }, field: 'spec.low', text: 'low is above high' },
  ])('refuse $name, with its path', async ({ spec: given, field, text }) => {
    const answer = await subject.admin.post(kind().in(namespace), kind().object('bad', { spec: given }));
    expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    const cause = answer.body.details.causes.find((each) => each.field === field);
    expect(cause?.message ?? answer.body.message).toContain(text);
    expect(cause?.field).toBe(field);
  });
  it('refuse a transition a rule forbids', async () => {
    const created = await subject.admin.create(kind().in(namespace), kind().object('fixed', { spec: { size: 1, fixed: 'a' } }));
    const answer = await subject.admin.put(`${kind().in(namespace)}/fixed`, { ...created, spec: { size: 1, fixed: 'b' } });
    expect(answer.status).toBe(422);
    expect(answer.body.details.causes).toMatchObject([{ field: 'spec.fixed' }]);
    expect(answer.body.message).toContain('fixed cannot change');
  });
  it('must carry a resourceVersion in an update', async () => {
    await subject.admin.create(kind().in(namespace), kind().object('rv', { spec: { size: 1 } }));
    for (const resourceVersion of [undefined, '0', '00']) {
      const sent = kind().object('rv', { metadata: { name: 'rv', resourceVersion }, spec: { size: 2 } });
      const answer = await subject.admin.put(`${kind().in(namespace)}/rv`, sent);
      expect(answer.status).toBe(422);
      expect(answer.body.details).toMatchObject({ kind: 'widgets', name: 'rv' });
      expect(answer.body.message).toBe(
        `widgets.${kind().group} "rv" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
      );
    }
  });
}

function shapes(subject: Subject, namespace: string, kind: () => CustomKind): void {
  const create = (name: string, given: object): Promise<Obj> => subject.admin.create(kind().in(namespace), kind().object(name, given));

  it('lose fields the schema does not know', async () => {
    const { spec: stored } = await create('pruned', { spec: { size: 1, extra: 1 }, more: 2 });
    expect(stored).not.toHaveProperty('extra');
  });
  it('warn about the fields they lose', async () => {
    const answer = await subject.admin.post(kind().in(namespace), kind().object('warned', { spec: { size: 1, extra: 1 } }));
    expect(answer.headers['warning']).toBe('299 - "unknown field \\"spec.extra\\""');
  });
  it('warn about each new finalizer without a domain', async () => {
    const path = `${kind().in(namespace)}/finalized`;
    const warningOf = async (...finalizers: string[]): Promise<string | string[] | undefined> => {
      const { headers, body } = await subject.admin.patch('merge', path, { metadata: { finalizers } });
      // kube-apiserver first tries a patch on the object in its watch cache, and keeps the warnings of that try if the object was too old.
      // This read waits until the cache has the object that was just written.
      await subject.admin.get(`${path}?resourceVersion=${body.metadata.resourceVersion}`);
      return headers['warning'];
    };
    const advice = 'prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers';
    await create('finalized', { spec: { size: 1 } });
    expect(await warningOf('example.com/a', 'bare')).toBe(`299 - "metadata.finalizers: \\"bare\\": ${advice}"`);
    expect(await warningOf('example.com/b', 'bare')).toBeUndefined();
    expect(await warningOf()).toBeUndefined();
  });
  it('keep unknown fields if the schema preserves them', async () => {
    const { spec: stored } = await create('free', { spec: { size: 1, free: { any: { thing: [1, 'x', null] } } } });
    expect(stored['free']).toEqual({ any: { thing: [1, 'x', null] } });
  });
  it('get their defaults, in items of lists too', async () => {
    const { spec: stored } = await create('defaults', { spec: { size: 1, ports: [{ name: 'http' }] } });
    expect(stored).toMatchObject({ color: 'red', ports: [{ name: 'http', port: 80 }] });
  });
  it('get no default if the parent is missing', async () => {
    const created = await create('no-spec', {});
    expect(created).not.toHaveProperty('spec');
  });
  it('keep a null that is allowed and drop one that has a default', async () => {
    const { spec: stored } = await create('nulls', { spec: { size: 1, maybe: null, color: null } });
    expect(stored).toMatchObject({ maybe: null, color: 'red' });
  });
  it.each<[string, object, number, string]>([
    ['a value', { code: null }, 422, 'spec.code: Invalid value: "null": spec.code in body must be of type string: "null"'],
    ['a list', { list: null }, 422, 'spec.list: Invalid value: "null": spec.list in body must be of type array: "null"'],
    ['what may be null', { maybe: null }, 201, ''],
    ['what has a default', { color: null }, 201, ''],
  ])('are dropped nulls, but refuse the same nulls in an apply: %s', async (title, fields, status, message) => {
    const name = title.replaceAll(' ', '-');
    const object = kind().object(name, { spec: { size: 1, ...fields } });
    expect((await subject.admin.post(`${kind().in(namespace)}?dryRun=All`, object)).status).toBe(201);
    const applied = await subject.admin.patch('apply', `${kind().in(namespace)}/${name}?fieldManager=ann`, object);
    expect(applied.status).toBe(status);
    if (status === 422) expect(applied.body.message).toContain(message);
  });
  it('take an integer or a string if both are allowed', async () => {
    expect((await create('int', { spec: { size: 1, either: 5 } })).spec['either']).toBe(5);
    expect((await create('string', { spec: { size: 1, either: '50%' } })).spec['either']).toBe('50%');
  });
  it('are listed with kind and apiVersion in every item', async () => {
    const { body } = await subject.admin.get(kind().in(namespace));
    expect(body.kind).toBe('WidgetList');
    expect(body.items[0]).toMatchObject({ kind: 'Widget', apiVersion: `${kind().group}/v1` });
  });
  it('are selected by the fields their definition names', async () => {
    await create('blue', { spec: { size: 1, color: 'blue' } });
    const { body } = await subject.admin.get(`${kind().in(namespace)}?fieldSelector=spec.color%3Dblue`);
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual(['blue']);
  });
  it('show the columns of their definition in tables', async () => {
    await create('listed', { spec: { size: 1, color: 'red', list: ['x', 'y'] } });
    await create('empty', { spec: { size: 1, color: 'red', list: [] } });
    const rows = await Promise.all(['blue', 'listed', 'empty'].map((name) => tableOf(subject, `${kind().in(namespace)}/${name}`)));
    expect(rows[0]?.columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Size', 'First']);
    expect(rows.map((table) => table.rows[0]?.cells)).toEqual([
      ['blue', 1, null],
      ['listed', 1, 'x'],
      ['empty', 1, null],
    ]);
  });
  it('show one value in each cell', async () => {
    const columns = [
      { name: 'Many', type: 'string', jsonPath: '.spec.list[*]' },
      { name: 'Day', type: 'date', jsonPath: '.spec.day' },
      { name: 'None', type: 'date', jsonPath: '.spec.none' },
    ];
    const gadget = await registerWidget(subject, [
      { name: 'v1', schema: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }, columns },
    ]);
    await eventually(() =>
      subject.admin.create(gadget.in(namespace), gadget.object('g', { spec: { list: ['x', 'y'], day: '2020-02-03' } })),
    );
    const { rows } = await tableOf(subject, `${gadget.in(namespace)}/g`);
    expect(rows[0]?.cells).toEqual(['g', 'x', '<invalid>', null]);
  });
  it('are shown with the columns before the first that cannot be read', async () => {
    const columns = ['.spec.a', '.spec[', '.spec.c'].map((jsonPath, i) => ({ name: `Column${i}`, type: 'string', jsonPath }));
    const gadget = await registerWidget(subject, [{ name: 'v1', schema: {}, columns }]);
    await eventually(async () => {
      const { columnDefinitions } = await tableOf(subject, gadget.in(namespace));
      expect(columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Column0']);
    });
  });
  it('refuse strategic merge patches', async () => {
    const answer = await subject.admin.patch('strategic', `${kind().in(namespace)}/blue`, { spec: { size: 2 } });
    expect(answer).toMatchObject({ status: 415, body: { reason: 'UnsupportedMediaType' } });
  });
}

interface Table {
  readonly columnDefinitions: readonly { readonly name: string }[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

async function tableOf(subject: Subject, path: string): Promise<Table> {
  return (await subject.admin.get(path, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' })).body as unknown as Table;
}

function lists(subject: Subject, namespace: string, kind: () => CustomKind): void {
  const apply = async (manager: string, name: string, given: object): Promise<Obj> => {
    const path = `${kind().in(namespace)}/${name}?fieldManager=${manager}`;
    const answer = await subject.admin.patch('apply', path, kind().object(name, { spec: given }));
    if (answer.status >= 300) throw new Error(answer.text);
    return answer.body;
  };

  it('merge applied lists of type map by key', async () => {
    await apply('ann', 'map', { size: 1, ports: [{ name: 'a', port: 1 }] });
    const { spec: stored } = await apply('bob', 'map', { size: 1, ports: [{ name: 'b', port: 2 }] });
    expect(stored['ports']).toEqual([
      { name: 'a', port: 1 },
      { name: 'b', port: 2 },
    ]);
    const after = await apply('ann', 'map', { size: 1, ports: [] });
    expect(after.spec['ports']).toEqual([{ name: 'b', port: 2 }]);
  });
  it('merge applied lists of type set by value', async () => {
    await apply('ann', 'set', { size: 1, tags: ['x'] });
    expect((await apply('bob', 'set', { size: 1, tags: ['y'] })).spec['tags']).toEqual(['x', 'y']);
  });
  it('treat applied lists without a type as one value', async () => {
    await apply('ann', 'atomic', { size: 1, list: ['x'] });
    await expect(apply('bob', 'atomic', { size: 1, list: ['y'] })).rejects.toThrow(/conflict with \\"ann\\": \.spec\.list/);
  });
}

function statuses(subject: Subject): void {
  const ns = ownNamespace(subject, 'status');
  let widget: CustomKind;
  beforeAll(async () => {
    widget = await registerWidget(subject, [{ name: 'v1', schema: { spec, status }, subresources: { status: {} } }]);
  });
  const create = (name: string): Promise<Obj> =>
    subject.admin.create(widget.in(ns.name), widget.object(name, { spec: { size: 1 }, status: { ready: true } }));

  it('ignores status on create and starts at generation 1', async () => {
    const created = await create('s1');
    expect(created).not.toHaveProperty('status');
    expect(created.metadata.generation).toBe(1);
  });
  it('ignores status in an update of the object', async () => {
    const created = await create('s2');
    const answer = await subject.admin.put(`${widget.in(ns.name)}/s2`, { ...created, status: { ready: true } });
    expect(answer.body).not.toHaveProperty('status');
    expect(answer.body.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
  });
  it('changes only status through the status path, not the generation', async () => {
    const created = await create('s3');
    const answer = await subject.admin.put(`${widget.in(ns.name)}/s3/status`, { ...created, spec: { size: 9 }, status: { ready: true } });
    expect(answer).toMatchObject({ status: 200, body: { spec: { size: 1 }, status: { ready: true }, metadata: { generation: 1 } } });
  });
  it('counts a change of spec as a generation', async () => {
    await create('s4');
    const answer = await subject.admin.patch('merge', `${widget.in(ns.name)}/s4`, { spec: { size: 2 } });
    expect(answer.body.metadata.generation).toBe(2);
  });
  it('does not count a change of labels as a generation', async () => {
    await create('s5');
    const answer = await subject.admin.patch('merge', `${widget.in(ns.name)}/s5`, { metadata: { labels: { a: 'b' } } });
    expect(answer.body.metadata.generation).toBe(1);
  });
  it('ignores labels and annotations sent to the status path', async () => {
    await create('s6');
    const patch = { metadata: { labels: { a: 'b' } }, status: { ready: true } };
    const answer = await subject.admin.patch('merge', `${widget.in(ns.name)}/s6/status`, patch);
    expect(answer.body.metadata).not.toHaveProperty('labels');
    expect(answer.body.status).toEqual({ ready: true });
  });
  it('records the writer of the status under the subresource', async () => {
    await create('s7');
    const path = `${widget.in(ns.name)}/s7/status?fieldManager=reporter`;
    const { body } = await subject.admin.patch('merge', path, { status: { ready: true } });
    expect(body.metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: 'reporter', subresource: 'status', fieldsV1: { 'f:status': { '.': {}, 'f:ready': {} } } }),
    );
  });
  it('counts the deletion time as a new generation', async () => {
    await create('s8');
    const path = `${widget.in(ns.name)}/s8`;
    await subject.admin.patch('merge', path, { metadata: { finalizers: ['example.com/hold'] } });
    expect((await subject.admin.delete(path)).body.metadata.generation).toBe(2);
    await subject.admin.patch('merge', path, { metadata: { finalizers: null } });
  });
  it('validates the status', async () => {
    await create('s9');
    const answer = await subject.admin.patch('merge', `${widget.in(ns.name)}/s9/status`, { status: { ready: 'yes' } });
    expect(answer.status).toBe(422);
    expect(answer.body.details.causes[0]?.field).toBe('status.ready');
  });
  it('answers NotFound for a subresource the kind does not have', async () => {
    await create('s10');
    expect((await subject.admin.get(`${widget.in(ns.name)}/s10/scale`)).status).toBe(404);
  });
}

function scaling(subject: Subject): void {
  it('reads and writes the replicas of a custom resource', async () => {
    const widget = await registerWidget(subject, [
      {
        name: 'v1',
        schema: { spec: { type: 'object', properties: { replicas: { type: 'integer' } } }, status },
        subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
      },
    ]);
    const path = `${widget.in('default')}/scaled`;
    await subject.admin.create(widget.in('default'), widget.object('scaled', { spec: { replicas: 3 } }));
    const scale = await subject.admin.get(`${path}/scale`);
    expect(scale.body).toMatchObject({ kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas: 3 } });
    expect((await subject.admin.patch('merge', `${path}/scale`, { spec: { replicas: 5 } })).status).toBe(200);
    expect((await subject.admin.get(path)).body.spec).toEqual({ replicas: 5 });
  });
}

function versions(subject: Subject): void {
  const ns = ownNamespace(subject, 'versions');
  let widget: CustomKind;
  const text = { type: 'object', properties: { text: { type: 'string' } } };
  beforeAll(async () => {
    widget = await registerWidget(subject, [
      { name: 'v1', schema: { spec: text } },
      { name: 'v1beta1', schema: { spec: text }, storage: false },
    ]);
    await subject.admin.create(widget.in(ns.name, 'v1beta1'), {
      apiVersion: `${widget.group}/v1beta1`,
      kind: 'Widget',
      metadata: { name: 'one' },
      spec: { text: 'hello' },
    });
  });

  it('is readable in every served version, as that version', async () => {
    for (const version of ['v1', 'v1beta1']) {
      const { body } = await subject.admin.get(`${widget.in(ns.name, version)}/one`);
      expect(body).toMatchObject({ apiVersion: `${widget.group}/${version}`, spec: { text: 'hello' } });
    }
  });
  it('sends writes in one version to a watch of the other', async () => {
    const { body } = await subject.admin.get(widget.in(ns.name));
    const watch = await subject.admin.watch(`${widget.in(ns.name, 'v1')}?resourceVersion=${body.metadata.resourceVersion}`);
    await subject.admin.patch('merge', `${widget.in(ns.name, 'v1beta1')}/one`, { spec: { text: 'changed' } });
    const event = await watch.next();
    watch.close();
    expect(event).toMatchObject({ type: 'MODIFIED', object: { apiVersion: `${widget.group}/v1`, spec: { text: 'changed' } } });
  });
  it('prefers the stable version in discovery', async () => {
    const { body } = await subject.admin.get(`/apis/${widget.group}`);
    expect(body).toMatchObject({ preferredVersion: { version: 'v1' }, versions: [{ version: 'v1' }, { version: 'v1beta1' }] });
  });
  it('is not served in a version that was switched off', async () => {
    const { spec: definition } = (await subject.admin.get(widget.crdPath)).body;
    const list = definition['versions'] as { name: string; served: boolean }[];
    const off = list.map((version) => (version.name === 'v1beta1' ? { ...version, served: false } : version));
    await subject.admin.patch('merge', widget.crdPath, { spec: { versions: off } });
    await eventually(async () => expect((await subject.admin.get(widget.in(ns.name, 'v1beta1'))).status).toBe(404));
    expect((await subject.admin.get(`${widget.in(ns.name)}/one`)).status).toBe(200);
  });
}

function undeclared(subject: Subject): void {
  const ns = ownNamespace(subject, 'undeclared');
  const texts = (...names: readonly string[]): object => ({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  });

  it('is dropped from objects that were stored with it', async () => {
    const widget = await registerWidget(subject, [{ name: 'v1', schema: { spec: texts('kept', 'dropped') } }]);
    const path = `${widget.in(ns.name)}/one`;
    await subject.admin.create(widget.in(ns.name), widget.object('one', { spec: { kept: 'a', dropped: 'b' } }));
    const smaller = widgetDefinition(widget.group, [{ name: 'v1', schema: { spec: texts('kept') } }]) as { readonly spec: object };
    await subject.admin.patch('merge', widget.crdPath, { spec: smaller.spec });
    // A real server replaces the handlers of the kind after the change of its definition, and refuses requests for a moment.
    await eventually(async () => {
      const [one, all] = [await subject.admin.get(path), await subject.admin.get(widget.in(ns.name))];
      expect([one.status, all.status]).toEqual([200, 200]);
      expect([one.body, ...all.body.items].map(({ spec: shown }) => shown)).toEqual([{ kept: 'a' }, { kept: 'a' }]);
    });
    const labelled = await subject.admin.patch('merge', path, { metadata: { labels: { a: 'b' } } });
    expect([labelled.status, labelled.headers['warning'], labelled.body.metadata.generation]).toEqual([200, undefined, 1]);
    const applied = await subject.admin.patch('apply', `${path}?fieldManager=ann`, widget.object('one', { spec: { kept: 'a' } }));
    expect([applied.status, applied.body.spec]).toEqual([200, { kept: 'a' }]);
  });
  it('is not shown in that version, does not hinder an apply in it, and stays gone after that', async () => {
    const widget = await registerWidget(subject, [
      { name: 'v1', schema: { spec: texts('both', 'newer') } },
      { name: 'v1beta1', schema: { spec: texts('both') }, storage: false },
    ]);
    const older = `${widget.in(ns.name, 'v1beta1')}/two`;
    await subject.admin.create(widget.in(ns.name), widget.object('two', { spec: { both: 'a', newer: 'b' } }));
    expect((await subject.admin.get(older)).body.spec).toEqual({ both: 'a' });
    const object = { ...widget.object('two', { spec: { both: 'a' } }), apiVersion: `${widget.group}/v1beta1` };
    expect(await subject.admin.patch('apply', `${older}?fieldManager=ann`, object)).toMatchObject({
      status: 200,
      body: { spec: { both: 'a' } },
    });
    expect((await subject.admin.get(`${widget.in(ns.name)}/two`)).body.spec).toEqual({ both: 'a' });
    await subject.admin.patch('merge', older, { metadata: { finalizers: ['example.com/hold'] } });
    await subject.admin.delete(older);
    for (const version of ['v1', 'v1beta1']) {
      const { body } = await subject.admin.get(`${widget.in(ns.name, version)}/two`);
      expect([version, body.metadata]).toMatchObject([version, { deletionGracePeriodSeconds: 0 }]);
    }
    await subject.admin.patch('merge', older, { metadata: { finalizers: null } });
  });
}
