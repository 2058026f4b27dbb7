import { beforeAll, describe, expect, it } from 'vitest';
import { certificateRequest } from '../harness/certificates.js';
import { eventually, patchTypes, type Obj } from './api.js';
import { configMap, ownNamespace, type Subject, unique } from './subject.js';
import { watchPath } from './watching.js';
import { type CustomKind, registerWidget } from './widgets.js';

const RBAC_GROUP = 'rbac.authorization.k8s.io';
const RBAC = `/apis/${RBAC_GROUP}/v1`;
const CERTIFICATES = 'certificates.k8s.io';
const CSRS = `/apis/${CERTIFICATES}/v1/certificatesigningrequests`;
const SIGNER = 'example.com/matrix';

/** A permission that a request needs. If `name` is undefined, the request names no object, so no rule with resourceNames can allow it. */
interface Need {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly name?: string;
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly type?: keyof typeof patchTypes;
}

interface Case {
  readonly title: string;
  readonly isClusterScoped?: boolean;
  /** Creates, as the administrator, the objects that the request needs. Returns the request. */
  readonly prepare: (name: string) => Promise<Call> | Call;
  readonly needs: (name: string) => readonly Need[];
}

/**
 * A form in which RBAC rules can be written. `of` returns rules of this form for the needed permissions, and whether the rules grant all
 * these permissions. It returns undefined if the form does not apply to them.
 */
interface Shape {
  readonly title: string;
  readonly of: (needs: readonly Need[]) => { readonly rules: readonly Rule[]; readonly isEnough: boolean } | undefined;
}

const exact = ({ verb, group, resource }: Need): Rule => ({ apiGroups: [group], resources: [resource], verbs: [verb] });
const named = (need: Need, name: string): Rule => ({ ...exact(need), resourceNames: [name] });
const hasSubresource = ({ resource }: Need): boolean => resource.includes('/');

