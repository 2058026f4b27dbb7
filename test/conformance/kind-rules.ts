import { describe, expect, it } from 'vitest';
import type { Answer } from './api.js';
import { ownNamespace, type Subject, unique } from './subject.js';
import { widgetDefinition } from './widgets.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/**
 * Tests rules of single kinds: rules that servers enforce although the schemas lack them, and rules that servers do not enforce although
 * the schemas seem to contain them.
 */
export function kindRules(subject: Subject): void {
  describe('lists of built-in kinds', () => duplicates(subject));
  describe('values that a built-in kind refuses', () => refusals(subject));
  describe('values that an update cannot change', () => fixedValues(subject));
  describe('times with microseconds', () => microTimes(subject));
  describe('nulls in the schema of a custom resource definition', () => schemaNulls(subject));
}

function deployment(name: string, container: object, spec: object = {}): object {
  const containers = [{ name: 'one', image: 'x:1', ...container }];
  const template = { metadata: { labels: { app: name } }, spec: { containers, ...spec } };
  return { metadata: { name }, spec: { selector: { matchLabels: { app: name } }, template } };
}

function fixedValues(subject: Subject): void {
  const ns = ownNamespace(subject, 'fixed');
  const causes = async (path: string, patch: object): Promise<readonly string[] | number> => {
    const { status, body } = await subject.admin.patch('merge', path, patch);
    return status === 422 ? body.details.causes.map(({ field, message }) => `${field}: ${message}`) : status;
  };

  it('are most of the spec of a StatefulSet', async () => {
    const path = `/apis/apps/v1/namespaces/${ns.name}/statefulsets`;
    const { spec, ...rest } = deployment('db', {}) as { readonly spec: object };
    await subject.admin.create(path, { ...rest, spec: { ...spec, serviceName: 'db' } });
    const why =
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
    const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
    for (const changed of [{ serviceName: 'other' }, { podManagementPolicy: 'Parallel' }, { volumeClaimTemplates: [claim] }]) {
      expect(await causes(`${path}/db`, { spec: changed }), JSON.stringify(changed)).toEqual([why]);
    }
    const allowed = {
      replicas: 3,
      minReadySeconds: 1,
      ordinals: { start: 1 },
      revisionHistoryLimit: 3,
      updateStrategy: { type: 'OnDelete', rollingUpdate: null },
    };
    expect(await causes(`${path}/db`, { spec: allowed })).toBe(200);
  });
  it('are the completions of a Job, unless it is indexed', async () => {
    const path = `/apis/batch/v1/namespaces/${ns.name}/jobs`;
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'one', image: 'x:1' }] } };
    await subject.admin.create(path, { metadata: { name: 'plain' }, spec: { template } });
    expect(await causes(`${path}/plain`, { spec: { completions: 4 } })).toEqual(['spec.completions: Invalid value: 4: field is immutable']);
    await subject.admin.create(path, {
      metadata: { name: 'indexed' },
      spec: { template, completionMode: 'Indexed', completions: 2, parallelism: 2 },
    });
    expect(await causes(`${path}/indexed`, { spec: { completions: 3, parallelism: 3 } })).toBe(200);
  });
  it('are those of a PriorityClass', async () => {
    const path = '/apis/scheduling.k8s.io/v1/priorityclasses';
    const name = unique('class');
    await subject.admin.create(path, { metadata: { name }, value: 5 });
    expect(await causes(`${path}/${name}`, { value: 6 })).toEqual(['value: Forbidden: may not be changed in an update.']);
    expect(await causes(`${path}/${name}`, { description: 'x' })).toBe(200);
    await subject.admin.delete(`${path}/${name}`);
  });
}

