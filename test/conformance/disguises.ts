import { beforeAll, describe, expect, it } from 'vitest';
import { certificateRequest } from '../harness/certificates.js';
import { type Answer, eventually, type Obj, patchTypes } from './api.js';
import { ownNamespace, type Subject, unique } from './subject.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const CSRS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const ALL_RIGHTS = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
const GATEKEEPER_HEADERS = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters', 'x-forwarded-user': 'admin' };

type Headers = Readonly<Record<string, string>>;
type Send = (method: string, path: string, body?: unknown, headers?: Headers) => Promise<Answer>;

/** A disguised request, and the status with which every server responds. */
interface Row {
  readonly title: string;
  readonly ask: (tenant: Tenant) => Promise<Answer>;
  readonly want: number;
}

/** A user with all permissions in one namespace and none in others. */
interface Tenant {
  readonly namespace: string;
  /** Sends a request as the tenant. */
  readonly send: Send;
  readonly admin: Send;
  readonly anonymous: Send;
  /** A ConfigMap that belongs to the tenant. */
  readonly own: Obj;
}

/** Tests requests whose path, query, headers or body is formed to gain more than their user's permissions. */
export function disguises(subject: Subject): void {
  describe('AT-55 requests in disguise', () => {
    const ns = ownNamespace(subject, 'disguise');
    let tenant: Tenant;
    let mastersRequest: string;
    beforeAll(async () => {
      const user = unique('tenant');
      const meta = { metadata: { name: user } };
      await subject.admin.create(`${RBAC}/namespaces/${ns.name}/roles`, { ...meta, rules: [ALL_RIGHTS] });
      await subject.admin.create(`${RBAC}/namespaces/${ns.name}/rolebindings`, {
        ...meta,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: user },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
      });
      const api = await subject.as(user);
      await eventually(async () => expect((await api.get(ns.path('configmaps'))).status).toBe(200));
      tenant = {
        namespace: ns.name,
        send: (...request) => api.send(...request),
        admin: (...request) => subject.admin.send(...request),
        anonymous: (...request) => subject.anonymous().send(...request),
        own: await subject.admin.create(ns.path('configmaps'), { metadata: { name: 'own' }, data: { a: 'b' } }),
      };
      mastersRequest = await certificateRequest('/CN=x/O=system:masters');
    });

    it.each([...PATHS, ...HEADERS, ...BODIES])('$title: $want', async ({ ask, want }) => {
      const { status, text } = await ask(tenant);
      expect(`${status} ${text}`).toMatch(new RegExp(`^${want} `));
    });

    it('an Event is not about an object of another namespace', async () => {
      const about = (namespace: string): object => ({
        metadata: { name: unique('e') },
        involvedObject: { kind: 'ConfigMap', namespace, name: 'own' },
      });
      const { status, body } = await tenant.send('POST', ns.path('events'), about('kube-system'));
      expect([status, body.message]).toEqual([422, expect.stringContaining('involvedObject.namespace') as string]);
      expect((await tenant.send('POST', ns.path('events'), about(ns.name))).status).toBe(201);
    });

    it('no write forges what the server itself records about an object', async () => {
      const forged = { uid: 'forged', creationTimestamp: '2000-01-01T00:00:00Z', deletionTimestamp: '2000-01-01T00:00:00Z' };
      const { status, body } = await tenant.send('POST', ns.path('configmaps'), { metadata: { name: unique('c'), ...forged } });
      expect(status).toBe(201);
      for (const [field, value] of Object.entries(forged)) expect([field, body.metadata[field as 'uid']]).not.toEqual([field, value]);
    });

    it.each(['POST', 'PATCH'])('the requester of a certificate is the user, whatever a %s says', async (method) => {
      const name = unique('csr');
      const request = await certificateRequest('/CN=x');
      const spec = {
        request,
        signerName: 'example.com/any',
        usages: ['client auth'],
        username: 'system:admin',
        groups: ['system:masters'],
      };
      const body = { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata: { name }, spec };
      const path = method === 'POST' ? CSRS : `${CSRS}/${name}?fieldManager=m&force=true`;
      const headers = { 'impersonate-user': 'requester', ...(method === 'POST' ? {} : { 'content-type': patchTypes.apply }) };
      await grantRequests(subject);
      const answer = await eventually(async () => {
        const given = await subject.admin.send(method, path, body, headers);
        expect(given.status).toBe(201);
        return given;
      });
      expect(answer.body.spec).toMatchObject({ username: 'requester', groups: ['system:authenticated'] });
    });

    it.each(['/configmaps/kube-system/', '../kube-system/', 'kube-system/a', '/secrets/'])(
      'a forged continue token shows nothing of another namespace: %s',
      async (start) => {
        const token = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: -1, start })).toString('base64url');
        const { status, body } = await tenant.send('GET', `${ns.path('configmaps')}?limit=500&continue=${token}`);
        expect([200, 400]).toContain(status);
        expect((body.items ?? []).filter(({ metadata }) => metadata.namespace !== ns.name)).toEqual([]);
      },
    );

    it('a certificate request for system:masters is refused to administrators too', async () => {
      const spec = { request: mastersRequest, signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] };
      expect((await tenant.admin('POST', CSRS, { metadata: { name: unique('csr') }, spec })).status).toBe(403);
    });
  });
}

