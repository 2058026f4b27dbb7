import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer, patchTypes } from './api.js';
import { configMap, ownNamespace, type Subject } from './subject.js';
import { type CustomKind, registerWidget, widgetDefinition } from './widgets.js';

/** Tests the exact messages of rejected requests, because clients and users rely on them. */
export function refusals(subject: Subject): void {
  describe('the words of a refused patch', () => patches(subject));
  describe('the words of a refused object', () => objects(subject));
  describe('the words of a refused custom object', () => customObjects(subject));
  describe('the words of a refused definition', () => definitions(subject));
}

const REJECTED = 'the server rejected our request due to an error in our request';

function patches(subject: Subject): void {
  const ns = ownNamespace(subject, 'words');
  const path = ns.path('configmaps');
  beforeAll(async () => {
    await subject.admin.create(path, configMap('it', { a: '1' }));
  });

  it.each<[string, keyof typeof patchTypes, unknown, number, string]>([
    ['a failed test', 'json', [{ op: 'test', path: '/data/a', value: '3' }], 422, REJECTED],
    ['a path to remove that does not exist', 'json', [{ op: 'remove', path: '/data/zz' }], 422, REJECTED],
    ['a parent that does not exist', 'json', [{ op: 'add', path: '/nope/zz', value: '1' }], 422, REJECTED],
    ['an operation that does not exist', 'json', [{ op: 'frob', path: '/data/a' }], 422, REJECTED],
    [
      'a JSON patch that is no list',
      'json',
      { op: 'add' },
      400,
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    ],
    [
      'a merge patch that is a list',
      'merge',
      [],
      400,
      'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    ['a merge patch that is null', 'merge', 'null', 400, 'Invalid JSON Patch'],
    [
      'a strategic patch that is a list',
      'strategic',
      [],
      400,
      'json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    [
      'metadata that is null',
      'merge',
      { metadata: null },
      400,
      'the name of the object (it based on URL) was undeterminable: name must be provided',
    ],
    [
      'a directive that does not exist',
      'strategic',
      { data: { $patch: 'frob' } },
      500,
      'unknown patch type: frob in map: map[$patch:frob]',
    ],
  ])('%s', async (_, type, patch, status, message) => {
    const answer = await subject.admin.patch(type, `${path}/it`, patch);
    expect([answer.status, answer.body.message]).toEqual([status, message]);
    expect(answer.body.details?.causes).toBeUndefined();
  });

  it.each<[string, object, RegExp]>([
    [
      'metadata that is a text',
      { metadata: 'x' },
      /json: cannot unmarshal string into Go struct field ConfigMap.metadata of type v1.ObjectMeta$/,
    ],
    ['a field of another type', { data: { a: 1 } }, /^ "" is invalid: patch: Invalid value: ".*": /],
    ['another version', { apiVersion: 'v2' }, /^ "" is invalid: patch: Invalid value: ".*": /],
  ])('a merge patch that leaves %s shows what it left', async (_, patch, message) => {
    const answer = await subject.admin.patch('merge', `${path}/it`, patch);
    expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid', message: expect.stringMatching(message) as string } });
    expect(answer.body.details).toMatchObject({ causes: [{ field: 'patch', reason: 'FieldValueInvalid' }] });
  });

  it('a media type that is no patch', async () => {
    const answer = await subject.admin.send('PATCH', `${path}/it`, {}, { 'content-type': 'application/foo' });
    expect(answer).toMatchObject({ status: 415, body: { reason: 'UnsupportedMediaType', message: '415: Unsupported Media Type' } });
  });
  it('more than ten thousand operations', async () => {
    const operations = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/a', value: '1' }));
    const { status, body } = await subject.admin.patch('json', `${path}/it`, operations);
    expect([status, body.message]).toEqual([
      413,
      'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    ]);
  });
  it('an apply without apiVersion and kind', async () => {
    const { status, body } = await subject.admin.patch('apply', `${path}/it?fieldManager=x`, { metadata: { name: 'it' } });
    expect([status, body.message]).toEqual([400, 'invalid object type: /, Kind=']);
  });
  it('an apply of a field the kind does not have is an error without a reason', async () => {
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'it' }, frob: 1 };
    const { status, body } = await subject.admin.patch('apply', `${path}/it?fieldManager=x`, applied);
    expect([status, body.reason]).toEqual([500, undefined]);
    expect(body.message).toContain('.frob: field not declared in schema');
  });
}

function objects(subject: Subject): void {
  const ns = ownNamespace(subject, 'objects');
  const unreadable = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal';

  it.each<[string, unknown, number, string]>([
    ['metadata that is a list', [], 400, `${unreadable} array into Go struct field ConfigMap.metadata of type v1.ObjectMeta`],
    [
      'labels that are a list',
      { name: 'x', labels: [] },
      400,
      `${unreadable} array into Go struct field ObjectMeta.metadata.labels of type map[string]string`,
    ],
    [
      'an owner that is a text',
      { name: 'x', ownerReferences: ['x'] },
      400,
      `${unreadable} string into Go struct field ObjectMeta.metadata.ownerReferences of type v1.OwnerReference`,
    ],
    [
      'an owner with a number for its uid',
      { name: 'x', ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'k', uid: 1 }] },
      400,
      `${unreadable} number into Go struct field OwnerReference.metadata.ownerReferences.uid of type types.UID`,
    ],
    [
      'an owner with a text instead of a flag',
      { name: 'x', ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'k', uid: 'u', controller: 'true' }] },
      400,
      `${unreadable} string into Go struct field OwnerReference.metadata.ownerReferences.controller of type bool`,
    ],
    [
      'a field manager whose version is a list',
      { name: 'x', managedFields: [{ manager: 'a', operation: 'Update', apiVersion: [], fieldsType: 'FieldsV1', fieldsV1: {} }] },
      400,
      `${unreadable} array into Go struct field ManagedFieldsEntry.metadata.managedFields.apiVersion of type string`,
    ],
    ['metadata that is null', null, 422, 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required'],
  ])('%s', async (_, metadata, status, message) => {
    const answer = await subject.admin.post(ns.path('configmaps'), { metadata });
    expect([answer.status, answer.body.message]).toEqual([status, message]);
  });

  it.each(['', 'zz', '2020-01-01', '2020-01-01T00:00:00', '2020-01-01 00:00:00Z', '2020-01-01t00:00:00z', '2020-13-01T00:00:00Z'])(
    'the time %j',
    async (time) => {
      for (const field of ['creationTimestamp', 'deletionTimestamp']) {
        const { status, body } = await subject.admin.post(ns.path('configmaps'), { metadata: { name: 'x', [field]: time } });
        expect([status, body.reason]).toEqual([400, 'BadRequest']);
        expect(body.message).toContain('ConfigMap in version "v1" cannot be handled as a ConfigMap: parsing time');
      }
    },
  );
  it.each(['a/b/c', 'a/', 'a//b', '/'])('an owner of the version %j', async (apiVersion) => {
    const ownerReferences = [{ apiVersion, kind: 'K', name: 'k', uid: 'u' }];
    const { status, body } = await subject.admin.post(ns.path('configmaps'), { metadata: { name: 'x', ownerReferences } });
    const why = `metadata.ownerReferences.apiVersion: Invalid value: ${JSON.stringify(apiVersion)}: version must not be empty`;
    expect([status, body.message]).toEqual([422, `ConfigMap "x" is invalid: ${why}`]);
  });
  it('a null finalizer is one without a name', async () => {
    const [empty, missing] = await Promise.all(
      ['', null].map((name) => subject.admin.post(ns.path('configmaps'), { metadata: { name: 'x', finalizers: ['example.com/a', name] } })),
    );
    expect(missing?.body.message).toContain('metadata.finalizers: Invalid value: "": name part must be non-empty');
    expect([missing?.status, missing?.body.message]).toEqual([422, empty?.body.message]);
  });
  it('a null entry of a field manager is one without anything', async () => {
    const [empty, missing] = await Promise.all(
      [{}, null].map((entry, i) => subject.admin.post(ns.path('configmaps'), { metadata: { name: `entry-${i}`, managedFields: [entry] } })),
    );
    expect([missing?.status, missing?.body.message]).toEqual([empty?.status, empty?.body.message]);
    expect(missing?.status).toBeLessThan(500);
  });
  it('a requirement of a selector without a key and an operator', async () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'b' }] } };
    const answer = await subject.admin.post(`/apis/apps/v1/namespaces/${ns.name}/deployments`, {
      metadata: { name: 'x' },
      spec: { selector: { matchLabels: { a: 'b' }, matchExpressions: [{}] }, template },
    });
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain('spec.selector.matchExpressions[0].operator: Invalid value: "": not a valid selector operator');
  });
  it.each([
    ['without a group', { group: undefined }, 422, 'spec.group: Required value'],
    [
      'whose short names are no list',
      { names: { plural: 'a', kind: 'A', shortNames: {} } },
      400,
      'cannot be handled as a CustomResourceDefinition',
    ],
  ])('a definition %s', async (_, changed, status, message) => {
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
    const spec = { group: 'example.com', scope: 'Namespaced', names: { plural: 'a', kind: 'A' }, versions, ...changed };
    const answer = await subject.admin.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'a.example.com' },
      spec,
    });
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(message)]);
  });
  it('a null owner is one without anything', async () => {
    const { status, body } = await subject.admin.post(ns.path('configmaps'), { metadata: { name: 'x', ownerReferences: [null] } });
    expect(status).toBe(422);
    expect(body.details.causes.map(({ field }) => field)).toEqual(
      ['apiVersion', 'kind', 'name', 'uid'].map((name) => `metadata.ownerReferences.${name}`),
    );
  });
  it('nulls in maps of texts are read as empty', async () => {
    const created = await subject.admin.create(ns.path('configmaps'), {
      metadata: { name: 'nulls', labels: { a: null } },
      data: { b: null },
    });
    expect([created.metadata.labels, created.data]).toEqual([{ a: '' }, { b: '' }]);
  });

  it.each<[string, string, object, string]>([
    [
      'a key in data and binaryData',
      'configmaps',
      { data: { a: '1' }, binaryData: { a: 'AA==' } },
      'data[a]: Invalid value: "a": duplicate of key present in binaryData',
    ],
    [
      'basic credentials without any',
      'secrets',
      { type: 'kubernetes.io/basic-auth' },
      '[data[username]: Required value, data[password]: Required value]',
    ],
    ['a key for SSH without one', 'secrets', { type: 'kubernetes.io/ssh-auth' }, 'data[ssh-privatekey]: Required value'],
    [
      "an account's token without the account",
      'secrets',
      { type: 'kubernetes.io/service-account-token' },
      'metadata.annotations[kubernetes.io/service-account.name]: Required value',
    ],
  ])('%s', async (_, plural, fields, message) => {
    const answer = await subject.admin.post(ns.path(plural), { metadata: { name: 'x' }, ...fields });
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain(`"x" is invalid: ${message}`);
  });

  it('the phase of a namespace follows from its deletion', async () => {
    const path = `/api/v1/namespaces/${ns.name}/status`;
    const { status, body } = await subject.admin.patch('merge', path, { status: { phase: 'Terminating' } });
    expect([status, body.message]).toEqual([
      422,
      `Namespace "${ns.name}" is invalid: status.Phase: Invalid value: "Terminating": may only be 'Active' if \`deletionTimestamp\` is empty`,
    ]);
  });
}