function microTimes(subject: Subject): void {
  const ns = ownNamespace(subject, 'micro');
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${ns.name}/leases`;
  const events = `/apis/events.k8s.io/v1/namespaces/${ns.name}/events`;
  const event = (eventTime: string): object => ({
    metadata: { name: unique('event') },
    eventTime,
    action: 'a',
    reason: 'r',
    type: 'Normal',
    note: 'n',
    reportingController: 'example.com/c',
    reportingInstance: 'i',
    regarding: { kind: 'ConfigMap', namespace: ns.name, name: 'x' },
  });

  it.each([
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00.123Z',
    '2026-01-01T00:00:00.1234567Z',
    '2026-01-01T00:00:00.123456z',
    '2026-01-01T00:00:00.123456',
    '2026-01-01 00:00:00.123456Z',
    '2026-01-01T24:00:00.123456Z',
    '2026-02-30T00:00:00.123456Z',
    'yesterday',
    '',
  ])('must have six digits after the second: not "%s"', async (time) => {
    for (const field of ['renewTime', 'acquireTime']) {
      const answer = await subject.admin.post(leases, { metadata: { name: unique('lease') }, spec: { [field]: time } });
      expect([field, answer.status, answer.body.reason]).toEqual([field, 400, 'BadRequest']);
    }
    expect((await subject.admin.post(events, event(time))).status).toBe(400);
  });
  it.each([
    ['2026-01-01T00:00:00.123456Z', '2026-01-01T00:00:00.123456Z'],
    ['2026-01-01T00:30:00.000001+02:00', '2025-12-31T22:30:00.000001Z'],
    ['2025-12-31T23:59:59.999999-01:30', '2026-01-01T01:29:59.999999Z'],
  ])('are stored in UTC: %s', async (time, want) => {
    const name = unique('lease');
    await subject.admin.create(leases, { metadata: { name }, spec: { renewTime: time } });
    expect((await subject.admin.get(`${leases}/${name}`)).body.spec['renewTime']).toBe(want);
    expect(await subject.admin.create(events, event(time))).toMatchObject({ eventTime: want });
  });
}

function duplicates(subject: Subject): void {
  const ns = ownNamespace(subject, 'duplicates');
  const deployments = `/apis/apps/v1/namespaces/${ns.name}/deployments`;
  const volumes = [{ name: 'v', emptyDir: {} }];

  it.each<[string, object, object]>([
    ['variables of one name', { env: ['1', '2'].map((value) => ({ name: 'A', value })) }, {}],
    ['ports without names', { ports: [{ containerPort: 80 }, { containerPort: 80 }] }, {}],
    ['pull secrets', {}, { imagePullSecrets: [{ name: 'x' }, { name: 'x' }] }],
    ['host aliases', {}, { hostAliases: ['a', 'b'].map((host) => ({ ip: '10.0.0.1', hostnames: [host] })) }],
  ])('may contain %s twice, and the object can be changed afterwards', async (title, container, spec) => {
    const name = title.replaceAll(' ', '-');
    const created = await subject.admin.create(deployments, deployment(name, container, spec));
    expect(created.spec).toMatchObject({ template: { spec: { containers: [container], ...spec } } });
    const changed = await subject.admin.patch('merge', `${deployments}/${name}`, { spec: { replicas: 0 } });
    expect(changed).toMatchObject({ status: 200, body: { spec: { replicas: 0 } } });
  });
  it('may contain a finalizer twice', async () => {
    const metadata = { name: 'twice', finalizers: ['example.com/a', 'example.com/a'] };
    expect((await subject.admin.create(ns.path('configmaps'), { metadata })).metadata.finalizers).toEqual(metadata.finalizers);
  });
  it('may contain the secrets of an account twice', async () => {
    const secrets = [{ name: 'x' }, { name: 'x' }];
    expect(await subject.admin.create(ns.path('serviceaccounts'), { metadata: { name: 'twice' }, secrets })).toMatchObject({ secrets });
  });
  it.each<[string, object, object, string]>([
    ['port names', { ports: [80, 81].map((containerPort) => ({ containerPort, name: 'web' })) }, {}, 'containers[0].ports[1].name'],
    [
      'paths of mounts',
      {
        volumeMounts: [
          { name: 'v', mountPath: '/x' },
          { name: 'v', mountPath: '/x' },
        ],
      },
      { volumes },
      'containers[0].volumeMounts[1].mountPath',
    ],
    ['names of volumes', {}, { volumes: [...volumes, ...volumes] }, 'volumes[1].name'],
  ])('may not contain %s twice', async (title, container, spec, field) => {
    const answer = await subject.admin.post(deployments, deployment(title.replaceAll(' ', '-'), container, spec));
    expect(answer.status).toBe(422);
    expect(answer.body.details.causes.map((cause) => cause.field)).toEqual([`spec.template.spec.${field}`]);
  });
  it.each<[string, readonly object[], string]>([
    ['number', ['a', 'b'].map((name) => ({ name, port: 80 })), 'spec.ports[1]'],
    ['name', [80, 81].map((port) => ({ name: 'a', port })), 'spec.ports[1].name'],
  ])('of the ports of a Service may not contain a %s twice', async (_title, ports, field) => {
    const answer = await subject.admin.post(ns.path('services'), { metadata: { name: 'twice' }, spec: { ports } });
    expect(answer.status).toBe(422);
    expect(answer.body.details.causes.map((cause) => cause.field)).toEqual([field]);
  });
}

function refusals(subject: Subject): void {
  const ns = ownNamespace(subject, 'kind-rules');
  const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
  const account = { kind: 'ServiceAccount', namespace: ns.name };
  const bind = (fields: object): Promise<Answer> =>
    subject.admin.post(`${RBAC}/namespaces/${ns.name}/rolebindings`, { metadata: { name: unique('b') }, roleRef: role, ...fields });
  const aggregate = (selector: object): Promise<Answer> =>
    subject.admin.post(`${RBAC}/clusterroles`, {
      metadata: { name: unique('c') },
      aggregationRule: { clusterRoleSelectors: [selector] },
    });
  const selectors = 'aggregationRule.clusterRoleSelectors[0]';

  it.each<[string, () => Promise<Answer>, readonly string[]]>([
    ['a subject that cannot be an account', () => bind({ subjects: [{ ...account, name: '150%' }] }), ['subjects[0].name']],
    ['a role that cannot exist', () => bind({ roleRef: { ...role, name: 'a/b' } }), ['roleRef.name']],
    [
      'a selector of roles without values',
      () => aggregate({ matchExpressions: [{ key: 'a', operator: 'In' }] }),
      [`${selectors}.matchExpressions[0].values`, selectors],
    ],
    ['a selector of roles by no label', () => aggregate({ matchLabels: { a: 'b c' } }), [`${selectors}.matchLabels`, selectors]],
    [
      'a negative number of changes of holders',
      () =>
        subject.admin.post(`/apis/coordination.k8s.io/v1/namespaces/${ns.name}/leases`, {
          metadata: { name: 'negative' },
          spec: { leaseDurationSeconds: 1, leaseTransitions: -1 },
        }),
      ['spec.leaseTransitions'],
    ],
    [
      'a negative revision',
      () =>
        subject.admin.post(`/apis/apps/v1/namespaces/${ns.name}/controllerrevisions`, {
          metadata: { name: 'negative' },
          revision: -1,
          data: {},
        }),
      ['revision'],
    ],
  ])('%s', async (_title, send, fields) => {
    const answer = await send();
    expect(answer.status).toBe(422);
    expect(answer.body.details.causes.map(({ field }) => field)).toEqual(fields);
  });
}

function schemaNulls(subject: Subject): void {
  const define = (schema: object): Promise<Answer> => {
    const definition = widgetDefinition(`${unique('n')}.example.com`, [{ name: 'v1', schema }]);
    return subject.admin.post(`${CRDS}?dryRun=All`, definition);
  };

  it.each<[string, object]>([
    ['of properties', { spec: { type: 'object', properties: null } }],
    ['of items', { spec: { type: 'object', items: null, additionalProperties: null, not: null } }],
    ['of lists', { spec: { type: 'object', allOf: null, anyOf: null, required: null } }],
    ['of rules', { spec: { type: 'object', 'x-kubernetes-validations': null } }],
    ['of values', { spec: { type: 'string', nullable: true, enum: null, default: null } }],
  ])('are absent: %s', async (_title, schema) => {
    expect(await define(schema)).toMatchObject({ status: 201 });
  });
  it('are empty schemas if they are a property', async () => {
    const answer = await define({ spec: { type: 'object', properties: { a: null } } });
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain(
      'properties[spec].properties[a].type: Required value: must not be empty for specified object fields',
    );
  });
}
