import { clusterRoleBindings, clusterRoles, serviceAccounts } from '@outrigger/api';
import { type KubeObject, toTime } from '@outrigger/core';
import { briefly } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { ObjectHub, settle } from '../../../../testing/settle.js';
import { ACCEPTED, CLUSTER, NOW, cluster, condition } from '../fixtures.js';
import { joinController } from './controller.js';
import { type JoinMemory, WITHOUT_CLUSTER_MS } from './decide.js';
import {
  clusterOfJoinUser,
  JOIN_AGAIN_ANNOTATION,
  JOIN_CLUSTER_UID_ANNOTATION,
  JOIN_EXPIRY_ANNOTATION,
  JOIN_LABEL,
  JOIN_NAMESPACE,
  JOIN_READS_REQUESTS_ANNOTATION,
  JOIN_REQUEST_ANNOTATION,
  joinRoleName,
  joinRules,
  joinUser,
} from '../../../resources/join-names.js';

const controller = joinController();
const labels = { [JOIN_LABEL]: CLUSTER };
const account = (annotations: Readonly<Record<string, string>> = { [JOIN_EXPIRY_ANNOTATION]: toTime(NOW + 60_000) }): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: CLUSTER, namespace: JOIN_NAMESPACE, uid: 'uid-account', labels, annotations },
});
const rbac = (kind: string, more: object): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name: joinRoleName(CLUSTER), labels },
  ...more,
});
const role = rbac('ClusterRole', { rules: joinRules(CLUSTER, undefined) });
const binding = rbac('ClusterRoleBinding', { roleRef: {} });
const request = (name: string, username: string, createdAt = NOW, uid = 'uid-account'): KubeObject =>
  ({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name, creationTimestamp: toTime(createdAt) },
    spec: { username, uid },
  }) as unknown as KubeObject;

function run(...objects: readonly KubeObject[]): {
  readonly hub: ObjectHub;
  readonly passes: readonly string[];
  readonly recheckMs: number | undefined;
} {
  const hub = new ObjectHub(controller, objects);
  const { decisions, rest } = settle(controller, hub, { name: CLUSTER }, { now: NOW });
  return { hub, passes: decisions.map((decision) => briefly(decision).join(' ')), recheckMs: rest?.requeueAfterMs };
}

const ENDED = 'delete ServiceAccount outrigger-join/c1 ; delete ClusterRoleBinding outrigger:join:c1 delete ClusterRole outrigger:join:c1';
const joined = condition('ManagedClusterJoined', 'True', 'ManagedClusterJoined');

/** The ServiceAccount, created at NOW, of a token with which a cluster joins again. */
const again = (used?: string): KubeObject => {
  const pinned = used === undefined ? {} : { [JOIN_REQUEST_ANNOTATION]: used };
  const object = account({ [JOIN_EXPIRY_ANNOTATION]: toTime(NOW + 60_000), [JOIN_AGAIN_ANNOTATION]: 'true', ...pinned });
  return { ...object, metadata: { ...object.metadata, creationTimestamp: toTime(NOW) } };
};
const availableSince = (ms: number, status: 'True' | 'Unknown' = 'True'): ReturnType<typeof condition> => ({
  ...condition('ManagedClusterConditionAvailable', status),
  lastTransitionTime: toTime(ms),
});

