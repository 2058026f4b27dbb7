import { beforeAll, describe, expect, it } from 'vitest';
import { type Api, eventually } from './api.js';
import { configMap, ownNamespace, type Subject, unique } from './subject.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const AUTHZ = '/apis/authorization.k8s.io/v1';

export function authorization(subject: Subject): void {
  describe('authorization', () => permissions(subject));
  describe('access reviews', () => reviews(subject));
  describe('escalation', () => escalation(subject));
}

interface Grant {
  readonly user: string;
  readonly namespace?: string;
  readonly rules: readonly object[];
}

/** Grants the rules to a user, in one namespace or in all namespaces. */
async function grant(subject: Subject, { user, namespace, rules }: Grant): Promise<void> {
  const name = unique('grant');
  const path = namespace === undefined ? `${RBAC}/cluster` : `${RBAC}/namespaces/${namespace}/`;
  await subject.admin.create(`${path}roles`, { metadata: { name }, rules });
  await subject.admin.create(`${path}rolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: namespace === undefined ? 'ClusterRole' : 'Role', name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  });
}

function permissions(subject: Subject): void {
  const ns = ownNamespace(subject, 'authz');
  const path = ns.path('configmaps');
  let ann: Api;
  beforeAll(async () => {
    ann = await subject.as('ann');
    await subject.admin.create(path, configMap('named'));
  });

  it('refuses what was not granted, naming user, verb, resource and namespace', async () => {
    const answer = await ann.get(path);
    expect(answer).toMatchObject({
      status: 403,
      body: {
        kind: 'Status',
        reason: 'Forbidden',
        code: 403,
        message: `configmaps is forbidden: User "ann" cannot list resource "configmaps" in API group "" in the namespace "${ns.name}"`,
        details: { kind: 'configmaps' },
      },
    });
  });
  it('names the object it refused', async () => {
    const answer = await ann.get(`${path}/named`);
    expect(answer.body.message).toBe(
      `configmaps "named" is forbidden: User "ann" cannot get resource "configmaps" in API group "" in the namespace "${ns.name}"`,
    );
  });
  it('reports cluster scope if there is no namespace', async () => {
    const answer = await ann.get('/apis/apps/v1/deployments');
    expect(answer.body.message).toBe(
      'deployments.apps is forbidden: User "ann" cannot list resource "deployments" in API group "apps" at the cluster scope',
    );
  });
  it('names the subresource it refused', async () => {
    const answer = await ann.patch('merge', '/api/v1/namespaces/default/status', {});
    expect(answer.body.message).toContain('cannot patch resource "namespaces/status" in API group ""');
  });
  it('refuses other paths by their path', async () => {
    const answer = await ann.get('/metrics');
    expect(answer.status).toBe(403);
    expect(answer.body.message).toBe('forbidden: User "ann" cannot get path "/metrics"');
  });
  it('does not reveal to users without the right whether an object exists', async () => {
    const [there, absent] = [await ann.get(`${path}/named`), await ann.get(`${path}/absent`)];
    expect(absent.status).toBe(403);
    expect(absent.body.message.replace('absent', 'named')).toBe(there.body.message);
  });
  it('allows what a role grants, and not more', async () => {
    const bob = await subject.as('bob');
    await grant(subject, {
      user: 'bob',
      namespace: ns.name,
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }],
    });
    await eventually(async () => expect((await bob.get(path)).status).toBe(200));
    expect((await bob.get(`${path}/named`)).status).toBe(200);
    expect((await bob.get(`${path}?watch=true`)).status).toBe(403);
    expect((await bob.post(path, configMap('x'))).status).toBe(403);
    expect((await bob.get('/api/v1/namespaces/default/configmaps')).status).toBe(403);
  });
  it('allows by name only objects of that name', async () => {
    const carol = await subject.as('carol');
    const rules = [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['named'], verbs: ['get', 'list'] }];
    await grant(subject, { user: 'carol', namespace: ns.name, rules });
    await eventually(async () => expect((await carol.get(`${path}/named`)).status).toBe(200));
    expect((await carol.get(`${path}/other`)).status).toBe(403);
    expect((await carol.get(path)).status).toBe(403);
    expect((await carol.get(`${path}?fieldSelector=metadata.name%3Dnamed`)).status).toBe(200);
  });
  it('grants to groups', async () => {
    const name = unique('group');
    await subject.admin.create(`${RBAC}/clusterroles`, {
      metadata: { name },
      rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }],
    });
    await subject.admin.create(`${RBAC}/clusterrolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'operators' }],
    });
    const member = await subject.as('dora', ['operators']);
    await eventually(async () => expect((await member.get('/api/v1/nodes')).status).toBe(200));
    expect((await (await subject.as('dora')).get('/api/v1/nodes')).status).toBe(403);
  });
  it('allows every authenticated user to read discovery and the version', async () => {
    for (const each of ['/api', '/apis', '/version']) expect((await ann.get(each)).status).toBe(200);
  });
  it('answers 401 to a token it does not know', async () => {
    expect(await subject.withToken('nonsense').get(path)).toMatchObject({
      status: 401,
      body: { reason: 'Unauthorized', message: 'Unauthorized' },
    });
  });
  it('treats a client without credentials as anonymous', async () => {
    const answer = await subject.anonymous().get(path);
    expect(answer.status).toBe(403);
    expect(answer.body.message).toContain('User "system:anonymous" cannot list resource "configmaps"');
  });
  it('refuses impersonation that was not granted and obeys one that was', async () => {
    const refused = await ann.get(path, { 'impersonate-user': 'bob' });
    expect(refused.status).toBe(403);
    expect(refused.body.message).toContain('users "bob" is forbidden: User "ann" cannot impersonate resource "users"');
    const obeyed = await subject.admin.get(path, { 'impersonate-user': 'nobody' });
    expect(obeyed.body.message).toContain('User "nobody" cannot list resource "configmaps"');
  });
}

