import { X509Certificate } from 'node:crypto';
import type { KubeObject } from '@outrigger/core';
import { createCsr } from '@outrigger/core/x509';
import { createRealRuntime } from '@outrigger/kube/node';
import { createVirtualRuntime, Simulator } from '@outrigger/kube/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Role } from './authz/policy.js';
import { startVirtualPlane, type VirtualPlane } from './fixtures.js';
import type { Identity } from './handle/contract.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ann: Identity = { user: 'ann', groups: ['system:authenticated'] };
const anonymous: Identity = { user: 'system:anonymous', groups: ['system:unauthenticated'] };
const namespace = (name: string): unknown => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
const configMap = (name: string, more: object = {}): unknown => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...more } });

let server: VirtualPlane;
beforeAll(async () => {
  const simulator = new Simulator({ seed: 'x' });
  server = await startVirtualPlane(simulator, createVirtualRuntime(simulator, 'server'));
});

describe('a new server', () => {
  it('has its namespaces, each with an account and the authority', async () => {
    await server.advance(1000);
    expect(await server.names('/api/v1/namespaces')).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system']);
    expect(await server.names('/api/v1/serviceaccounts')).toEqual(['default', 'default', 'default', 'default']);
    const map = await server.send<KubeObject & { data: Record<string, string> }>(
      'GET',
      '/api/v1/namespaces/default/configmaps/kube-root-ca.crt',
    );
    expect(map.data['ca.crt']).toBe(server.plane.authority);
  });

  it('puts them back when they are deleted or changed', async () => {
    await server.send('DELETE', '/api/v1/namespaces/default/serviceaccounts/default');
    await server.send('PATCH', '/api/v1/namespaces/default/configmaps/kube-root-ca.crt', { data: { 'ca.crt': 'x' } });
    await server.advance(1000);
    expect(await server.names('/api/v1/namespaces/default/serviceaccounts')).toEqual(['default']);
    const map = await server.send<KubeObject & { data: Record<string, string> }>(
      'GET',
      '/api/v1/namespaces/default/configmaps/kube-root-ca.crt',
    );
    expect(map.data['ca.crt']).toBe(server.plane.authority);
  });

  it('answers anonymous requests for health and version, and refuses all others', async () => {
    expect(await server.attempt('GET', '/healthz', undefined, anonymous)).toBe('ok');
    expect(await server.attempt('GET', '/version', undefined, anonymous)).toBe('ok');
    expect(await server.attempt('GET', '/apis', undefined, anonymous)).toBe('forbidden: User "system:anonymous" cannot get path "/apis"');
    expect(await server.attempt('GET', '/api/v1/secrets', undefined, anonymous)).toBe(
      'secrets is forbidden: User "system:anonymous" cannot list resource "secrets" in API group "" at the cluster scope',
    );
  });

  it('aggregates admin, edit and view, and follows new parts of them', async () => {
    const part = { verbs: ['get'], apiGroups: ['example.com'], resources: ['widgets'] };
    const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
    await server.send('POST', `${RBAC}/clusterroles`, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'more', labels },
      rules: [part],
    });
    await server.advance(1000);
    for (const name of ['view', 'edit', 'admin'])
      expect((await server.send<Role>('GET', `${RBAC}/clusterroles/${name}`)).rules).toContainEqual(part);
    await server.send('DELETE', `${RBAC}/clusterroles/more`);
    await server.advance(1000);
    expect((await server.send<Role>('GET', `${RBAC}/clusterroles/admin`)).rules).not.toContainEqual(part);
  });
});

describe('rights', () => {
  it('take effect with the write that grants them, and end with the one that takes them away', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    expect(await server.attempt('GET', path, undefined, ann)).toContain('is forbidden');
    const subjects = [{ kind: 'User', name: 'ann', apiGroup: 'rbac.authorization.k8s.io' }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
    const binding = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { name: 'ann' }, roleRef, subjects };
    await server.send('POST', `${RBAC}/namespaces/default/rolebindings`, binding);
    expect(await server.attempt('GET', path, undefined, ann)).toBe('ok');
    await server.send('DELETE', `${RBAC}/namespaces/default/rolebindings/ann`);
    expect(await server.attempt('GET', path, undefined, ann)).toContain('is forbidden');
  });

  it('can be asked about', async () => {
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user: 'ann', resourceAttributes: { verb: 'get', resource: 'pods' } },
    };
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
    expect(await server.send('POST', path, review)).toMatchObject({ status: { allowed: false } });
    const asMaster = { ...review, spec: { ...review.spec, groups: ['system:masters'] } };
    expect(await server.send('POST', path, asMaster)).toMatchObject({ status: { allowed: true } });
    expect(await server.attempt('POST', path, { ...review, spec: { user: 'ann' } })).toContain(
      'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    );
    expect(await server.attempt('POST', path, review, ann)).toContain('cannot create resource "subjectaccessreviews"');
    const self = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const who = await server.send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', self, ann);
    expect(who).toMatchObject({ status: { userInfo: { username: 'ann', groups: ['system:authenticated'] } } });
  });
});

