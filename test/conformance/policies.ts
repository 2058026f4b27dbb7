import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, eventually } from './api.js';
import { configMap, ownNamespace, type Subject, unique } from './subject.js';

const REGISTRATION = '/apis/admissionregistration.k8s.io/v1';
const POLICIES = `${REGISTRATION}/validatingadmissionpolicies`;
const BINDINGS = `${REGISTRATION}/validatingadmissionpolicybindings`;

/** A policy for ConfigMaps labelled `case: <name>` in the suite's namespace, and the expected response to creating one. */
interface Case {
  readonly name: string;
  readonly spec: object;
  readonly binding?: object;
  readonly data?: Readonly<Record<string, string>>;
  /** The expected error; if absent, the object is created. */
  readonly told?: { readonly code: number; readonly reason?: string; readonly why: string };
  readonly warning?: string;
}

const no = { expression: 'object.data.a == "no"' };
const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
const limited = { paramKind, validations: [{ expression: 'size(object.data.a) <= int(params.data.max)' }] };
const limits = (parameterNotFoundAction: string, name = 'limits'): object => ({ paramRef: { name, parameterNotFoundAction } });

const CASES: readonly Case[] = [
  { name: 'holds', spec: { validations: [{ expression: 'object.data.a == "yes"' }] } },
  {
    name: 'names-the-rule',
    spec: { validations: [no] },
    told: { code: 422, reason: 'Invalid', why: 'failed expression: object.data.a == "no"' },
  },
  { name: 'has-a-message', spec: { validations: [{ ...no, message: 'say no' }] }, told: { code: 422, reason: 'Invalid', why: 'say no' } },
  {
    name: 'has-a-reason',
    spec: { validations: [{ ...no, message: 'say no', reason: 'Forbidden' }] },
    told: { code: 403, reason: 'Forbidden', why: 'say no' },
  },
  {
    name: 'expresses-its-message',
    spec: { validations: [{ ...no, message: 'say no', messageExpression: '"not " + object.data.a' }] },
    told: { code: 422, why: 'not yes' },
  },
  {
    name: 'fails-to-express-it',
    spec: { validations: [{ ...no, message: 'say no', messageExpression: 'string(object.data.nothing)' }] },
    told: { code: 422, why: 'say no' },
  },
  {
    name: 'has-variables',
    spec: {
      variables: [
        { name: 'said', expression: 'object.data.a' },
        { name: 'loud', expression: 'variables.said + "!"' },
      ],
      validations: [{ expression: 'variables.loud == "no!"', messageExpression: '"heard " + variables.loud' }],
    },
    told: { code: 422, why: 'heard yes!' },
  },
  { name: 'has-conditions', spec: { matchConditions: [{ name: 'c', expression: 'object.data.a == "maybe"' }], validations: [no] } },
  {
    name: 'cannot-tell',
    spec: { validations: [{ expression: 'object.data.b == "no"' }] },
    told: { code: 422, reason: 'Invalid', why: `expression 'object.data.b == "no"' resulted in error: no such key: b` },
  },
  { name: 'cannot-tell-and-lets-go', spec: { failurePolicy: 'Ignore', validations: [{ expression: 'object.data.b == "no"' }] } },
  {
    name: 'only-warns',
    spec: { validations: [{ ...no, message: 'say no' }] },
    binding: { validationActions: ['Warn', 'Audit'] },
    warning: 'say no',
  },
  {
    name: 'knows-the-request',
    spec: { validations: [{ expression: 'request.operation != "CREATE"', message: 'no' }] },
    told: { code: 422, why: 'no' },
  },
  {
    name: 'knows-the-namespace',
    spec: { validations: [{ expression: 'namespaceObject.metadata.name != request.namespace', message: 'no' }] },
    told: { code: 422, why: 'no' },
  },
  {
    name: 'asks-what-the-caller-may-do',
    spec: {
      validations: [
        { expression: `authorizer.group('').resource('configmaps').namespace(request.namespace).name('x').check('get').allowed()` },
        { expression: `authorizer.requestResource.check('delete').allowed() && authorizer.path('/healthz').check('get').allowed()` },
      ],
    },
  },
  {
    name: 'asks-what-another-may-do',
    spec: {
      validations: [
        {
          expression: `authorizer.serviceAccount('nowhere', 'nobody').group('').resource('secrets').check('list').allowed()`,
          message: 'no',
        },
      ],
    },
    told: { code: 422, why: 'no' },
  },
  { name: 'is-within-limits', spec: limited, binding: limits('Deny') },
  {
    name: 'is-not-within-limits',
    spec: limited,
    binding: limits('Deny'),
    data: { a: 'far too long' },
    told: { code: 422, why: 'failed expression: size(object.data.a) <= int(params.data.max)' },
  },
  {
    name: 'misses-its-limits',
    spec: limited,
    binding: limits('Deny', 'nowhere'),
    told: { code: 422, why: 'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction' },
  },
  { name: 'needs-no-limits', spec: limited, binding: limits('Allow', 'nowhere') },
  {
    name: 'selects-its-limits',
    spec: limited,
    binding: { paramRef: { selector: { matchLabels: { are: 'limits' } }, parameterNotFoundAction: 'Deny' } },
    data: { a: 'far too long' },
    told: { code: 422, why: 'failed expression: size(object.data.a) <= int(params.data.max)' },
  },
  {
    name: 'is-bound-to-others',
    spec: { validations: [no] },
    binding: { matchResources: { objectSelector: { matchLabels: { other: 'x' } } } },
  },
  {
    name: 'leaves-some-out',
    spec: {
      matchConstraints: {
        resourceRules: [rule()],
        excludeResourceRules: [{ ...rule(), resourceNames: ['leaves-some-out'] }],
      },
      validations: [no],
    },
  },
];