describe('the token of a cluster that joins again', () => {
  const SENT = NOW + 5_000;
  const used = [again('r'), request('r', joinUser(CLUSTER), SENT), rbac('ClusterRole', { rules: joinRules(CLUSTER, 'r') })];
  const unused = [again(), role];
  it.each<{ name: string; token: readonly KubeObject[]; available: readonly ReturnType<typeof condition>[]; want: readonly string[] }>([
    { name: 'waits while the cluster is away', token: unused, available: [availableSince(NOW - 60_000, 'Unknown')], want: [] },
    {
      name: 'waits although the hub has not noticed that the cluster is away',
      token: unused,
      available: [availableSince(NOW - 60_000)],
      want: [],
    },
    { name: 'waits if the cluster has reported nothing yet', token: unused, available: [], want: [] },
    { name: 'waits if the cluster is back with its earlier certificate', token: unused, available: [availableSince(SENT)], want: [] },
    { name: 'waits after its use while the cluster is away', token: used, available: [availableSince(NOW - 60_000, 'Unknown')], want: [] },
    { name: 'waits after its use if the cluster was back before', token: used, available: [availableSince(SENT - 1_000)], want: [] },
    { name: 'ends when the cluster is back after its use', token: used, available: [availableSince(SENT + 1_000)], want: [ENDED] },
    {
      name: 'waits if the cluster was back in the second of its use, perhaps before',
      token: used,
      available: [availableSince(SENT)],
      want: [],
    },
    {
      name: 'ends when the cluster is back, although its request was deleted',
      token: used.filter(({ kind }) => kind !== 'CertificateSigningRequest'),
      available: [availableSince(SENT)],
      want: [ENDED],
    },
  ])('$name', ({ token, available, want }) => {
    const objects = [cluster({ conditions: [ACCEPTED, joined, ...available] }), ...token, binding];
    expect(run(...objects).passes).toEqual(want);
  });

  it('ends when the cluster is back in the second of its use, if it was away when the use was observed', () => {
    const cameBack = (before: readonly ReturnType<typeof condition>[]): readonly string[] => {
      const hub = new ObjectHub(controller, [cluster({ conditions: [ACCEPTED, joined, ...before] }), ...used, binding]);
      const { remembered } = settle(controller, hub, { name: CLUSTER }, { now: NOW });
      hub.put(cluster({ conditions: [ACCEPTED, joined, availableSince(SENT)] }));
      return settle(controller, hub, { name: CLUSTER }, { now: NOW, remembered }).decisions.map((decision) => briefly(decision).join(' '));
    };
    for (const before of [[], [availableSince(SENT, 'Unknown')], [availableSince(NOW - 60_000)]]) expect(cameBack(before)).toEqual([ENDED]);
    expect(cameBack([availableSince(SENT)])).toEqual([]);
  });
});

describe('a token whose cluster the cache does not show', () => {
  const expiry = { [JOIN_EXPIRY_ANNOTATION]: toTime(NOW + 60_000) };
  const earlier = (more: Parameters<typeof cluster>[0]): KubeObject =>
    cluster({ ...more, metadata: { uid: 'uid-earlier', ...more?.metadata } });
  const own = account({ ...expiry, [JOIN_CLUSTER_UID_ANNOTATION]: 'uid-c1' });

  it.each<{ name: string; objects: readonly KubeObject[] }>([
    { name: 'no cluster', objects: [own] },
    { name: 'no cluster, and a token of an earlier version', objects: [account()] },
    { name: 'the earlier cluster of that name, which had joined', objects: [earlier({ conditions: [ACCEPTED, joined] }), own] },
    {
      name: 'the earlier cluster of that name, which is being deleted',
      objects: [earlier({ metadata: { deletionTimestamp: toTime(NOW) } }), own],
    },
  ])('keeps its account for ten seconds: $name', ({ objects }) => {
    const hub = new ObjectHub(controller, objects);
    const pass = (monotonic: number, remembered?: JoinMemory) => {
      const { decisions, rest, remembered: next } = settle(controller, hub, { name: CLUSTER }, { now: NOW, monotonic, remembered });
      return { passes: decisions.map((decision) => briefly(decision).join(' ')), recheckMs: rest?.requeueAfterMs, next };
    };
    const first = pass(5);
    expect(first).toMatchObject({ passes: [], recheckMs: WITHOUT_CLUSTER_MS });
    const second = pass(5 + WITHOUT_CLUSTER_MS - 1, first.next);
    expect(second).toMatchObject({ passes: [], recheckMs: 1 });
    expect(pass(5 + WITHOUT_CLUSTER_MS, second.next).passes).toEqual(['delete ServiceAccount outrigger-join/c1']);
  });

  it('gets its rights when the cluster appears, and starts a new wait for a new account', () => {
    const hub = new ObjectHub(controller, [own]);
    const first = settle(controller, hub, { name: CLUSTER }, { now: NOW });
    hub.put({ ...own, metadata: { ...own.metadata, uid: 'uid-second' } });
    const second = settle(controller, hub, { name: CLUSTER }, { now: NOW, monotonic: WITHOUT_CLUSTER_MS, remembered: first.remembered });
    expect(second.rest?.requeueAfterMs).toBe(WITHOUT_CLUSTER_MS);
    hub.put(cluster());
    const { decisions } = settle(
      controller,
      hub,
      { name: CLUSTER },
      { now: NOW, monotonic: WITHOUT_CLUSTER_MS, remembered: second.remembered },
    );
    expect(decisions.map((decision) => briefly(decision).join(' '))).toEqual([
      'create ClusterRole outrigger:join:c1 create ClusterRoleBinding outrigger:join:c1',
    ]);
  });
});