describe('a transport that impersonates', () => {
  const runner = 'system:serviceaccount:default:runner';
  const grant = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'more' } };
  const tryRole = async (identity: Identity | undefined, rules: readonly object[]): Promise<unknown> => {
    const request = {
      method: 'POST',
      path: `${RBAC}/namespaces/default/roles`,
      query: { dryRun: 'All' },
      headers: { 'content-type': 'application/json', 'impersonate-user': runner },
      body: { ...grant, rules } as unknown as KubeObject,
    } as const;
    return (await server.plane.transport(identity).send(request)).body;
  };

  it('has the rights of the impersonated user, and no others', async () => {
    const own = [{ verbs: ['create'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'] }];
    await server.send('POST', `${RBAC}/namespaces/default/roles`, { ...grant, metadata: { name: 'runner' }, rules: own });
    await server.send('POST', `${RBAC}/namespaces/default/rolebindings`, {
      ...grant,
      kind: 'RoleBinding',
      metadata: { name: 'runner' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'runner' },
      subjects: [{ kind: 'ServiceAccount', name: 'runner', namespace: 'default' }],
    });
    expect(await tryRole(undefined, own)).toMatchObject({ kind: 'Role', rules: own });
    expect(await tryRole(undefined, [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }])).toMatchObject({
      code: 403,
      message: expect.stringContaining('is attempting to grant RBAC permissions not currently held') as string,
    });
    expect(await tryRole(ann, own)).toMatchObject({ code: 403, message: expect.stringContaining('cannot impersonate') as string });
  });
});

describe('namespaces', () => {
  it('are emptied before they are deleted', async () => {
    await server.send('POST', '/api/v1/namespaces', namespace('going'));
    await server.send('POST', '/api/v1/namespaces/going/configmaps', configMap('held', { finalizers: ['example.com/hold'] }));
    await server.send('POST', '/api/v1/namespaces/going/configmaps', configMap('free'));
    await server.send('DELETE', '/api/v1/namespaces/going');
    await server.advance(1000);
    expect(await server.names('/api/v1/namespaces/going/configmaps')).toEqual(['held']);
    expect(await server.attempt('POST', '/api/v1/namespaces/going/configmaps', configMap('late'))).toContain(
      'because it is being terminated',
    );
    await server.send('PATCH', '/api/v1/namespaces/going/configmaps/held', { metadata: { finalizers: null } });
    await server.advance(1000);
    expect(await server.names('/api/v1/namespaces')).not.toContain('going');
  });

  it.each(['default', 'kube-system', 'kube-public'])('%s stays', async (name) => {
    expect(await server.attempt('DELETE', `/api/v1/namespaces/${name}`)).toBe(
      `namespaces "${name}" is forbidden: this namespace may not be deleted`,
    );
  });
});

