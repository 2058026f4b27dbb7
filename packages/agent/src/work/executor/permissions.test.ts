import { ApiError, type ApiRequest, type KubeObject } from '@outrigger/core';
import { type Client, createClient } from '@outrigger/kube';
import { Simulator, createVirtualRuntime } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { CLUSTER_ROLES, object, ref } from '../fixtures.js';
import { type PermissionCheck, checksWriter, refusalMessage, verbsFor } from './check.js';
import { Permissions } from './permissions.js';

const executor = { subject: { type: 'ServiceAccount', serviceAccount: { namespace: 'ns', name: 'sa' } } } as const;
const check: PermissionCheck = { owner: 'work/w', generation: 1, executor, ref: ref('a'), verbs: ['get', 'create'] };

interface Review {
  readonly spec: { readonly user: string; readonly groups: readonly string[]; readonly resourceAttributes: Record<string, string> };
}

/** Returns a server that responds to reviews and dry runs with `answer`, and records the requests. */
function asking(answer: (request: ApiRequest) => unknown): { permissions: Permissions; requests: ApiRequest[]; at: (ms: number) => void } {
  const requests: ApiRequest[] = [];
  let now = 0;
  const runtime = createVirtualRuntime(new Simulator({ seed: 1 }), 'agent');
  const client: Client = createClient({
    runtime,
    limits: { retries: 0 },
    transport: {
      close: async () => undefined,
      async send(request) {
        requests.push(request);
        try {
          return { status: 201, headers: {}, body: answer(request) };
        } catch (error) {
          const refusal = error as ApiError;
          return { status: refusal.code, headers: {}, body: refusal.toStatus() };
        }
      },
    },
  });
  return { requests, permissions: new Permissions(client, { now: () => now, monotonic: () => now }), at: (ms) => void (now = ms) };
}

const isReview = ({ path }: ApiRequest): boolean => path.endsWith('/subjectaccessreviews');
const isWhoAmI = ({ path }: ApiRequest): boolean => path.endsWith('/selfsubjectreviews');
const verbOf = ({ body }: ApiRequest): string => (body as unknown as Review).spec.resourceAttributes['verb'] ?? '';
const never = new AbortController().signal;

