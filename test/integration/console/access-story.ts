import {
  addOnRollouts,
  clusterManagementAddOns,
  clusterRoleBindings,
  decisionPolicies,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
  namespaces,
  roleBindings,
  rolloutApprovals,
  rolloutPolicies,
  serviceAccounts,
} from '@outrigger/api';
import { type Console, createConsole } from '@outrigger/console-server';
import { type FleetSnapshot, type StreamMessage, streamAddress } from '@outrigger/console-contract';
import { decodeFleet } from '@outrigger/console-contract/testing';
import { type JsonObject, type Kind, type KubeObject, isApiError } from '@outrigger/core';
import { type Client, createClient } from '@outrigger/kube';
import { createHttpTransport, createRealRuntime } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consoleRights } from './manifests.js';
import { rolesForPeople } from '../../../packages/cli/src/install/people.js';
import { consoleRules } from '../../../packages/cli/src/console/rules.js';
import { applyRight } from '../../../packages/cli/src/install/apply.js';
import { type TestServer, installKinds, recordedLogger } from '../../harness/index.js';
import { eventually } from '../../world/eventually.js';
import { withFasterClock } from '../../world/faster-clock.js';

const HOST = 'console.test';
const HOME = 'people';
const USERS = ['admin', 'viewer', 'owner', 'approver', 'nobody'] as const;
type User = (typeof USERS)[number];
/** A decision about the gate that holds the rollout of hello. */
const APPROVE = { action: 'decide', verb: 'approve', addOn: 'hello', entry: 'default/all', revision: 7, gate: 'careful/go' };
const OVERRIDE = { ...APPROVE, verb: 'override', gate: 'careful/freeze', comment: 'security fix' };
/** The console's clock runs 30 times as fast as real time. */
const SPEED = 30;