const SHAPES: readonly Shape[] = [
  { title: 'all rights', of: (needs) => ({ rules: needs.map(exact), isEnough: true }) },
  { title: 'no right', of: () => ({ rules: [], isEnough: false }) },
  ...[0, 1].map(
    (left): Shape => ({
      title: `all but ${left === 0 ? 'the first' : 'the second'}`,
      of: (needs) => (needs.length < 2 ? undefined : { rules: needs.filter((_, i) => i !== left).map(exact), isEnough: false }),
    }),
  ),
  {
    title: 'rights by name',
    of: (needs) => ({
      rules: needs.map((need) => named(need, need.name ?? 'any')),
      isEnough: needs.every(({ name }) => name !== undefined),
    }),
  },
  { title: 'rights by another name', of: (needs) => ({ rules: needs.map((need) => named(need, 'another')), isEnough: false }) },
  { title: 'any verb', of: (needs) => ({ rules: needs.map((need) => ({ ...exact(need), verbs: ['*'] })), isEnough: true }) },
  { title: 'any resource', of: (needs) => ({ rules: needs.map((need) => ({ ...exact(need), resources: ['*'] })), isEnough: true }) },
  { title: 'any group', of: (needs) => ({ rules: needs.map((need) => ({ ...exact(need), apiGroups: ['*'] })), isEnough: true }) },
  {
    title: 'another group',
    of: (needs) => ({ rules: needs.map((need) => ({ ...exact(need), apiGroups: ['other.example.com'] })), isEnough: false }),
  },
  {
    title: 'the resource without its subresource',
    of: (needs) =>
      needs.some(hasSubresource)
        ? { rules: needs.map((need) => exact({ ...need, resource: need.resource.split('/')[0] ?? '' })), isEnough: false }
        : undefined,
  },
  {
    title: 'the subresource of any resource',
    of: (needs) =>
      needs.some(hasSubresource)
        ? { rules: needs.map((need) => exact({ ...need, resource: need.resource.replace(/^.*\//, '*/') })), isEnough: true }
        : undefined,
  },
];

/** Tests which permissions a request needs. Every server must allow and deny the same requests. */
export function authorizationMatrix(subject: Subject): void {
  describe('AT-55 rights that requests need', () => {
    const ns = ownNamespace(subject, 'matrix');
    let widgets: CustomKind;
    let request: string;
    beforeAll(async () => {
      const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
      widgets = await registerWidget(subject, [{ name: 'v1', schema: { spec: open, status: open }, subresources: { status: {} } }]);
      request = await certificateRequest('/CN=matrix');
    });
    const cases = [
      ...objectCases(subject, {
        title: 'configmaps',
        group: '',
        resource: 'configmaps',
        path: () => ns.path('configmaps'),
        make: (name) => ({ ...configMap(name), metadata: { name, labels: { case: name } } }),
      }),
      ...objectCases(subject, {
        title: 'custom resources',
        group: () => (widgets as CustomKind | undefined)?.group ?? 'unknown',
        resource: 'widgets',
        path: () => widgets.in(ns.name),
        make: (name) => ({ ...widgets.object(name), metadata: { name, labels: { case: name } } }),
        isCustom: true,
      }),
      ...leaseCases(ns),
      ...subresourceCases(subject, ns),
      ...roleCases(subject, ns),
      ...certificateCases(subject, () => request),
    ];
    for (const each of cases) describe(`${each.title}`, () => rows(subject, ns.name, each));

    it.each<[string, string, string, object?]>([
      ['list', 'GET', '?'],
      ['watch', 'GET', '?watch=true&timeoutSeconds=1&'],
      ['create', 'POST', '?', { metadata: { name: unique('taken') } }],
    ])('all rights in a namespace are no right to %s namespaces, whichever name a selector has', async (_, method, query, body) => {
      const user = unique('m');
      await grantAndWait(subject, { user, namespace: ns.name, rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] });
      const path = `/api/v1/namespaces${query}fieldSelector=metadata.name%3D${ns.name}`;
      const answer = await subject.admin.send(method, path, body, { 'impersonate-user': user });
      expect(answer.status).toBe(403);
    });
  });
}

function rows(subject: Subject, namespace: string, { isClusterScoped = false, prepare, needs }: Case): void {
  for (const shape of SHAPES) {
    if (shape.of(needs('x')) === undefined) continue;
    it(`with ${shape.title}`, async () => {
      const name = unique('m');
      const call = await prepare(name);
      const { rules, isEnough } = shape.of(needs(name)) ?? { rules: [], isEnough: false };
      await grantAndWait(subject, { user: name, rules, ...(isClusterScoped ? {} : { namespace }) });
      const headers = { 'impersonate-user': name, ...(call.type === undefined ? {} : { 'content-type': patchTypes[call.type] }) };
      const answer = await subject.admin.send(call.method, call.path, call.body, headers);
      const told = `${answer.status} ${answer.body.message ?? ''}`;
      if (isEnough) expect(told).not.toMatch(/^403/);
      else expect(told).toMatch(/^403 .*forbidden/);
    });
  }
}

/**
 * Grants the rules together with a marker permission, and waits until the server allows the marker. Before that, a denied request would
 * prove nothing.
 */
async function grantAndWait(
  subject: Subject,
  { user, namespace, rules }: { user: string; namespace?: string; rules: readonly Rule[] },
): Promise<void> {
  const marker = { apiGroups: ['marker.example.com'], resources: ['markers'], verbs: ['get'] };
  const scope = namespace === undefined ? `${RBAC}/cluster` : `${RBAC}/namespaces/${namespace}/`;
  await subject.admin.create(`${scope}roles`, { metadata: { name: user }, rules: [...rules, marker] });
  await subject.admin.create(`${scope}rolebindings`, {
    metadata: { name: user },
    roleRef: { apiGroup: RBAC_GROUP, kind: namespace === undefined ? 'ClusterRole' : 'Role', name: user },
    subjects: [{ apiGroup: RBAC_GROUP, kind: 'User', name: user }],
  });
  const resourceAttributes = {
    verb: 'get',
    group: 'marker.example.com',
    resource: 'markers',
    ...(namespace === undefined ? {} : { namespace }),
  };
  await eventually(async () => {
    const { body } = await subject.admin.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec: { user, resourceAttributes } });
    expect(body.status).toMatchObject({ allowed: true });
  });
}

interface Objects {
  readonly title: string;
  readonly group: string | (() => string);
  readonly resource: string;
  readonly path: () => string;
  readonly make: (name: string) => object;
  readonly isCustom?: boolean;
}

function objectCases(subject: Subject, { title, group, resource, path, make, isCustom = false }: Objects): readonly Case[] {
  const need = (verb: string, name?: string): Need => ({
    verb,
    group: typeof group === 'string' ? group : 'GROUP',
    resource,
    ...(name === undefined ? {} : { name }),
  });
  // The group of a custom kind is known only after its CRD is registered.
  const resolved = (needs: readonly Need[]): readonly Need[] =>
    needs.map((each) =>
      each.group === 'GROUP'
        ? {
            ...each,
            get group() {
              return (group as () => string)();
            },
          }
        : each,
    );
  const there = async (name: string): Promise<Obj> => subject.admin.create(path(), make(name));
  const on = (name: string): string => `${path()}/${name}`;
  const patches: readonly (keyof typeof patchTypes)[] = isCustom ? ['json', 'merge'] : ['json', 'merge', 'strategic'];
  const existing =
    (of: (name: string) => Call) =>
    async (name: string): Promise<Call> => {
      await there(name);
      return of(name);
    };
  const cases: readonly Case[] = [
    { title: 'get', prepare: existing((name) => ({ method: 'GET', path: on(name) })), needs: (name) => [need('get', name)] },
    { title: 'list', prepare: () => ({ method: 'GET', path: path() }), needs: () => [need('list')] },
    {
      title: 'list of one name',
      prepare: (name) => ({ method: 'GET', path: `${path()}?fieldSelector=metadata.name%3D${name}` }),
      needs: (name) => [need('list', name)],
    },
    { title: 'watch', prepare: () => ({ method: 'GET', path: `${path()}?watch=true&timeoutSeconds=1` }), needs: () => [need('watch')] },
    {
      title: 'watch of one name by its path',
      prepare: (name) => ({ method: 'GET', path: `${watchPath(on(name))}?timeoutSeconds=1` }),
      needs: (name) => [need('watch', name)],
    },
    {
      title: 'watch by its path with a field selector',
      prepare: () => ({ method: 'GET', path: `${watchPath(path())}?fieldSelector=metadata.name%3Dany&timeoutSeconds=1` }),
      needs: () => [need('watch')],
    },
    { title: 'create', prepare: (name) => ({ method: 'POST', path: path(), body: make(name) }), needs: () => [need('create')] },
    {
      title: 'update',
      prepare: async (name) => ({ method: 'PUT', path: on(name), body: await there(name) }),
      needs: (name) => [need('update', name)],
    },
    ...patches.map(
      (type): Case => ({
        title: `${type} patch`,
        prepare: existing((name) => ({ method: 'PATCH', path: on(name), body: type === 'json' ? [] : {}, type })),
        needs: (name) => [need('patch', name)],
      }),
    ),
    ...patches.map(
      (type): Case => ({
        title: `${type} patch of nothing`,
        prepare: (name) => ({ method: 'PATCH', path: on(name), body: type === 'json' ? [] : {}, type }),
        needs: (name) => [need('patch', name)],
      }),
    ),
    {
      title: 'apply',
      prepare: existing((name) => ({ method: 'PATCH', path: `${on(name)}?fieldManager=m`, body: make(name), type: 'apply' })),
      needs: (name) => [need('patch', name)],
    },
    {
      title: 'apply that creates',
      prepare: (name) => ({
        method: 'PATCH',
        path: `${on(name)}?fieldManager=m`,
        body: { ...make(name), ...(isCustom ? {} : { apiVersion: 'v1' }) },
        type: 'apply',
      }),
      needs: (name) => [need('patch', name), need('create', name)],
    },
    {
      title: 'apply that would create, as a dry run',
      prepare: (name) => ({ method: 'PATCH', path: `${on(name)}?fieldManager=m&dryRun=All`, body: make(name), type: 'apply' }),
      needs: (name) => [need('patch', name), need('create', name)],
    },
    { title: 'delete', prepare: existing((name) => ({ method: 'DELETE', path: on(name) })), needs: (name) => [need('delete', name)] },
    {
      title: 'deletecollection',
      prepare: existing((name) => ({ method: 'DELETE', path: `${path()}?labelSelector=case%3D${name}` })),
      needs: () => [need('deletecollection')],
    },
    // A server must not take the name of an object from a field selector in the query of a write. The selectors below name `any`, which is
    // the name in the rules by name.
    {
      title: 'create with a field selector',
      prepare: (name) => ({ method: 'POST', path: `${path()}?fieldSelector=metadata.name%3Dany`, body: make(name) }),
      needs: () => [need('create')],
    },
    {
      title: 'deletecollection with a field selector',
      prepare: () => ({ method: 'DELETE', path: `${path()}?fieldSelector=metadata.name%3Dany` }),
      needs: () => [need('deletecollection')],
    },
    {
      title: 'delete with a field selector',
      prepare: existing((name) => ({ method: 'DELETE', path: `${on(name)}?fieldSelector=metadata.name%3Danother` })),
      needs: (name) => [need('delete', name)],
    },
  ];
  return cases.map((each) => ({ ...each, title: `${title}: ${each.title}`, needs: (name) => resolved(each.needs(name)) }));
}

/** Returns cases with Leases, which can be created with PUT. */
function leaseCases(ns: { readonly name: string }): readonly Case[] {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${ns.name}/leases`;
  const lease = (name: string): object => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name },
    spec: { holderIdentity: 'm' },
  });
  const need = (verb: string, name: string): Need => ({ verb, group: 'coordination.k8s.io', resource: 'leases', name });
  return [
    {
      title: 'leases: update that creates',
      prepare: (name) => ({ method: 'PUT', path: `${path}/${name}`, body: lease(name) }),
      needs: (name) => [need('update', name), need('create', name)],
    },
    {
      title: 'leases: update that would create, as a dry run',
      prepare: (name) => ({ method: 'PUT', path: `${path}/${name}?dryRun=All`, body: lease(name) }),
      needs: (name) => [need('update', name), need('create', name)],
    },
  ];
}

function subresourceCases(subject: Subject, ns: { readonly name: string }): readonly Case[] {
  const deployments = `/apis/apps/v1/namespaces/${ns.name}/deployments`;
  const accounts = `/api/v1/namespaces/${ns.name}/serviceaccounts`;
  const deployment = (name: string): object => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      selector: { matchLabels: { a: name } },
      template: { metadata: { labels: { a: name } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
    },
  });
  const need = (verb: string, resource: string, name: string, group = 'apps'): Need => ({ verb, group, resource, name });
  const onDeployment = (title: string, verb: string, subresource: string, call: (path: string, made: Obj) => Call): Case => ({
    title: `deployments/${subresource}: ${title}`,
    prepare: async (name) => call(`${deployments}/${name}/${subresource}`, await subject.admin.create(deployments, deployment(name))),
    needs: (name) => [need(verb, `deployments/${subresource}`, name)],
  });
  const scale = ({ metadata: { name, namespace } }: Obj): object => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name, namespace },
    spec: { replicas: 2 },
  });
  return [
    ...['status', 'scale'].flatMap((subresource) => [
      onDeployment('get', 'get', subresource, (path) => ({ method: 'GET', path })),
      onDeployment('update', 'update', subresource, (path, made) => ({
        method: 'PUT',
        path,
        body: subresource === 'scale' ? scale(made) : made,
      })),
      onDeployment('merge patch', 'patch', subresource, (path) => ({ method: 'PATCH', path, body: {}, type: 'merge' })),
      onDeployment('json patch', 'patch', subresource, (path) => ({ method: 'PATCH', path, body: [], type: 'json' })),
    ]),
    onDeployment('apply', 'patch', 'status', (path, { metadata: { name } }) => ({
      method: 'PATCH',
      path: `${path}?fieldManager=m`,
      body: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name } },
      type: 'apply',
    })),
    {
      title: 'serviceaccounts/token: create',
      prepare: async (name) => {
        await subject.admin.create(accounts, { metadata: { name } });
        return {
          method: 'POST',
          path: `${accounts}/${name}/token`,
          body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
        };
      },
      needs: (name) => [need('create', 'serviceaccounts/token', name, '')],
    },
  ];
}

/** Granting permissions that the caller does not have also requires `escalate` or `bind`. */
function roleCases(subject: Subject, ns: { readonly name: string }): readonly Case[] {
  const roles = `${RBAC}/namespaces/${ns.name}/roles`;
  const bindings = `${RBAC}/namespaces/${ns.name}/rolebindings`;
  const need = (verb: string, resource: string, name?: string): Need => ({
    verb,
    group: RBAC_GROUP,
    resource,
    ...(name === undefined ? {} : { name }),
  });
  const role = (name: string): object => ({
    apiVersion: `${RBAC_GROUP}/v1`,
    kind: 'Role',
    metadata: { name: `r-${name}` },
    rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
  });
  const binding = (name: string): object => ({
    apiVersion: `${RBAC_GROUP}/v1`,
    kind: 'RoleBinding',
    metadata: { name: `b-${name}` },
    roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: RBAC_GROUP, kind: 'User', name }],
  });
  return [
    {
      title: 'roles: create with more',
      prepare: (name) => ({ method: 'POST', path: roles, body: role(name) }),
      needs: () => [need('create', 'roles'), need('escalate', 'roles')],
    },
    {
      title: 'roles: update to more',
      prepare: async (name) => {
        const made = await subject.admin.create(roles, { ...role(name), rules: [] });
        return { method: 'PUT', path: `${roles}/r-${name}`, body: { ...made, ...role(name) } };
      },
      needs: (name) => [need('update', 'roles', `r-${name}`), need('escalate', 'roles', `r-${name}`)],
    },
    {
      title: 'roles: apply to more',
      prepare: async (name) => {
        await subject.admin.create(roles, { ...role(name), rules: [] });
        return { method: 'PATCH', path: `${roles}/r-${name}?fieldManager=m&force=true`, body: role(name), type: 'apply' };
      },
      needs: (name) => [need('patch', 'roles', `r-${name}`), need('escalate', 'roles', `r-${name}`)],
    },
    {
      title: 'rolebindings: create to more',
      prepare: (name) => ({ method: 'POST', path: bindings, body: binding(name) }),
      needs: () => [need('create', 'rolebindings'), need('bind', 'clusterroles', 'cluster-admin')],
    },
  ];
}

function certificateCases(subject: Subject, request: () => string): readonly Case[] {
  const csr = (name: string): Promise<Obj> =>
    subject.admin.create(CSRS, { metadata: { name }, spec: { request: request(), signerName: SIGNER, usages: ['client auth'] } });
  const need = (verb: string, resource: string, name: string): Need => ({ verb, group: CERTIFICATES, resource, name });
  const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: 'test' }];
  return [
    {
      title: 'certificatesigningrequests/approval: update',
      isClusterScoped: true,
      prepare: async (name) => ({
        method: 'PUT',
        path: `${CSRS}/${name}/approval`,
        body: { ...(await csr(name)), status: { conditions } },
      }),
      needs: (name) => [need('update', 'certificatesigningrequests/approval', name), need('approve', 'signers', SIGNER)],
    },
    {
      title: 'certificatesigningrequests/approval: patch',
      isClusterScoped: true,
      prepare: async (name) => {
        await csr(name);
        return { method: 'PATCH', path: `${CSRS}/${name}/approval`, body: { status: { conditions } }, type: 'merge' };
      },
      needs: (name) => [need('patch', 'certificatesigningrequests/approval', name), need('approve', 'signers', SIGNER)],
    },
    {
      title: 'certificatesigningrequests/status: update',
      isClusterScoped: true,
      prepare: async (name) => ({
        method: 'PUT',
        path: `${CSRS}/${name}/status`,
        body: { ...(await csr(name)), status: { conditions: [{ ...conditions[0], type: 'Failed' }] } },
      }),
      needs: (name) => [need('update', 'certificatesigningrequests/status', name), need('sign', 'signers', SIGNER)],
    },
  ];
}