function reviews(subject: Subject): void {
  const ns = ownNamespace(subject, 'review');
  const attributes = { namespace: ns.name, verb: 'get', resource: 'configmaps' };
  beforeAll(() =>
    grant(subject, { user: 'reviewed', namespace: ns.name, rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }] }),
  );

  it('report what another user may do', async () => {
    await eventually(async () => {
      const answer = await subject.admin.post(`${AUTHZ}/subjectaccessreviews`, {
        spec: { user: 'reviewed', resourceAttributes: attributes },
      });
      expect(answer).toMatchObject({ status: 201, body: { status: { allowed: true } } });
    });
    const other = await subject.admin.post(`${AUTHZ}/subjectaccessreviews`, {
      spec: { user: 'reviewed', resourceAttributes: { ...attributes, verb: 'delete' } },
    });
    expect(other.body.status).toMatchObject({ allowed: false });
  });
  it('report to the caller what it may do', async () => {
    const reviewed = await subject.as('reviewed');
    const answer = await reviewed.post(`${AUTHZ}/selfsubjectaccessreviews`, { spec: { resourceAttributes: attributes } });
    expect(answer).toMatchObject({ status: 201, body: { status: { allowed: true } } });
  });
  it('report whether the admin may do anything', async () => {
    const answer = await subject.admin.post(`${AUTHZ}/selfsubjectaccessreviews`, {
      spec: { resourceAttributes: { verb: '*', group: '*', resource: '*' } },
    });
    expect(answer.body.status).toMatchObject({ allowed: true });
  });
  it('list the rules that hold for the caller', async () => {
    const reviewed = await subject.as('reviewed');
    const { body } = await reviewed.post(`${AUTHZ}/selfsubjectrulesreviews`, { spec: { namespace: ns.name } });
    const { resourceRules } = body.status as { resourceRules: object[] };
    expect(resourceRules).toContainEqual({ verbs: ['get'], apiGroups: [''], resources: ['configmaps'] });
  });
  it('need exactly one kind of attributes', async () => {
    const answer = await subject.admin.post(`${AUTHZ}/subjectaccessreviews`, { spec: { user: 'reviewed' } });
    expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
  });
  it('report to the caller who it is', async () => {
    const somebody = await subject.as('somebody', ['one']);
    const answer = await somebody.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
    expect(answer).toMatchObject({ status: 201, body: { status: { userInfo: { username: 'somebody' } } } });
    const { userInfo } = answer.body.status as { userInfo: { groups: string[] } };
    expect([...userInfo.groups].sort()).toEqual(['one', 'system:authenticated']);
  });
}