/** Defines the tests of the console on a hub with four users. The tests run on any API server. */
export function describeConsoleAccess(start: () => Promise<TestServer & { stop(): Promise<void> }>): void {
  let server: TestServer & { stop(): Promise<void> };
  let runtime: ReturnType<typeof createRealRuntime>;
  let admin: Client;
  let console_: Console;
  const tokens = new Map<User, string>();
  const closes: (() => Promise<void>)[] = [];

  const connect = (credentials: object): Client => {
    const transport = createHttpTransport({ server: server.url, ca: { data: server.caPem }, ...credentials }, runtime, { connections: 2 });
    closes.push(() => transport.close());
    return createClient({ transport, runtime });
  };
  const tokenOf = async (namespace: string, name: string, audiences?: readonly string[]): Promise<string> => {
    const request = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: { expirationSeconds: 3600, ...(audiences ? { audiences } : {}) },
    } as KubeObject;
    const made = await admin.createSubresource(serviceAccounts, { namespace, name }, 'token', request);
    return (made as unknown as { status: { token: string } }).status.token;
  };
  const create = (kind: Kind, fields: JsonObject): Promise<KubeObject> =>
    admin.create(kind, {
      apiVersion: kind.group === '' ? kind.version : `${kind.group}/${kind.version}`,
      kind: kind.kind,
      ...fields,
    } as unknown as KubeObject);
  const bind = (kind: Kind, role: string, name: string, namespace?: string): Promise<KubeObject> =>
    create(kind, {
      metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', namespace: HOME, name }],
    });

  const ask = async (
    user: User,
    url: string,
    more: Record<string, string> = {},
  ): Promise<{ status: number; body: Record<string, unknown>; text: string }> => {
    const answer = await console_.handle({
      method: 'GET',
      url,
      headers: { host: HOST, authorization: `Bearer ${tokens.get(user)}`, ...more },
      body: '',
    });
    const text = 'body' in answer ? String(answer.body) : '';
    return { status: answer.status, text, body: (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown> };
  };
  const act = async (user: User, action: object, query = ''): Promise<number> => {
    const headers = { host: HOST, authorization: `Bearer ${tokens.get(user)}`, 'x-outrigger-console': '1' };
    return (await console_.handle({ method: 'POST', url: `/api/actions${query}`, headers, body: JSON.stringify(action) })).status;
  };

  beforeAll(async () => {
    server = await start();
    const real = createRealRuntime({ log: recordedLogger() });
    runtime = real;
    admin = connect({ clientCertificate: { data: server.adminCertPem }, clientKey: { data: server.adminKeyPem } });
    await installKinds(server, admin, (what, condition) => eventually(runtime, what, condition));
    for (const name of [HOME, 'c1', 'c2', 'open-cluster-management-hub']) await create(namespaces, { metadata: { name } });
    for (const object of [...rolesForPeople(), ...consoleRights()]) await applyRight(admin, object);
    for (const name of USERS) await create(serviceAccounts, { metadata: { namespace: HOME, name } });
    await bind(clusterRoleBindings, 'cluster-admin', 'admin');
    await bind(clusterRoleBindings, 'outrigger:viewer', 'viewer');
    await bind(roleBindings, 'outrigger:cluster-owner', 'owner', 'c1');
    await bind(clusterRoleBindings, 'outrigger:rollout-approver', 'approver');
    for (const object of decisionPolicies()) await applyRight(admin, object);
    await create(clusterManagementAddOns, { metadata: { name: 'hello' }, spec: { addOnMeta: { displayName: '<b>Hello</b>' } } });
    await create(addOnRollouts, { metadata: { name: 'hello' } });
    await create(rolloutPolicies, { metadata: { name: 'careful' }, spec: { addOns: { names: ['hello'] } } });
    const waitingFor = [
      { kind: 'Approval', name: 'careful/go', message: 'needs 1 approval before the rollout', clusters: 2 },
      { kind: 'Window', name: 'careful/freeze', message: 'closed for 2 clusters', clusters: 2 },
    ];
    const status = { formatVersion: 1, entries: [{ name: 'default/all', targetRevision: 7, selected: 2, waitingFor }] };
    await admin.patch(addOnRollouts, { name: 'hello' }, { type: 'merge', patch: { status } }, { subresource: 'status' });
    for (const name of ['c1', 'c2']) {
      await create(managedClusters, { metadata: { name, labels: { secret: `label-of-${name}` } }, spec: { hubAcceptsClient: true } });
      await create(managedClusterAddOns, { metadata: { namespace: name, name: 'hello' }, spec: {} });
      await create(manifestWorks, {
        metadata: { namespace: name, name: 'work', labels: { 'open-cluster-management.io/addon-name': 'hello' } },
        spec: {
          workload: {
            manifests: [
              { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'x' }, stringData: { password: 'opensesame' } },
            ],
          },
        },
      });
    }
    for (const name of USERS) tokens.set(name, await tokenOf(HOME, name));
    // A controller fills in the rules of the users' aggregated roles.
    const viewer = connect({ token: tokens.get('viewer') });
    await eventually(runtime, 'the roles have rules', async () => {
      const listed = await viewer.list(managedClusterAddOns).catch((error: unknown) => {
        if (isApiError(error, 'Forbidden')) return undefined;
        throw error;
      });
      return listed?.items.length === 2 ? true : undefined;
    });
    console_ = createConsole({
      runtime: withFasterClock(real, SPEED),
      client: connect({ token: await tokenOf('open-cluster-management-hub', 'outrigger-console') }),
      rules: consoleRules,
      assets: new Map(),
      hubName: 'hub',
      version: '0',
      users: { mode: 'hub', clientFor: (token) => ({ client: connect({ token }), close: async () => undefined }) },
    });
    console_.setHosts([HOST]);
    await eventually(runtime, 'the console has read the fleet', async () => (console_.isReady ? true : undefined));
  });

  afterAll(async () => {
    await console_?.stop();
    for (const close of closes) await close();
    runtime.scope.close();
    await server.stop();
  });

  describe(`the console's users`, () => {
    it.each(['', 'Bearer', 'Bearer ', 'Bearer not-a-token', 'Bearer a b', 'Basic YTpi', 'bearer\u0000x', 'Bearer ${jndi}'])(
      'a request with the header Authorization: %j gets 401, also with a valid cookie',
      async (authorization) => {
        const signedIn = await console_.handle({
          method: 'POST',
          url: '/api/session',
          headers: { host: HOST, 'x-outrigger-console': '1' },
          body: JSON.stringify({ token: tokens.get('admin') }),
        });
        const cookie = signedIn.headers['set-cookie'] ?? '';
        expect(cookie).toMatch(/^__Host-outrigger=[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
        const value = cookie.split(';')[0] ?? '';
        const get = { method: 'GET', url: '/api/fleet', body: '' };
        expect((await console_.handle({ ...get, headers: { host: HOST, cookie: value } })).status).toBe(200);
        expect((await console_.handle({ ...get, headers: { host: HOST, cookie: value, authorization } })).status).toBe(401);
      },
    );

    it.each(['x-forwarded-user', 'x-remote-user', 'x-auth-request-user', 'impersonate-user'])(
      'AT-18 a user name in %s without a token is refused',
      async (name) => {
        const answer = await console_.handle({ method: 'GET', url: '/api/fleet', headers: { host: HOST, [name]: 'admin' }, body: '' });
        expect(answer.status).toBe(401);
      },
    );

    it.each(['', 'x', 'undefined', 'a'.repeat(20_000), 'line\nbreak'])('AT-18 the token %j does not sign in', async (token) => {
      const headers = { host: HOST, 'x-outrigger-console': '1' };
      const answer = await console_.handle({ method: 'POST', url: '/api/session', headers, body: JSON.stringify({ token }) });
      expect(answer.status).toBe(401);
      expect(answer.headers['set-cookie']).toBeUndefined();
    });

    it('AT-18 a token that was changed in any part, that is for another audience or whose account is gone does not sign in', async () => {
      const [head = '', payload = '', signature = ''] = (tokens.get('viewer') ?? '').split('.');
      const [, ofAdmin = ''] = (tokens.get('admin') ?? '').split('.');
      const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
      await create(serviceAccounts, { metadata: { namespace: HOME, name: 'leaver' } });
      const left = await tokenOf(HOME, 'leaver');
      await admin.delete(serviceAccounts, { namespace: HOME, name: 'leaver' });
      const forged: Readonly<Record<string, string>> = {
        'the payload of another user': [head, ofAdmin, signature].join('.'),
        'no signature': [head, ofAdmin, ''].join('.'),
        'no algorithm': [encoded({ alg: 'none', typ: 'JWT' }), ofAdmin, ''].join('.'),
        'a symmetric algorithm': [encoded({ alg: 'HS256', typ: 'JWT' }), ofAdmin, signature].join('.'),
        'a signature with one other character': [head, payload, `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`].join('.'),
        'another audience': await tokenOf(HOME, 'viewer', ['somewhere-else']),
        'an account that is gone': left,
      };
      const get = { method: 'GET', url: '/api/fleet', body: '' };
      for (const [name, token] of Object.entries(forged)) {
        // A real API server may cache a valid token for some seconds.
        await eventually(runtime, `${name}: refused`, async () => {
          const asked = await console_.handle({ ...get, headers: { host: HOST, authorization: `Bearer ${token}` } });
          const headers = { host: HOST, 'x-outrigger-console': '1' };
          const opened = await console_.handle({ method: 'POST', url: '/api/session', headers, body: JSON.stringify({ token }) });
          expect({ name, asked: asked.status, opened: opened.status }).toEqual({ name, asked: 401, opened: 401 });
          return true;
        });
      }
      const genuine = { ...get, headers: { host: HOST, authorization: `Bearer ${[head, payload, signature].join('.')}` } };
      expect((await console_.handle(genuine)).status).toBe(200);
    });
  });

  describe('the view of each user', () => {
    it.each([
      ['admin', ['c1', 'c2'], 2, 2],
      ['viewer', ['c1', 'c2'], 2, 2],
      ['approver', ['c1', 'c2'], 2, 2],
      ['owner', ['c1'], 1, 1],
      ['nobody', [], 0, 0],
    ] as const)('%s sees the clusters %j, and totals count only them', async (user, clusters, cells, total) => {
      const fleet = decodeFleet((await ask(user, '/api/fleet')).body as unknown as FleetSnapshot);
      expect([...fleet.rows.keys()]).toEqual(clusters);
      expect([...fleet.rows.values()].reduce((sum, row) => sum + row.cells.size, 0)).toBe(cells);
      const { data } = (await ask(user, '/api/summary')).body as {
        data: { clusters: Record<string, number>; cells: Record<string, number> };
      };
      expect(Object.values(data.clusters).reduce((sum, one) => sum + one, 0)).toBe(total);
      expect(Object.values(data.cells).reduce((sum, one) => sum + one, 0)).toBe(cells);
    });

    it('the owner of a cluster learns nothing about another', async () => {
      const urls = ['/api/fleet', '/api/summary', '/api/activity', '/api/clusters/c1', '/api/clusters/c1/addons/hello'];
      for (const url of urls) {
        const { status, text } = await ask('owner', url);
        expect([url, status]).toEqual([url, 200]);
        expect(text).not.toMatch(/\bc2\b|label-of/);
      }
      for (const url of ['/api/clusters/c2', '/api/clusters/c2/addons/hello', '/api/addons/hello', '/api/addons/hello/rollout'])
        expect([url, (await ask('owner', url)).status]).toEqual([url, 403]);
      // The response does not reveal whether a cluster exists.
      expect((await ask('owner', '/api/clusters/zz')).text.replaceAll('zz', 'c2')).toBe((await ask('owner', '/api/clusters/c2')).text);
    });

    it('a user without rights gets 403 from every page of an object', async () => {
      const object = '/api/object?group=cluster.open-cluster-management.io&version=v1&resource=managedclusters&name=c1';
      const pages = ['/api/clusters/c1', '/api/clusters/c1/addons/hello', '/api/addons/hello', object];
      const ofRollout = ['/api/addons/hello/rollout', '/api/addons/hello/plan?revision=1', '/api/addons/hello/records/r'];
      for (const url of [...pages, ...ofRollout]) expect([url, (await ask('nobody', url)).status]).toEqual([url, 403]);
    });

    it('manifests need their own right, and Secrets are masked for everyone', async () => {
      expect((await ask('viewer', '/api/clusters/c1/addons/hello')).body['data']).not.toHaveProperty('works');
      for (const user of ['admin', 'owner'] as const) {
        const { text, body } = await ask(user, '/api/clusters/c1/addons/hello');
        expect(body['data']).toHaveProperty('works.0.manifests.0.kind', 'Secret');
        expect(text).not.toContain('opensesame');
        const yaml = await ask(
          user,
          '/api/object?group=work.open-cluster-management.io&version=v1&resource=manifestworks&namespace=c1&name=work',
        );
        expect(yaml.status).toBe(200);
        expect(yaml.text).not.toContain('opensesame');
      }
    });
  });

  describe('actions', () => {
    it('AT-19 of a user who may only read are refused by the API server', async () => {
      for (const user of ['viewer', 'owner', 'approver', 'nobody'] as const) {
        for (const action of ['pause', 'resume', 'follow', 'pause-all', 'resume-all'])
          expect([user, action, await act(user, { action, addOn: 'hello' })]).toEqual([user, action, 403]);
      }
      expect((await admin.get(addOnRollouts, { name: 'hello' })).spec?.paused).toBeUndefined();
    });

    it.each([
      ['admin', true, true],
      ['viewer', false, false],
      ['approver', false, true],
      ['owner', false, false],
      ['nobody', false, false],
    ] as const)('%s is offered steering: %s, decisions: %s', async (user, maySteer, mayDecide) => {
      expect((await ask(user, '/api/session')).body).toMatchObject({ mayChangeRollouts: maySteer, mayDecide });
      const { status, text } = await ask(user, '/api/addons/hello/rollout');
      expect([/"action":"pause"/.test(text), /"action":"decide"/.test(text)]).toEqual([maySteer, status === 200 && mayDecide]);
    });

    it('AT-19 decisions are written as the user, for users to whom the policy grants them', async () => {
      // A real API server needs some time to apply new admission policies.
      await eventually(runtime, 'the policies of admission are in force', async () =>
        (await act('approver', OVERRIDE, '?dryRun=true')) === 403 ? true : undefined,
      );
      for (const user of ['viewer', 'owner', 'nobody'] as const) expect([user, await act(user, APPROVE)]).toEqual([user, 403]);
      expect(await act('approver', OVERRIDE)).toBe(403);
      expect(await act('approver', { ...APPROVE, revision: 6 })).toBe(409);
      expect(await act('approver', { ...APPROVE, verb: 'retry' })).toBe(409);
      expect(await act('approver', { ...APPROVE, group: 'production' })).toBe(409);
      expect(await act('approver', APPROVE, '?dryRun=true')).toBe(200);
      expect((await admin.list(rolloutApprovals)).items).toEqual([]);
      expect(await act('approver', { ...APPROVE, comment: 'tested' })).toBe(200);
      expect(await act('admin', { ...OVERRIDE, hours: 2 })).toBe(200);
      const made = (await admin.list(rolloutApprovals)).items;
      expect(made.map(({ spec: { by, decision, comment } }) => `${by} ${decision}: ${comment}`).sort()).toEqual([
        `system:serviceaccount:${HOME}:admin Overridden: security fix`,
        `system:serviceaccount:${HOME}:approver Approved: tested`,
      ]);
      expect(made.every(({ metadata }) => metadata.ownerReferences?.[0]?.name === 'hello')).toBe(true);
      await eventually(runtime, 'the activity has the decisions', async () =>
        /GateApproved.*tested/.test((await ask('viewer', '/api/activity')).text) ? true : undefined,
      );
      expect((await ask('owner', '/api/activity')).text).not.toContain('GateApproved');
    });

    it('of an administrator are written as that user', async () => {
      expect(await act('admin', { action: 'pause', addOn: 'hello' })).toBe(200);
      const paused = await admin.get(addOnRollouts, { name: 'hello' });
      expect(paused.spec?.paused).toBe(true);
      // The console's own account may not write (deploy.test.ts), so this write used the user's token.
      expect(await act('admin', { action: 'resume', addOn: 'hello' })).toBe(200);
      expect((await admin.get(addOnRollouts, { name: 'hello' })).spec?.paused).toBeUndefined();
      expect(await act('admin', { action: 'roll-back', addOn: 'hello', revision: 9 })).toBe(409);
      expect(await act('admin', { action: 'confirm-removal', addOn: 'hello', count: 3 })).toBe(409);
    });
  });

  it('AT-45 a user who opens streams without end is stopped, and others are not', async () => {
    const open = async (user: User) =>
      console_.handle({
        method: 'GET',
        url: '/api/stream?view=/api/fleet',
        headers: { host: HOST, authorization: `Bearer ${tokens.get(user)}` },
        body: '',
      });
    const sink = { send: () => undefined, isBusy: false, close: () => undefined };
    const stops: (() => void)[] = [];
    for (;;) {
      const answer = await open('nobody');
      if (!('stream' in answer)) {
        expect(answer.status).toBe(503);
        break;
      }
      stops.push(answer.stream(sink));
      expect(stops.length).toBeLessThanOrEqual(50);
    }
    expect((await open('viewer')).status).toBe(200);
    for (const stop of stops) stop();
    expect((await open('nobody')).status).toBe(200);
  });

  it('a stream sends a change within a second, and ends when the token does', async () => {
    const messages: StreamMessage[] = [];
    const { body } = await ask('viewer', '/api/fleet');
    const { epoch, sequence } = body as unknown as FleetSnapshot;
    const url = streamAddress([
      { request: { view: 'fleet' }, since: { epoch, sequence } },
      { request: { view: 'add-on', addOn: 'nothing' }, since: { epoch, sequence } },
    ]);
    const answer = await console_.handle({
      method: 'GET',
      url,
      headers: { host: HOST, authorization: `Bearer ${tokens.get('viewer')}` },
      body: '',
    });
    let isClosed = false;
    if (!('stream' in answer)) throw new Error(`no stream: ${answer.status}`);
    const stop = answer.stream({
      send: (data) => void messages.push(JSON.parse(data) as StreamMessage),
      isBusy: false,
      close: () => void (isClosed = true),
    });
    try {
      await create(managedClusters, { metadata: { name: 'c3' }, spec: { hubAcceptsClient: true } });
      await eventually(runtime, 'the new cluster arrives', async () =>
        messages.some((one) => one.type === 'fleet' && one.delta.rows.some(({ cluster }) => cluster === 'c3')) ? true : undefined,
      );
      expect(messages.some((one) => one.type === 'error' && one.view === '/api/addons/nothing' && one.error.code === 'not-found')).toBe(
        true,
      );
      await admin.delete(serviceAccounts, { namespace: HOME, name: 'viewer' });
      await eventually(runtime, 'the stream ends', async () => (isClosed ? true : undefined));
      expect(messages.at(-1)).toMatchObject({ type: 'end', reason: 'token-ended' });
      expect((await ask('viewer', '/api/fleet')).status).toBe(401);
    } finally {
      stop();
    }
  });
}