function customObjects(subject: Subject): void {
  const ns = ownNamespace(subject, 'custom-words');
  const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true };
  let widget: CustomKind;
  beforeAll(async () => {
    widget = await registerWidget(subject, [
      { name: 'v1', schema: { spec: { type: 'object', properties: { template: embedded } } }, subresources: { status: {} } },
    ]);
  });
  const post = (name: string, metadata: unknown): Promise<Answer> =>
    subject.admin.post(widget.in(ns.name), widget.object(name, { spec: { template: { apiVersion: 'v1', kind: 'Pod', metadata } } }));

  it('null metadata of an embedded object is empty metadata', async () => {
    expect(await post('null', null)).toMatchObject({ status: 201, body: { spec: { template: { metadata: {} } } } });
  });
  it.each<[string, unknown, string]>([
    ['a text', 'x', 'Invalid value: "x": json: cannot unmarshal string into Go value of type v1.ObjectMeta'],
    ['a list', [], 'Invalid value: []: json: cannot unmarshal array into Go value of type v1.ObjectMeta'],
    [
      'a number for labels',
      { labels: 5 },
      'Invalid value: {"labels":5}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string',
    ],
  ])('%s as metadata of an embedded object cannot be read', async (_, metadata, why) => {
    const { status, body } = await post('odd', metadata);
    expect([status, body.message]).toEqual([400, `Widget in version "v1" cannot be handled as a Widget: spec.template.metadata: ${why}`]);
  });
  it('an object without a kind', async () => {
    const { status, body } = await subject.admin.post(widget.in(ns.name), { metadata: { name: 'x' } });
    const text = '{"metadata":{"name":"x"}}';
    expect([status, body.message]).toEqual([
      400,
      `the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '${text}' (${text})`,
    ]);
  });
  it('an object of another kind', async () => {
    const { status, body } = await subject.admin.post(widget.in(ns.name), { ...widget.object('x'), kind: 'Gadget' });
    expect([status, body.message]).toEqual([422, `Gadget.${widget.group} "x" is invalid: kind: Invalid value: "Gadget": must be Widget`]);
  });
  it('a subresource the kind does not have', async () => {
    await subject.admin.create(widget.in(ns.name), widget.object('there'));
    const { status, body } = await subject.admin.get(`${widget.in(ns.name)}/there/scale`);
    expect([status, body.message]).toEqual([404, `widgets.${widget.group} "there" not found`]);
  });
}