function escalation(subject: Subject): void {
  const ns = ownNamespace(subject, 'escalate');
  let eve: Api;
  beforeAll(async () => {
    eve = await subject.as('eve');
    const rules = [
      { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: ['get', 'list', 'create', 'update'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
    ];
    await grant(subject, { user: 'eve', namespace: ns.name, rules });
    await eventually(async () => expect((await eve.get(`${RBAC}/namespaces/${ns.name}/roles`)).status).toBe(200));
  });

  it('by writing a role with more than the writer has is refused', async () => {
    const answer = await eve.post(`${RBAC}/namespaces/${ns.name}/roles`, {
      metadata: { name: 'more' },
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
    });
    expect(answer).toMatchObject({ status: 403, body: { reason: 'Forbidden' } });
    expect(answer.body.message).toContain('is attempting to grant RBAC permissions not currently held');
  });
  it('by binding a role with more than the binder has is refused', async () => {
    const answer = await eve.post(`${RBAC}/namespaces/${ns.name}/rolebindings`, {
      metadata: { name: 'bind' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'eve' }],
    });
    expect(answer).toMatchObject({ status: 403, body: { reason: 'Forbidden' } });
  });
  it('is not a role with what the writer has', async () => {
    const answer = await eve.post(`${RBAC}/namespaces/${ns.name}/roles`, {
      metadata: { name: 'same' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
    });
    expect(answer.status).toBe(201);
  });
  it('AT-55 by a right to escalate one role is possible only if the path has its name', async () => {
    const mallory = await subject.as('mallory');
    const rules = [
      { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['list', 'create', 'patch'] },
      { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], resourceNames: ['named'], verbs: ['escalate'] },
    ];
    await grant(subject, { user: 'mallory', namespace: ns.name, rules });
    const path = `${RBAC}/namespaces/${ns.name}/roles`;
    await eventually(async () => expect((await mallory.get(path)).status).toBe(200));
    const role = (name: string): object => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name },
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
    });
    expect((await mallory.post(path, role('named'))).status).toBe(403);
    expect((await mallory.patch('apply', `${path}/other?fieldManager=a`, role('other'))).status).toBe(403);
    expect((await mallory.patch('apply', `${path}/named?fieldManager=a`, role('named'))).status).toBe(201);
  });
  it.each([{}, { clusterRoleSelectors: [] }])('an aggregation rule selects by something: %j', async (aggregationRule) => {
    const answer = await subject.admin.post(`${RBAC}/clusterroles`, { metadata: { name: unique('aggregate') }, aggregationRule });
    expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    expect(answer.body.message).toContain(
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required',
    );
  });
  it('by changing the role of a binding is impossible', async () => {
    const path = `${RBAC}/namespaces/${ns.name}/rolebindings`;
    const roleRef = (name: string): object => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name });
    const binding = await subject.admin.create(path, { metadata: { name: 'fixed' }, roleRef: roleRef('view') });
    const answer = await subject.admin.put(`${path}/fixed`, { ...binding, roleRef: roleRef('cluster-admin') });
    expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    expect(answer.body.message).toContain('cannot change roleRef');
  });
}