describe('the rights of an executor', () => {
  it('are asked for verb by verb, as the ServiceAccount it names', async () => {
    const { permissions, requests } = asking(() => ({ status: { allowed: true } }));
    expect(permissions.get(check)).toBeUndefined();
    await permissions.ask([check], never);
    expect(permissions.get(check)).toEqual({ type: 'allowed' });
    expect(requests.map(verbOf)).toEqual(['get', 'create']);
    expect(requests.map(({ body }) => (body as unknown as Review).spec)[0]).toEqual({
      user: 'system:serviceaccount:ns:sa',
      groups: ['system:serviceaccounts', 'system:authenticated', 'system:serviceaccounts:ns'],
      resourceAttributes: { verb: 'get', group: '', version: 'v1', resource: 'configmaps', name: 'a', namespace: 'ns' },
    });
  });

  it('one denial is enough', async () => {
    const { permissions } = asking((request) => ({ status: { allowed: verbOf(request) === 'get' } }));
    await permissions.ask([check], never);
    expect(permissions.get(check)).toEqual({ type: 'denied', askAgainAt: 2_000 });
    expect(permissions.get({ ...check, verbs: ['get'] })).toEqual({ type: 'allowed' });
  });

  it('are cached for ten seconds, by object, verb and version of the work', async () => {
    const { permissions, at } = asking(() => ({ status: { allowed: true } }));
    await permissions.ask([check], never);
    expect(permissions.get({ ...check, ref: ref('b') })).toBeUndefined();
    expect(permissions.get({ ...check, verbs: ['delete'] })).toBeUndefined();
    expect(permissions.get({ ...check, generation: 2 })).toBeUndefined();
    expect(permissions.get({ ...check, owner: 'work/other' })).toBeUndefined();
    at(9_999);
    expect(permissions.get(check)).toEqual({ type: 'allowed' });
    at(10_000);
    expect(permissions.get(check)).toBeUndefined();
  });

  it('that are refused are asked for again after two seconds, then ever later, at most after a minute', async () => {
    const { permissions, at } = asking(() => ({ status: { allowed: false } }));
    const waits: number[] = [];
    for (let now = 0, asked = 0; asked < 8; asked++) {
      at(now);
      await permissions.ask([check], never);
      const permission = permissions.get(check);
      const askAgainAt = permission?.type === 'denied' ? permission.askAgainAt : now;
      waits.push(askAgainAt - now);
      now = askAgainAt;
    }
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('are forgotten when roles or bindings change, and those that were refused something are named', async () => {
    const { permissions } = asking((request) => ({ status: { allowed: verbOf(request) === 'get' } }));
    await permissions.ask([check, { ...check, owner: 'work/reader', verbs: ['get'] }], never);
    expect([...permissions.rightsChanged()]).toEqual(['work/w']);
    expect(permissions.get(check)).toBeUndefined();
    expect([...permissions.rightsChanged()]).toEqual([]);
  });

  it('do not exist for an executor without a name', async () => {
    const { permissions, requests } = asking(() => ({ status: { allowed: true } }));
    const unnamed: PermissionCheck = { ...check, executor: { subject: { type: 'ServiceAccount' } } };
    await permissions.ask([unnamed], never);
    expect([permissions.get(unnamed)?.type, requests.length]).toEqual(['denied', 0]);
  });

  it('are unknown if the agent may not ask', async () => {
    const { permissions } = asking(() => {
      throw new ApiError('Forbidden', 'you may not ask');
    });
    await permissions.ask([check], never);
    expect(permissions.get(check)).toMatchObject({ type: 'unclear', error: 'you may not ask' });
  });
});

describe('roles and bindings', () => {
  const role: KubeObject = { ...object('r'), apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' };
  const granting: PermissionCheck = {
    owner: 'work/w',
    generation: 1,
    executor,
    ref: ref('r', CLUSTER_ROLES),
    verbs: ['create'],
    grants: role,
  };
  it.each([
    { name: 'the server would take it', refusal: undefined, want: 'allowed' },
    { name: 'it exists already', refusal: new ApiError('AlreadyExists', 'there'), want: 'allowed' },
    { name: 'the manifest grants more than the executor has', refusal: new ApiError('Forbidden', 'escalation'), want: 'escalation' },
  ])('$name: $want', async ({ refusal, want }) => {
    const { permissions, requests } = asking((request) => {
      if (isReview(request)) return { status: { allowed: true } };
      if (isWhoAmI(request)) return { status: { userInfo: { username: request.headers?.['impersonate-user'] } } };
      if (refusal) throw refusal;
      return role;
    });
    await permissions.ask([granting], never);
    expect(permissions.get(granting)?.type).toBe(want);
    const dryRun = requests.find((request) => !isReview(request) && !isWhoAmI(request));
    expect([dryRun?.path, dryRun?.query, dryRun?.headers?.['impersonate-user']]).toEqual([
      '/apis/rbac.authorization.k8s.io/v1/clusterroles',
      { dryRun: 'All' },
      'system:serviceaccount:ns:sa',
    ]);
  });
});

describe('a policy', () => {
  const POLICIES = {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind: 'ValidatingAdmissionPolicy',
    plural: 'validatingadmissionpolicies',
    namespaced: false,
  };
  const policy: KubeObject = { ...object('p'), apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy' };
  const writing: PermissionCheck = { owner: 'work/w', generation: 1, executor, ref: ref('p', POLICIES), verbs: ['create'], grants: policy };
  it('whose parameters the executor may not read is refused with the reason of the server', async () => {
    const why = 'spec.paramKind: Forbidden: user must have "get" permission on all objects of the referenced paramKind';
    const { permissions } = asking((request) => {
      if (isReview(request)) return { status: { allowed: true } };
      if (isWhoAmI(request)) return { status: { userInfo: { username: request.headers?.['impersonate-user'] } } };
      throw new ApiError('Invalid', why);
    });
    await permissions.ask([writing], never);
    expect(permissions.get(writing)).toMatchObject({ type: 'unclear', error: why });
  });
});

describe('kinds that an API server checks against other permissions of the writer', () => {
  it.each([
    ['rbac.authorization.k8s.io', 'roles'],
    ['admissionregistration.k8s.io', 'validatingadmissionpolicies'],
    ['admissionregistration.k8s.io', 'validatingadmissionpolicybindings'],
    ['certificates.k8s.io', 'clustertrustbundles'],
    ['certificates.k8s.io', 'certificatesigningrequests'],
    ['work.open-cluster-management.io', 'manifestworks'],
    ['addon.open-cluster-management.io', 'addontemplates'],
    ['cluster.open-cluster-management.io', 'managedclusters'],
    ['outrigger.dev', 'rolloutapprovals'],
  ])('%s %s', (group, plural) => expect(checksWriter(ref('a', { ...CLUSTER_ROLES, group, plural }))).toBe(true));
  it('are no others', () => expect(checksWriter(ref('a'))).toBe(false));
});

describe('impersonation', () => {
  const granting: PermissionCheck = {
    owner: 'work/w',
    generation: 1,
    executor,
    ref: ref('r', CLUSTER_ROLES),
    verbs: ['create'],
    grants: object('r'),
  };
  const answering = (whoAmI: () => unknown): ReturnType<typeof asking> =>
    asking((request) => (isReview(request) ? { status: { allowed: true } } : isWhoAmI(request) ? whoAmI() : object('r')));

  it('that the server ignores gives no permission: the answer would be about the agent itself', async () => {
    const { permissions, requests } = answering(() => ({ status: { userInfo: { username: 'system:admin' } } }));
    await permissions.ask([granting], never);
    expect(permissions.get(granting)).toMatchObject({ type: 'unclear', error: expect.stringContaining('does not impersonate') as string });
    expect(requests.filter(({ path }) => path.endsWith('/clusterroles'))).toEqual([]);
  });

  it('is assumed if an old server cannot answer', async () => {
    const { permissions } = answering(() => {
      throw new ApiError('NotFound', 'no such resource');
    });
    await permissions.ask([granting], never);
    expect(permissions.get(granting)).toEqual({ type: 'allowed' });
  });

  it('is asked about once', async () => {
    const { permissions, requests } = answering(() => ({ status: { userInfo: { username: 'system:serviceaccount:ns:sa' } } }));
    await permissions.ask([granting], never);
    await permissions.ask([granting], never);
    expect(requests.filter(isWhoAmI)).toHaveLength(1);
  });
});

describe('verbs', () => {
  it.each([
    { type: 'Update', isOwned: true, want: 'get create update patch delete' },
    { type: 'Update', isOwned: false, want: 'get create update patch' },
    { type: 'CreateOnly', isOwned: true, want: 'get create patch delete' },
    { type: 'ServerSideApply', isOwned: true, want: 'get create patch delete' },
    { type: 'ReadOnly', isOwned: false, want: 'get' },
  ] as const)('$type, owned $isOwned: $want', ({ type, isOwned, want }) => expect(verbsFor({ type }, isOwned).join(' ')).toBe(want));
});

it('messages are the ones other programs know', () => {
  expect(refusalMessage('denied', ref('a'))).toBe('not allowed to apply the resource  configmaps, ns a, will try again in 1m0s');
  expect(refusalMessage('escalation', ref('r', CLUSTER_ROLES))).toBe(
    'not allowed to apply the resource rbac.authorization.k8s.io clusterroles,  r, error: permission escalation, will try again in 1m0s',
  );
});