function definitions(subject: Subject): void {
  const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const shown = (rule: string, message = ''): string =>
    `{"Rule":${JSON.stringify(rule)},"Message":"","MessageExpression":${JSON.stringify(message)},"Reason":null,"FieldPath":"","OptionalOldSelf":null}`;
  const refuse = async (rule: object): Promise<readonly string[]> => {
    const properties = { a: { type: 'string' }, n: { type: 'integer' } };
    const spec = { type: 'object', properties, 'x-kubernetes-validations': [rule] };
    const answer = await subject.admin.post(CRDS, widgetDefinition('words.example.com', [{ name: 'v1', schema: { spec } }]));
    expect(answer.status).toBe(422);
    return answer.body.details.causes.map(({ field, message }) => `${field.split('x-kubernetes-validations').at(-1)} ${message}`);
  };

  it.each<[string, string]>([
    ['self.zz == 1', "compilation failed: ERROR: <input>:1:5: undefined field 'zz'\n | self.zz == 1\n | ....^"],
    [
      'self.a == 1',
      "compilation failed: ERROR: <input>:1:8: found no matching overload for '_==_' applied to '(string, int)'\n | self.a == 1\n | .......^",
    ],
    ['frob(self.a)', "compilation failed: ERROR: <input>:1:5: undeclared reference to 'frob' (in container '')\n | frob(self.a)\n | ....^"],
    ['foo == 1', "compilation failed: ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo == 1\n | ^"],
    ['self.a', 'cel expression must evaluate to a bool'],
  ])('with the rule %s', async (rule, why) => {
    expect(await refuse({ rule })).toEqual([`[0].rule Invalid value: ${shown(rule)}: ${why}`]);
  });
  it('with unknown fields of all objects preserved', async () => {
    const { spec, ...definition } = widgetDefinition('words.example.com', [{ name: 'v1', schema: {} }]) as { readonly spec: object };
    const answer = await subject.admin.post(CRDS, { ...definition, spec: { ...spec, preserveUnknownFields: true } });
    expect(answer.body.details.causes.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ]);
  });
  it.each<[string, object, string]>([
    ['about a version that is not deprecated', { deprecationWarning: 'x' }, 'can only be set for deprecated versions'],
    ['without words', { deprecated: true, deprecationWarning: '' }, 'must not be an empty string'],
    ['of 257 bytes', { deprecated: true, deprecationWarning: `${'ä'.repeat(128)}x` }, 'must be <= 256 characters long'],
    [
      'that is no line of text',
      { deprecated: true, deprecationWarning: 'ä\nb' },
      'must only contain printable UTF-8 characters; non-printable character found at index 2',
    ],
  ])('with a warning %s', async (_, warning, words) => {
    const definition = widgetDefinition('words.example.com', [{ name: 'v1', schema: {} }]) as {
      readonly spec: { readonly versions: readonly object[] };
    };
    const versions = definition.spec.versions.map((version) => ({ ...version, ...warning }));
    const answer = await subject.admin.post(`${CRDS}?dryRun=All`, { ...definition, spec: { ...definition.spec, versions } });
    const { deprecationWarning } = warning as { readonly deprecationWarning: string };
    expect(answer.body.details.causes.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      `spec.versions[0].deprecationWarning: Invalid value: ${JSON.stringify(deprecationWarning)}: ${words}`,
    ]);
  });
  it('with more than eight selectable fields, or fields that cannot be selected', async () => {
    const properties = {
      ...Object.fromEntries([...'abcdefghi'].map((name) => [name, { type: 'string' }])),
      list: { type: 'array', items: { type: 'string' } },
      texts: { type: 'object', additionalProperties: { type: 'string' } },
    };
    const select = async (...paths: readonly string[]): Promise<readonly string[]> => {
      const selectableFields = paths.map((jsonPath) => ({ jsonPath }));
      const version = { name: 'v1', schema: { spec: { type: 'object', properties } }, selectableFields };
      const answer = await subject.admin.post(`${CRDS}?dryRun=All`, widgetDefinition('words.example.com', [version]));
      return answer.status === 422 ? answer.body.details.causes.map(({ field, message }) => `${field} ${message}`) : [];
    };
    expect(await select(...[...'abcdefgh'].map((name) => `.spec.${name}`))).toEqual([]);
    expect(await select(...[...'abcdefghi'].map((name) => `.spec.${name}`))).toEqual([
      'spec.selectableFields Too many: 9: must have at most 8 items',
    ]);
    expect(await select('.spec.texts.any')).toEqual([]);
    expect(await select('.spec.list[0]', '.spec.nothing')).toEqual([
      'spec.selectableFields[0].jsonPath Invalid value: ".spec.list[0]": is an invalid path: array notation is not allowed',
      'spec.selectableFields[1].jsonPath Invalid value: ".spec.nothing": is an invalid path: does not refer to a valid field',
    ]);
  });
  it('with a message that is no text', async () => {
    const rule = "self.a == 'x'";
    expect(await refuse({ rule, messageExpression: '1' })).toEqual([
      `[0].messageExpression Invalid value: ${shown(rule, '1')}: messageExpression must evaluate to a string`,
    ]);
  });
  it('with a field path that leads nowhere', async () => {
    expect(await refuse({ rule: "self.a == 'x'", fieldPath: '.zz' })).toEqual(['[0].fieldPath Invalid value: ".zz": must be a valid path']);
  });
}