describe('join token', () => {
  it.each<{ name: string; objects: readonly KubeObject[]; want: readonly string[]; recheckMs?: number }>([
    {
      name: 'waits, and is checked again when it expires',
      objects: [cluster(), account(), role, binding],
      want: [],
      recheckMs: 60_000,
    },
    {
      name: 'of an agent that follows all requests may read them, and still creates only one',
      objects: [
        cluster(),
        account({ [JOIN_EXPIRY_ANNOTATION]: toTime(NOW + 60_000), [JOIN_READS_REQUESTS_ANNOTATION]: 'true' }),
        rbac('ClusterRole', { rules: joinRules(CLUSTER, undefined, true) }),
        binding,
      ],
      want: [],
      recheckMs: 60_000,
    },
    {
      name: 'AT-09 ends when the cluster has joined',
      objects: [cluster({ conditions: [ACCEPTED, joined] }), account(), role, binding],
      want: [ENDED],
    },
    {
      name: 'AT-09 ends when its time is up',
      objects: [cluster(), account({ [JOIN_EXPIRY_ANNOTATION]: toTime(NOW) }), role, binding],
      want: [ENDED],
    },
    {
      name: 'AT-09 an expiry time that cannot be parsed counts as expired',
      objects: [cluster(), account({ [JOIN_EXPIRY_ANNOTATION]: 'never' }), role, binding],
      want: [ENDED],
    },
    { name: 'AT-09 no time is up too', objects: [cluster(), account({}), role, binding], want: [ENDED] },
    {
      name: 'loses its rights with the cluster, and is checked again',
      objects: [account(), role, binding],
      want: ['delete ClusterRoleBinding outrigger:join:c1 delete ClusterRole outrigger:join:c1'],
      recheckMs: WITHOUT_CLUSTER_MS,
    },
    {
      name: 'ends when the cluster is being deleted',
      objects: [cluster({ metadata: { deletionTimestamp: toTime(NOW) } }), account(), role, binding],
      want: [ENDED],
    },
    {
      name: 'rights without an account are removed',
      objects: [cluster(), role, binding],
      want: ['delete ClusterRoleBinding outrigger:join:c1 delete ClusterRole outrigger:join:c1'],
    },
    {
      name: 'gets its rights',
      objects: [cluster(), account()],
      want: ['create ClusterRole outrigger:join:c1 create ClusterRoleBinding outrigger:join:c1'],
      recheckMs: 60_000,
    },
    {
      name: 'ignores a request made with an earlier token of the cluster',
      objects: [cluster(), account(), role, binding, request('x', joinUser(CLUSTER), NOW, 'uid-before')],
      want: [],
      recheckMs: 60_000,
    },
    {
      name: 'requests of others are nothing to it',
      objects: [cluster(), account(), role, binding, request('x', joinUser('c10')), request('y', 'admin')],
      want: [],
      recheckMs: 60_000,
    },
  ])('$name', ({ objects, want, recheckMs }) => expect(run(...objects)).toMatchObject({ passes: want, recheckMs }));

  it('AT-09 serves one request: the first is pinned, and from then on the token can only read that one', () => {
    const { hub, passes } = run(
      cluster(),
      account(),
      role,
      binding,
      request('late', joinUser(CLUSTER), NOW + 1000),
      request('first', joinUser(CLUSTER)),
    );
    expect(passes).toEqual(['patch ServiceAccount outrigger-join/c1 ; patch ClusterRole outrigger:join:c1']);
    expect(hub.list(serviceAccounts)[0]?.metadata.annotations?.[JOIN_REQUEST_ANNOTATION]).toBe('first');
    expect(hub.list(clusterRoles)[0]?.rules).toEqual([
      { apiGroups: ['cluster.open-cluster-management.io'], resources: ['managedclusters'], resourceNames: ['c1'], verbs: ['get'] },
      { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], resourceNames: ['first'], verbs: ['get', 'watch'] },
    ]);
    expect(hub.list(clusterRoleBindings)).toHaveLength(1);
  });

  it.each([
    [joinUser('c1'), 'c1'],
    [joinUser(''), undefined],
    ['system:serviceaccount:outrigger-join2:c1', undefined],
    ['system:open-cluster-management:c1:agent', undefined],
  ])('AT-08 %s is the token of %s', (user, want) => expect(clusterOfJoinUser(user)).toBe(want));
});