async function grantRequests({ admin }: Subject): Promise<void> {
  const name = unique('requests');
  const rules = [{ apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], verbs: ['create', 'patch'] }];
  await admin.create(`${RBAC}/clusterroles`, { metadata: { name }, rules });
  await admin.create(`${RBAC}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'requester' }],
  });
}

const get = (title: string, path: string, want: number): Row => ({ title, ask: ({ send }) => send('GET', path), want });

const PATHS: readonly Row[] = [
  get('a path that climbs out of an open one', '/openapi/v2/../../metrics', 403),
  get('a path that climbs to another kind', '/api/../api/v1/secrets', 403),
  get('a doubled slash', '//metrics', 403),
  get('an encoded letter', '/%6detrics', 403),
  get('the old path of watches', '/api/v1/watch/namespaces/kube-system/secrets?timeoutSeconds=1', 403),
  {
    title: 'an encoded slash that leaves the namespace',
    ask: ({ namespace, send }) => send('GET', `/api/v1/namespaces/${namespace}/configmaps%2F..%2F..%2Fkube-system%2Fsecrets`),
    want: 404,
  },
  {
    title: 'a namespace of another spelling',
    ask: ({ namespace, send }) => send('GET', `/api/v1/namespaces/${namespace.toUpperCase()}/configmaps`),
    want: 403,
  },
];

const asking = (title: string, headers: Headers, want: number, who: 'send' | 'admin' | 'anonymous' = 'send'): Row => ({
  title,
  ask: (tenant) => tenant[who]('GET', '/api/v1/namespaces', undefined, headers),
  want,
});

const HEADERS: readonly Row[] = [
  asking('a group without a user', { 'impersonate-group': 'system:masters' }, 400, 'admin'),
  asking('a uid without a user', { 'impersonate-uid': 'u' }, 400, 'admin'),
  asking('extra values without a user', { 'impersonate-extra-scopes': 'all' }, 400, 'admin'),
  asking('impersonation without the right', { 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' }, 403),
  asking('impersonation of a group in another spelling', { 'impersonate-user': 'x', 'impersonate-group': 'System:Masters' }, 403),
  asking('impersonation of an account of another namespace', { 'impersonate-user': 'system:serviceaccount:kube-system:default' }, 403),
  asking('names in headers of proxies', GATEKEEPER_HEADERS, 403, 'anonymous'),
  asking('another method and path in headers', { 'x-http-method-override': 'GET', 'x-original-url': '/version' }, 403, 'anonymous'),
  asking('a password', { authorization: 'Basic YWRtaW46YWRtaW4=' }, 403, 'anonymous'),
  asking('an empty token', { authorization: 'Bearer ' }, 403, 'anonymous'),
  asking('a token that is none', { authorization: 'Bearer a.b.c' }, 401, 'anonymous'),
];

const onOwn = (title: string, patch: unknown, want: number, type: keyof typeof patchTypes = 'json'): Row => ({
  title,
  ask: ({ namespace, send }) =>
    send('PATCH', `/api/v1/namespaces/${namespace}/configmaps/own`, patch, { 'content-type': patchTypes[type] }),
  want,
});

const BODIES: readonly Row[] = [
  onOwn('a patch of the name', [{ op: 'replace', path: '/metadata/name', value: 'other' }], 400),
  onOwn('a patch of the namespace', [{ op: 'replace', path: '/metadata/namespace', value: 'kube-system' }], 400),
  onOwn('a patch of the kind', [{ op: 'replace', path: '/kind', value: 'Secret' }], 422),
  onOwn('a patch that deletes the metadata', { metadata: { $patch: 'delete' } }, 400, 'strategic'),
  onOwn(
    'a patch of too many operations',
    Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/a', value: 'b' })),
    413,
  ),
  {
    title: 'a body of another namespace',
    ask: ({ namespace, send }) =>
      send('POST', `/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name: 'x', namespace: 'kube-system' } }),
    want: 400,
  },
  {
    title: 'a body of another name',
    ask: ({ namespace, own, send }) =>
      send('PUT', `/api/v1/namespaces/${namespace}/configmaps/own`, { ...own, metadata: { ...own.metadata, name: 'other' } }),
    want: 400,
  },
  {
    title: 'another uid',
    ask: ({ namespace, own, send }) =>
      send('PUT', `/api/v1/namespaces/${namespace}/configmaps/own`, { ...own, metadata: { ...own.metadata, uid: 'forged' } }),
    want: 409,
  },
  {
    title: 'a token for an account of another namespace',
    ask: ({ namespace, send }) =>
      send('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/default/token`, {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: { name: 'default', namespace: 'kube-system' },
        spec: {},
      }),
    want: 400,
  },
  {
    title: 'a field manager with a line break',
    ask: ({ namespace, send }) =>
      send('POST', `/api/v1/namespaces/${namespace}/configmaps?fieldManager=a%0Ab`, { metadata: { name: 'managed' } }),
    want: 422,
  },
  {
    title: 'a dry run of a role with more rights',
    ask: ({ send }) => send('POST', `${RBAC}/clusterroles?dryRun=All`, { metadata: { name: unique('r') }, rules: [ALL_RIGHTS] }),
    want: 403,
  },
  {
    title: 'a binding whose role is of another group',
    ask: ({ namespace, send }) =>
      send('POST', `${RBAC}/namespaces/${namespace}/rolebindings`, {
        metadata: { name: unique('r') },
        roleRef: { apiGroup: 'other.example.com', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [],
      }),
    want: 422,
  },
];