export function policies(subject: Subject): void {
  describe('validating admission policies', () => {
    const ns = ownNamespace(subject, 'policies');
    const prefix = unique('policy');
    const nameOf = (name: string): string => `${prefix}-${name}`;
    const create = (name: string, data: object = { a: 'yes' }): Promise<Answer> =>
      subject.admin.post(ns.path('configmaps'), configMap(name, data as Record<string, string>, { labels: { case: name } }));

    beforeAll(async () => {
      await subject.admin.create(ns.path('configmaps'), configMap('limits', { max: '5' }, { labels: { are: 'limits' } }));
      const ready: Case = { name: 'zz-is-ready', spec: { validations: [no] }, told: { code: 422, why: '' } };
      for (const { name, spec, binding } of [...CASES, ready]) {
        const selecting = {
          resourceRules: [rule()],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ns.name } },
          objectSelector: { matchLabels: { case: name } },
        };
        const { matchConstraints = {}, ...rest } = spec as { matchConstraints?: object };
        const policy = { metadata: { name: nameOf(name) }, spec: { matchConstraints: { ...selecting, ...matchConstraints }, ...rest } };
        await subject.admin.create(POLICIES, policy);
        const bound = { policyName: nameOf(name), validationActions: ['Deny'], ...binding };
        await subject.admin.create(BINDINGS, { metadata: { name: nameOf(name) }, spec: bound });
      }
      // A real server needs some time to apply new policies. Wait for the policy that was created last, because the server applies it last.
      await eventually(async () => expect((await create(ready.name)).status).toBe(422));
    });
    afterAll(async () => {
      for (const { name } of [...CASES, { name: 'zz-is-ready' }]) {
        await subject.admin.delete(`${BINDINGS}/${nameOf(name)}`);
        await subject.admin.delete(`${POLICIES}/${nameOf(name)}`);
      }
    });

    it.each(CASES)('one that $name', async ({ name, data, told, warning }) => {
      const { status, body, headers } = await create(name, data);
      if (!told) {
        expect(status, body.message).toBe(201);
        const where = `Validation failed for ValidatingAdmissionPolicy '${nameOf(name)}' with binding '${nameOf(name)}'`;
        expect(headers['warning']).toBe(warning && `299 - "${where}: ${warning}"`);
        return;
      }
      const { code, reason = 'Invalid', why } = told;
      const message = `ValidatingAdmissionPolicy '${nameOf(name)}' with binding '${nameOf(name)}' denied request: ${why}`;
      expect(body).toMatchObject({ code, reason, message: `configmaps "${name}" is forbidden: ${message}` });
      expect(body.details).toEqual({ name, kind: 'configmaps', causes: [{ message }] });
    });
  });
}

function rule(): object {
  return { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] };
}