describe('certificates', () => {
  const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  const { keys } = createRealRuntime();
  async function request(name: string, organizations: string[], more: object = {}): Promise<unknown> {
    const pem = await createCsr(keys, { keyPair: await keys.generate('P-256'), commonName: 'carl', organizations });
    const spec = {
      request: Buffer.from(pem).toString('base64'),
      signerName: 'kubernetes.io/kube-apiserver-client',
      usages: ['client auth', 'digital signature'],
      expirationSeconds: 3600,
      ...more,
    };
    return { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata: { name }, spec };
  }
  type Request = KubeObject & { status: { certificate?: string; conditions?: { type: string; message: string }[] } };
  const approved = { status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Test', message: 'yes' }] } };
  const decide = (name: string, identity?: Identity): Promise<string> =>
    server.attempt('PATCH', `${path}/${name}/approval`, approved, identity);

  it('are issued after the approval, for the requested subject and lifetime', async () => {
    await server.send('POST', path, await request('good', ['crew']));
    await server.advance(1000);
    expect((await server.send<Request>('GET', `${path}/good`)).status.certificate).toBeUndefined();
    expect(await decide('good')).toBe('ok');
    await server.advance(1000);
    const { status } = await server.send<Request>('GET', `${path}/good`);
    const certificate = new X509Certificate(Buffer.from(status.certificate ?? '', 'base64'));
    expect(certificate.verify(new X509Certificate(server.plane.authority).publicKey)).toBe(true);
    expect(certificate.subject).toBe('O=crew\nCN=carl');
    expect(certificate.ca).toBe(false);
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    const lifetime = Date.parse(certificate.validTo) - Date.parse(certificate.validFrom);
    expect(lifetime).toBe((3600 + 300) * 1000);
  });

  it('of another use than for clients fail', async () => {
    await server.send('POST', path, await request('server', [], { usages: ['server auth'] }));
    await decide('server');
    await server.advance(1000);
    const { status } = await server.send<Request>('GET', `${path}/server`);
    expect(status.certificate).toBeUndefined();
    expect(status.conditions?.find(({ type }) => type === 'Failed')?.message).toBe('invalid usage for client certificate: server auth');
  });

  it('for system:masters are rejected', async () => {
    expect(await server.attempt('POST', path, await request('root', ['system:masters']))).toContain(
      'use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    );
  });

  it('are approved only by users with the right to approve for that signer', async () => {
    await server.send('POST', path, await request('asked', []));
    const rule = {
      verbs: ['update', 'patch', 'get'],
      apiGroups: ['certificates.k8s.io'],
      resources: ['certificatesigningrequests', 'certificatesigningrequests/approval'],
    };
    const mayApprove = {
      verbs: ['approve'],
      apiGroups: ['certificates.k8s.io'],
      resources: ['signers'],
      resourceNames: ['kubernetes.io/*'],
    };
    const role = (rules: unknown[]): unknown => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'approver' },
      rules,
    });
    const subjects = [{ kind: 'User', name: 'ann', apiGroup: 'rbac.authorization.k8s.io' }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'approver' };
    await server.send('POST', `${RBAC}/clusterroles`, role([rule]));
    await server.send('POST', `${RBAC}/clusterrolebindings`, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'ann' },
      roleRef,
      subjects,
    });
    expect(await decide('asked', ann)).toContain(
      'user not permitted to approve requests with signerName "kubernetes.io/kube-apiserver-client"',
    );
    await server.send('PUT', `${RBAC}/clusterroles/approver`, role([rule, mayApprove]));
    expect(await decide('asked', ann)).toBe('ok');
  });

  it('are forgotten an hour after they were issued', async () => {
    await server.advance(3_700_000);
    expect(await server.names(path)).toEqual([]);
  });
});

describe('events', () => {
  it('expire an hour after they were last written', async () => {
    const path = '/api/v1/namespaces/default/events';
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
      reason: 'X',
      type: 'Normal',
    };
    await server.send('POST', path, event);
    await server.advance(3_000_000);
    await server.send('PATCH', `${path}/e`, { count: 2 });
    await server.advance(3_000_000);
    expect(await server.names(path)).toEqual(['e']);
    await server.advance(700_000);
    expect(await server.names(path)).toEqual([]);
  });
});

describe('virtual time', () => {
  it('makes one seed run twice give one history', async () => {
    const history = async (): Promise<string> => {
      const simulator = new Simulator({ seed: 'again' });
      const twin = await startVirtualPlane(simulator, createVirtualRuntime(simulator, 'server'), { simulateWorkloads: { pods: true } });
      await twin.send('POST', '/api/v1/namespaces', namespace('a'));
      const spec = {
        replicas: 2,
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      };
      await twin.send('POST', '/apis/apps/v1/namespaces/a/deployments', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        spec,
      });
      await twin.advance(10_000);
      await twin.send('DELETE', '/api/v1/namespaces/a');
      await twin.advance(10_000);
      expect(await twin.names('/api/v1/namespaces')).not.toContain('a');
      return JSON.stringify([...twin.plane.store.since(1)]);
    };
    expect(await history()).toBe(await history());
  });
});
