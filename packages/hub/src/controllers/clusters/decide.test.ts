import {
  CLUSTER_NAME_LABEL,
  type ClusterTaint,
  type ManagedCluster,
  clusterRoleBindings,
  clusterRoles,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
  namespaces,
  roleBindings,
} from '@outrigger/api';
import { type KubeObject, findCondition } from '@outrigger/core';
import type { Decision } from '@outrigger/kube';
import { briefly, nowAt, outcomesOf, passOf } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { ObjectHub, settle } from '../../../testing/settle.js';
import { clusterController } from './controller.js';
import { ACCEPTED, AVAILABLE, CLUSTER, NOW, addOn, cluster, condition, lease, namespace, work } from './fixtures.js';
import type { ClusterMemory, ClusterOptions } from './state.js';

const KEY = { name: CLUSTER };
const DELETED = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const GUARDS = ['cluster.open-cluster-management.io/api-resource-cleanup', 'cluster.open-cluster-management.io/resource-cleanup'];

function run(
  objects: readonly KubeObject[],
  options: ClusterOptions = {},
  now: number = NOW,
): { hub: ObjectHub; passes: readonly string[]; rest: Decision | undefined; events: readonly string[] } {
  const controller = clusterController(options);
  const hub = new ObjectHub(controller, objects);
  const { decisions, rest } = settle(controller, hub, KEY, { now });
  const events = decisions.flatMap(({ events: all = [] }) => all.map(({ reason }) => reason));
  return { hub, passes: decisions.map((decision) => briefly(decision).join(' ')), rest, events };
}

const clusterOf = (hub: ObjectHub): ManagedCluster => hub.find(managedClusters, KEY) as ManagedCluster;
const told = (hub: ObjectHub, type: string): string => {
  const { status = '', reason = '', message = '' } = findCondition(clusterOf(hub).status?.conditions, type) ?? {};
  return `${status} ${reason}: ${message}`;
};

describe('clusters: acceptance', () => {
  it('not decided yet: nothing is created, and a taint excludes the cluster from Placements', () => {
    const { hub, passes } = run([cluster({ accepts: false })]);
    expect(passes).toEqual(['patch ManagedCluster c1']);
    expect(clusterOf(hub).spec.taints).toEqual([{ key: 'cluster.open-cluster-management.io/unreachable', effect: 'NoSelect' }]);
    expect(clusterOf(hub).metadata.finalizers).toBeUndefined();
  });

  it('accepted: writes finalizers, then the namespace, then the rights, then the condition', () => {
    const { hub, passes } = run([cluster()]);
    expect(passes).toEqual([
      [
        'patch ManagedCluster c1 ;',
        'create Namespace c1',
        'create ClusterRole open-cluster-management:managedcluster:registration',
        'create ClusterRole open-cluster-management:managedcluster:work',
        'create ClusterRole open-cluster-management:managedcluster:c1',
        'create ClusterRoleBinding open-cluster-management:managedcluster:c1 ;',
        'create RoleBinding c1/open-cluster-management:managedcluster:c1:registration',
        'create RoleBinding c1/open-cluster-management:managedcluster:c1:work',
      ].join(' '),
      'patch ManagedCluster/status c1',
      'create Lease c1/managed-cluster-lease',
    ]);
    expect(clusterOf(hub).metadata.finalizers).toEqual(GUARDS);
    expect(hub.find(namespaces, KEY)?.metadata.labels).toEqual({ [CLUSTER_NAME_LABEL]: CLUSTER });
    expect(told(hub, 'HubAcceptedManagedCluster')).toBe('True HubClusterAdminAccepted: Accepted by hub cluster admin');
  });

  it.each(['managed-clusters', 'default', 'kube-system', 'outrigger-join', 'open-cluster-management-hub', 'a.b'])(
    'a cluster named %s gets no namespace and no rights, if admission did not refuse it',
    (name) => {
      const controller = clusterController({});
      const hub = new ObjectHub(controller, [cluster({ metadata: { name } }), namespace({ name })]);
      const { decisions } = settle(controller, hub, { name }, { now: NOW });
      expect(decisions.map((decision) => briefly(decision).join(' '))).toEqual([
        `patch ManagedCluster ${name}`,
        `patch ManagedCluster/status ${name}`,
      ]);
      const { status } = hub.find(managedClusters, { name }) as ManagedCluster;
      expect(findCondition(status?.conditions, 'HubAcceptedManagedCluster')).toMatchObject({
        status: 'False',
        reason: 'Error',
        message: expect.stringContaining("the cluster's name is also the name of its namespace") as string,
      });
    },
  );

  it('the agent gets exactly these rights', () => {
    const { hub } = run([cluster()]);
    const rules = Object.fromEntries(
      hub
        .list(clusterRoles)
        .map((role) => [
          role.metadata.name,
          role.rules?.map(({ apiGroups, resources, resourceNames = [], verbs }) =>
            [apiGroups?.join(), resources?.join(), ...resourceNames, verbs.join()].join(' '),
          ),
        ]),
    );
    expect(rules).toEqual({
      'open-cluster-management:managedcluster:c1': [
        'certificates.k8s.io certificatesigningrequests create,get,list,watch',
        'register.open-cluster-management.io managedclusters/clientcertificates renew',
        'cluster.open-cluster-management.io managedclusters c1 get,list,update,watch',
        'cluster.open-cluster-management.io managedclusters/status c1 patch,update',
      ],
      'open-cluster-management:managedcluster:registration': [
        'coordination.k8s.io leases get,list,watch',
        'coordination.k8s.io leases managed-cluster-lease update',
        'addon.open-cluster-management.io managedclusteraddons get,list,watch',
        'addon.open-cluster-management.io managedclusteraddons/status patch,update',
        'events.k8s.io events create',
      ],
      'open-cluster-management:managedcluster:work': [
        ',events.k8s.io events create,patch,update',
        'work.open-cluster-management.io manifestworks get,list,watch,update,patch',
        'work.open-cluster-management.io manifestworks/status patch,update',
      ],
    });
    const groups = ['system:open-cluster-management:c1', 'open-cluster-management:c1'];
    for (const binding of [...hub.list(clusterRoleBindings), ...hub.list(roleBindings)]) {
      expect(binding.subjects?.map(({ kind, name }) => [kind, name])).toEqual(groups.map((name) => ['Group', name]));
    }
    expect(
      hub.list(roleBindings).map(({ metadata, roleRef }) => [metadata.name?.split(':').at(-1), roleRef.name, metadata.finalizers]),
    ).toEqual([
      ['registration', 'open-cluster-management:managedcluster:registration', undefined],
      ['work', 'open-cluster-management:managedcluster:work', ['cluster.open-cluster-management.io/manifest-work-cleanup']],
    ]);
  });

  it('objects that another client changed are restored', () => {
    const { hub } = run([cluster()]);
    const controller = clusterController();
    const [role] = hub.list(clusterRoles).filter(({ metadata }) => metadata.name?.endsWith(':c1'));
    hub.put({ ...(role as KubeObject), rules: [] } as KubeObject);
    const [first, second] = hub.list(roleBindings);
    hub.put({ ...(first as KubeObject), subjects: [] } as KubeObject);
    hub.put({
      ...(second as KubeObject),
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    } as KubeObject);
    settle(controller, hub, KEY, { now: NOW });
    expect(hub.list(clusterRoles).find(({ metadata }) => metadata.name?.endsWith(':c1'))?.rules).toHaveLength(4);
    expect(hub.list(roleBindings).map(({ roleRef, subjects = [] }) => [roleRef.name.split(':').at(-1), subjects.length])).toEqual([
      ['registration', 2],
      ['work', 2],
    ]);
  });

  it('a right that cannot be granted is reported, with the server’s message', () => {
    const controller = clusterController();
    const hub = new ObjectHub(controller, [
      cluster({ metadata: { finalizers: GUARDS }, conditions: [ACCEPTED, AVAILABLE] }),
      namespace({ labels: { [CLUSTER_NAME_LABEL]: CLUSTER } }),
    ]);
    const outcomes = outcomesOf([
      { id: 'clusterrolebindings/open-cluster-management:managedcluster:c1', reason: 'Forbidden', message: 'no way' },
    ]);
    const status = passOf(controller, hub.view, KEY, nowAt(NOW), outcomes)
      ?.stages.flat()
      .find(({ id }) => id === 'status');
    expect(status).toMatchObject({
      patch: {
        status: {
          conditions: [
            {
              type: 'HubAcceptedManagedCluster',
              status: 'False',
              reason: 'Error',
              message: 'clusterrolebindings/open-cluster-management:managedcluster:c1: no way',
            },
            {},
          ],
        },
      },
    });
  });

  it('a namespace that is being deleted is reported, and nothing is created in it', () => {
    const { hub, passes } = run([cluster(), namespace({ ...DELETED, finalizers: ['kubernetes'] })]);
    expect(passes.join()).not.toContain('RoleBinding c1/');
    expect(told(hub, 'HubAcceptedManagedCluster')).toBe(
      'False Error: the namespace c1 is being deleted; the hub accepts the cluster again when the namespace is gone',
    );
  });

  describe('a namespace that is deleted under a cluster', () => {
    const TERMINATING = { ...DELETED, finalizers: ['kubernetes'] };
    const CLEANUP = 'cluster.open-cluster-management.io/manifest-work-cleanup';
    const workBinding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: {
        ...DELETED,
        name: 'open-cluster-management:managedcluster:c1:work',
        namespace: CLUSTER,
        labels: { [CLUSTER_NAME_LABEL]: CLUSTER },
        finalizers: [CLEANUP],
      },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'open-cluster-management:managedcluster:work' },
    } as KubeObject;
    const held = (name: string): KubeObject => work(name, { ...DELETED, finalizers: [CLEANUP] });

    it.each([
      { name: 'accepted', of: [cluster({ conditions: [ACCEPTED] })] },
      { name: 'denied', of: [cluster({ accepts: false, conditions: [ACCEPTED] })] },
      { name: 'gone', of: [] },
    ])('$name: the agent keeps its right to works until the last work is gone, then nothing holds the namespace', ({ of }) => {
      const objects = [...of, namespace({ ...TERMINATING, labels: { [CLUSTER_NAME_LABEL]: CLUSTER } }), workBinding];
      const { hub } = run([...objects, held('w')]);
      expect(hub.list(roleBindings)).toHaveLength(1);
      hub.remove(manifestWorks, { namespace: CLUSTER, name: 'w' });
      const { decisions } = settle(clusterController(), hub, KEY, { now: NOW });
      expect(decisions.flatMap(briefly)).toContain('effect no-works-left no-works-left');
      expect(hub.list(roleBindings)).toEqual([]);
    });

    it('the condition names the objects that hold the namespace, and their finalizers', () => {
      const hello = addOn('hello', 'True', { ...DELETED, finalizers: ['addon.open-cluster-management.io/addon-pre-delete'] });
      const { hub } = run([cluster(), namespace(TERMINATING), hello, addOn('other'), ...['w1', 'w2', 'w3', 'w4', 'w5'].map(held)]);
      expect(told(hub, 'HubAcceptedManagedCluster')).toBe(
        'False Error: the namespace c1 is being deleted and waits for managedclusteraddons hello ' +
          '(finalizers addon.open-cluster-management.io/addon-pre-delete); ' +
          `manifestworks w1, w2, w3 and 2 more (finalizers ${CLEANUP}); the hub accepts the cluster again when the namespace is gone`,
      );
    });

    it('a binding that disappears before the watch shows the deletion is not replaced without asking the API server', () => {
      const { passes } = run([cluster({ conditions: [ACCEPTED] }), namespace(), workBinding, held('w')]);
      expect(passes.join(' ')).toMatch(/effect namespace-stays namespace-stays ; .*patch RoleBinding/);
    });
  });

  it('accepts by itself if configured, once; a later denial stays', () => {
    const { hub } = run([cluster({ accepts: false })], { autoAccept: true });
    expect(clusterOf(hub)).toMatchObject({
      metadata: { annotations: { 'open-cluster-management.io/automatically-accepted-on': '2026-01-01T00:00:00Z' } },
      spec: { hubAcceptsClient: true },
    });
    const { spec } = clusterOf(hub);
    hub.put({ ...clusterOf(hub), spec: { ...spec, hubAcceptsClient: false } } as KubeObject);
    settle(clusterController({ autoAccept: true }), hub, KEY, { now: NOW });
    expect(clusterOf(hub).spec.hubAcceptsClient).toBe(false);
    expect(told(hub, 'HubAcceptedManagedCluster')).toBe('False HubClusterAdminDenied: Denied by hub cluster admin');
  });

  describe('AT-07 denied after it was accepted', () => {
    const deny = (...more: readonly KubeObject[]): ObjectHub => {
      const { hub } = run([cluster(), ...more]);
      hub.put({ ...clusterOf(hub), spec: { ...clusterOf(hub).spec, hubAcceptsClient: false } } as KubeObject);
      settle(clusterController(), hub, KEY, { now: NOW });
      return hub;
    };
    const bindings = (hub: ObjectHub): readonly (string | undefined)[] =>
      hub.list(roleBindings).map(({ metadata }) => metadata.name?.split(':').at(-1));

    it('may only read its own ManagedCluster', () => {
      const hub = deny();
      expect(hub.list(clusterRoles).find(({ metadata }) => metadata.name?.endsWith(':c1'))?.rules).toEqual([
        {
          apiGroups: ['cluster.open-cluster-management.io'],
          resources: ['managedclusters'],
          resourceNames: ['c1'],
          verbs: ['get', 'list', 'watch'],
        },
      ]);
      expect(bindings(hub)).toEqual([]);
      expect(told(hub, 'HubAcceptedManagedCluster')).toBe('False HubClusterAdminDenied: Denied by hub cluster admin');
    });

    it('its right to works ends with the last work', () => {
      const hub = deny(work('w'));
      expect(bindings(hub)).toEqual(['work']);
      hub.remove(manifestWorks, { namespace: CLUSTER, name: 'w' });
      settle(clusterController(), hub, KEY, { now: NOW });
      expect(bindings(hub)).toEqual([]);
    });

    it('the cluster gets all its rights back when it is accepted again, even while it still has works', () => {
      const hub = deny(work('w'));
      hub.put({ ...clusterOf(hub), spec: { ...clusterOf(hub).spec, hubAcceptsClient: true } } as KubeObject);
      settle(clusterController(), hub, KEY, { now: NOW });
      expect(bindings(hub)).toEqual(['registration', 'work']);
      expect(told(hub, 'HubAcceptedManagedCluster')).toMatch(/^True HubClusterAdminAccepted/);
    });
  });
});

describe('clusters: lease', () => {
  const at = (seconds: number): number => NOW - seconds * 1000;
  const living = (...objects: readonly KubeObject[]): ReturnType<typeof run> =>
    run([cluster({ conditions: [ACCEPTED, AVAILABLE] }), ...objects]);
  const STOPPED = 'Unknown ManagedClusterLeaseUpdateStopped: Registration agent stopped updating its lease.';

  it.each([
    { name: 'renewed just now', lease: lease(NOW), want: 'True ManagedClusterAvailable: ', recheckMs: 300_000 },
    { name: 'a second before the end', lease: lease(at(299)), want: 'True ManagedClusterAvailable: ', recheckMs: 1000 },
    { name: 'silent for exactly five renewals', lease: lease(at(300)), want: STOPPED, recheckMs: undefined },
    { name: 'silent for long', lease: lease(at(100_000)), want: STOPPED, recheckMs: undefined },
    { name: 'a clock far ahead does not hide silence', lease: lease(at(-3600), at(300)), want: STOPPED, recheckMs: undefined },
    { name: 'a Lease without renewTime was never renewed', lease: lease(undefined), want: STOPPED, recheckMs: undefined },
  ])('$name', ({ lease: given, want, recheckMs }) => {
    const { hub, rest } = living(given);
    expect(told(hub, 'ManagedClusterConditionAvailable')).toBe(want);
    expect(rest?.requeueAfterMs).toBe(recheckMs);
  });

  describe('AT-48 while the clock of the hub is wrong', () => {
    const HOUR = 3_600_000;
    const SECOND = 1_000;
    interface Passes {
      readonly hub: ObjectHub;
      /** Runs passes until nothing changes. Returns the status of Available and the delay in milliseconds until the next pass. */
      at(monotonic: number, skew: number): string;
    }
    function passes(...objects: readonly KubeObject[]): Passes {
      const controller = clusterController({});
      const hub = new ObjectHub(controller, objects);
      let remembered: ClusterMemory | undefined;
      return {
        hub,
        at(monotonic, skew) {
          const settled = settle(controller, hub, KEY, { now: NOW + monotonic + skew, monotonic, remembered });
          ({ remembered } = settled);
          const { status } = findCondition(clusterOf(hub).status?.conditions, 'ManagedClusterConditionAvailable') ?? {};
          return `${status}, due in ${settled.rest?.requeueAfterMs}`;
        },
      };
    }

    it.each([HOUR, -HOUR])('a jump by %i ms does not make a Lease look old, and does not hide a silent agent', (jump) => {
      const { at: look } = passes(cluster({ conditions: [ACCEPTED, AVAILABLE] }), lease(NOW));
      expect(look(0, 0)).toBe('True, due in 300000');
      expect(look(60 * SECOND, jump)).toBe('True, due in 240000');
      expect(look(299 * SECOND, 0)).toBe('True, due in 1000');
      expect(look(300 * SECOND, jump)).toBe('Unknown, due in undefined');
    });

    it.each([
      [HOUR, 'True, due in 270000'],
      [-HOUR, 'True, due in 300000'],
    ])('a jump by %i ms makes no renewal older than it is', (jump, want) => {
      const { hub, at: look } = passes(cluster({ conditions: [ACCEPTED, AVAILABLE] }), lease(NOW));
      look(0, 0);
      hub.put(lease(NOW + 60 * SECOND));
      expect(look(90 * SECOND, jump)).toBe(want);
    });

    it('a clock that was wrong from the start costs one report, which the agent corrects', () => {
      const { hub, at: look } = passes(cluster({ conditions: [ACCEPTED, AVAILABLE] }), lease(NOW));
      expect(look(0, HOUR)).toBe('Unknown, due in undefined');
      hub.put(cluster({ conditions: [ACCEPTED, AVAILABLE] }));
      expect(look(SECOND, HOUR)).toBe('True, due in 300000');
      hub.put(lease(NOW + 60 * SECOND));
      expect(look(61 * SECOND, HOUR)).toBe('True, due in 300000');
      expect(look(361 * SECOND, HOUR)).toBe('Unknown, due in undefined');
    });
  });

  it('uses the lease duration of the cluster, 60 s for 0', () => {
    const given = (leaseDurationSeconds: number, age: number): string =>
      told(
        run([cluster({ conditions: [ACCEPTED, AVAILABLE], spec: { leaseDurationSeconds } }), lease(at(age))]).hub,
        'ManagedClusterConditionAvailable',
      );
    expect(given(10, 49)).toMatch(/^True/);
    expect(given(10, 50)).toMatch(/^Unknown/);
    expect(given(0, 299)).toMatch(/^True/);
    expect(given(0, 300)).toMatch(/^Unknown/);
  });

  it('no lease is created for a cluster that is not accepted, or in a namespace that is being deleted', () => {
    expect(run([cluster({ accepts: false })]).passes.join()).not.toContain('Lease');
    expect(run([cluster({ conditions: [ACCEPTED] }), namespace(DELETED)]).passes.join()).not.toContain('Lease');
  });

  it.each([
    {
      name: 'the clocks agree',
      lease: lease(NOW),
      annotations: {},
      want: 'True ManagedClusterClockSynced: The clock of the managed cluster is synced with the hub.',
    },
    {
      name: 'the agent is a little off',
      lease: lease(at(-299), NOW),
      annotations: {},
      want: 'True ManagedClusterClockSynced: The clock of the managed cluster is synced with the hub.',
    },
    { name: 'the agent is ahead', lease: lease(at(-300), NOW), annotations: {}, want: /^False ManagedClusterClockOutOfSync: / },
    { name: 'the agent is behind', lease: lease(at(300), NOW), annotations: {}, want: /^False ManagedClusterClockOutOfSync: / },
    { name: 'silence is not a wrong clock', lease: lease(at(4000), at(4000)), annotations: {}, want: /^True ManagedClusterClockSynced: / },
    { name: 'no renewal, no verdict', lease: lease(undefined, NOW), annotations: {}, want: ' : ' },
    {
      name: 'a person switched it off',
      lease: lease(at(300), NOW),
      annotations: { 'registration.open-cluster-management.io/skip-clock-sync-check': 'true' },
      want: /^True ManagedClusterClockSynced: /,
    },
  ])('clock: $name', ({ lease: given, annotations, want }) => {
    const { hub } = run([cluster({ conditions: [ACCEPTED, AVAILABLE], metadata: { annotations } }), given]);
    expect(told(hub, 'ManagedClusterConditionClockSynced')).toEqual(typeof want === 'string' ? want : expect.stringMatching(want));
  });
});

describe('clusters: taints', () => {
  const unreachable: ClusterTaint = { key: 'cluster.open-cluster-management.io/unreachable', effect: 'NoSelect' };
  const unavailable: ClusterTaint = { key: 'cluster.open-cluster-management.io/unavailable', effect: 'NoSelect' };
  const own: ClusterTaint = { key: 'mine', effect: 'NoSelect', timeAdded: '2025-01-01T00:00:00Z' };
  const stamped = { ...unreachable, timeAdded: '2025-01-01T00:00:00Z' };
  it.each<{ name: string; available?: 'True' | 'False' | 'Unknown'; taints: readonly ClusterTaint[]; want: readonly ClusterTaint[] }>([
    { name: 'nothing heard', taints: [], want: [unreachable] },
    { name: 'unknown', available: 'Unknown', taints: [own], want: [own, unreachable] },
    { name: 'not well', available: 'False', taints: [stamped, own], want: [own, unavailable] },
    { name: 'well again', available: 'True', taints: [own, stamped], want: [own] },
    { name: 'still unknown: as it was, with its time', available: 'Unknown', taints: [stamped], want: [stamped] },
  ])('$name', ({ available, taints, want }) => {
    const conditions = available === undefined ? [] : [condition('ManagedClusterConditionAvailable', available)];
    const { hub } = run([cluster({ accepts: false, spec: { taints }, conditions })]);
    expect(clusterOf(hub).spec.taints ?? []).toEqual(want);
  });
});

describe('clusters: labels of add-ons', () => {
  const label = (name: string): string => `feature.open-cluster-management.io/addon-${name}`;
  it('show the state of each add-on, and are removed with it', () => {
    const labels = { env: 'test', [label('gone')]: 'available', [label('well')]: 'unhealthy' };
    const { hub } = run([
      cluster({ metadata: { labels } }),
      addOn('well', 'True'),
      addOn('ill', 'False'),
      addOn('lost', 'Unknown'),
      addOn('new'),
      addOn('going', 'True', { ...DELETED, finalizers: ['x'] }),
    ]);
    expect(clusterOf(hub).metadata.labels).toEqual({
      env: 'test',
      [label('well')]: 'available',
      [label('ill')]: 'unhealthy',
      [label('lost')]: 'unreachable',
      [label('new')]: 'unreachable',
    });
  });

  it('a name that is not a valid label value gets no label, and causes no error', () => {
    const { hub } = run([cluster(), addOn('x'.repeat(60), 'True'), addOn('well', 'True')]);
    expect(clusterOf(hub).metadata.labels).toEqual({ [label('well')]: 'available' });
  });
});

describe('clusters: the end of one', () => {
  const going = (annotations: Readonly<Record<string, string>> = {}): ManagedCluster =>
    cluster({ metadata: { ...DELETED, finalizers: [...GUARDS, 'person/own'], annotations }, conditions: [ACCEPTED, AVAILABLE] });
  const HELD = { finalizers: ['cluster.open-cluster-management.io/manifest-work-cleanup'] };
  const priority = (value: string): { annotations: Record<string, string> } => ({
    annotations: { 'open-cluster-management.io/cleanup-priority': value },
  });

  it('add-ons by priority, then works by priority, then rights, then itself; the namespace stays', () => {
    const { hub: before } = run([cluster()]);
    const controller = clusterController();
    before.put(going());
    for (const one of [
      addOn('late', 'True', priority('50')),
      addOn('first'),
      addOn('also-first', 'True', priority('x')),
      work('w2', priority('100')),
      work('w1', priority('7')),
    ])
      before.put(one);
    const { decisions } = settle(controller, before, KEY, { now: NOW });
    expect(
      decisions.map((decision) =>
        briefly(decision)
          .filter((action) => !action.includes('/status'))
          .join(' '),
      ),
    ).toEqual(
      [
        'delete ManagedClusterAddOn c1/first delete ManagedClusterAddOn c1/also-first',
        'delete ManagedClusterAddOn c1/late',
        'delete ManifestWork c1/w1',
        'delete ManifestWork c1/w2',
        [
          'delete RoleBinding c1/open-cluster-management:managedcluster:c1:registration',
          'delete RoleBinding c1/open-cluster-management:managedcluster:c1:work',
          'delete ClusterRoleBinding open-cluster-management:managedcluster:c1',
          'delete ClusterRole open-cluster-management:managedcluster:c1',
          'delete ClusterRole open-cluster-management:managedcluster:registration',
          'delete ClusterRole open-cluster-management:managedcluster:work',
        ].join(' '),
        'patch RoleBinding c1/open-cluster-management:managedcluster:c1:work',
        'delete Lease c1/managed-cluster-lease ; patch ManagedCluster c1',
        // Another controller's finalizer keeps the ManagedCluster. The cluster's Lease no longer exists, so its availability becomes
        // Unknown.
        '',
      ].map((actions) => `effect look-again look-again ; ${actions}`.trim()),
    );
    expect(clusterOf(before).metadata.finalizers).toEqual(['person/own']);
    expect(told(before, 'Deleting')).toBe('True NoResource: No resource is left on the hub');
    expect(before.find(namespaces, KEY)).toBeDefined();
  });

  it('shared roles stay while another cluster exists', () => {
    const { hub } = run([cluster()]);
    hub.put(cluster({ metadata: { name: 'other', uid: 'uid-other' } }));
    hub.put(going());
    settle(clusterController(), hub, KEY, { now: NOW });
    expect(hub.list(clusterRoles).map(({ metadata }) => metadata.name)).toEqual([
      'open-cluster-management:managedcluster:registration',
      'open-cluster-management:managedcluster:work',
    ]);
  });

  it('waits for objects with finalizers, keeps the rights meanwhile, and reports the objects and the remedy', () => {
    const { hub } = run([cluster()]);
    hub.put(going());
    hub.put(work('held', HELD));
    settle(clusterController(), hub, KEY, { now: NOW });
    expect(told(hub, 'Deleting')).toBe(
      'False ResourceRemaining: waiting until these manifestworks are gone: held. If the cluster will never come back: kubectl annotate managedcluster c1 outrigger.dev/detach=forced',
    );
    expect(hub.list(roleBindings)).toHaveLength(2);
  });

  it('a deletion that is refused is reported', () => {
    const controller = clusterController();
    const hub = new ObjectHub(controller, [going(), addOn('a')]);
    const outcomes = outcomesOf([{ id: 'managedclusteraddons/a', reason: 'Forbidden', message: 'no way' }]);
    const status = passOf(controller, hub.view, KEY, nowAt(NOW), outcomes)
      ?.stages.flat()
      .find(({ id }) => id === 'status');
    expect(status).toMatchObject({
      patch: {
        status: {
          conditions: expect.arrayContaining([
            expect.objectContaining({
              type: 'Deleting',
              status: 'False',
              reason: 'DeletingError',
              message: 'managedclusteraddons/a: no way',
            }),
          ]),
        },
      },
    });
  });

  it('a cluster that is being deleted and has no lease is unknown at once', () => {
    const { hub } = run([going(), work('held', HELD)]);
    expect(told(hub, 'ManagedClusterConditionAvailable')).toMatch(/^Unknown ManagedClusterLeaseUpdateStopped/);
  });

  it('by force: the objects that stay are recorded first, then everything is deleted, finalizers included', () => {
    const controller = clusterController();
    const hub = new ObjectHub(controller, [
      going({ 'outrigger.dev/detach': 'forced' }),
      namespace(),
      work('w', HELD),
      addOn('a', 'True', { finalizers: ['addon.open-cluster-management.io/addon-pre-delete'] }),
    ]);
    const first = passOf(controller, hub.view, KEY, nowAt(NOW));
    expect(first && briefly(first)).toContain('effect record-left-behind record-left-behind');
    expect(first && briefly(first).join()).not.toContain('delete');
    hub.put({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'outrigger-left-behind', namespace: CLUSTER },
      data: { 'cluster-uid': 'uid-c1' },
    } as KubeObject);
    const { decisions } = settle(controller, hub, KEY, { now: NOW });
    expect(hub.list(manifestWorks)).toEqual([]);
    expect(hub.list(managedClusterAddOns)).toEqual([]);
    expect(clusterOf(hub).metadata.finalizers).toEqual(['person/own']);
    expect(decisions[0]?.events?.[0]).toMatchObject({
      type: 'Warning',
      reason: 'ForcedDetach',
      message:
        'released c1 by force: 1 add-on and 1 work; the objects that stay on the cluster are listed in ConfigMap c1/outrigger-left-behind',
    });
  });

  it('by force in a namespace that is being deleted: nothing can be recorded there, and everything is deleted', () => {
    const terminating = namespace({ ...DELETED, finalizers: ['kubernetes'] });
    const { hub, passes } = run([going({ 'outrigger.dev/detach': 'forced' }), terminating, work('w', HELD)]);
    expect(passes.join(' ')).not.toContain('record-left-behind');
    expect(hub.list(manifestWorks)).toEqual([]);
    expect(clusterOf(hub).metadata.finalizers).toEqual(['person/own']);
  });

  it('by force: a record of an earlier cluster of that name does not count', () => {
    const controller = clusterController();
    const hub = new ObjectHub(controller, [
      going({ 'outrigger.dev/detach': 'forced' }),
      work('w', HELD),
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'outrigger-left-behind', namespace: CLUSTER },
        data: { 'cluster-uid': 'uid-old' },
      } as KubeObject,
    ]);
    const decision = passOf(controller, hub.view, KEY, nowAt(NOW));
    expect(decision && briefly(decision)).toContain('effect record-left-behind record-left-behind');
  });

  it('the annotation alone does nothing: a cluster is released by deleting it', () => {
    const { hub } = run([cluster({ metadata: { annotations: { 'outrigger.dev/detach': 'forced' } } }), work('w', HELD)]);
    expect(hub.list(manifestWorks)).toHaveLength(1);
  });
});

describe('events about reachability', () => {
  const unreachable: ClusterTaint = { key: 'cluster.open-cluster-management.io/unreachable', effect: 'NoSelect' };
  const early = '2020-01-01T00:00:00Z';
  const JOINED = condition('ManagedClusterJoined', 'True');
  const silent = { ...AVAILABLE, status: 'Unknown' as const };

  it.each([
    { name: 'an agent that falls silent', conditions: [ACCEPTED, AVAILABLE], renewed: 300, taints: [], want: ['ClusterUnreachable'] },
    { name: 'an agent that is still silent', conditions: [ACCEPTED, silent], renewed: 300, taints: [unreachable], want: [] },
    { name: 'an agent that renews its lease', conditions: [ACCEPTED, AVAILABLE], renewed: 10, taints: [], want: [] },
    {
      name: 'an agent that is back',
      conditions: [ACCEPTED, { ...JOINED, lastTransitionTime: early }, AVAILABLE],
      renewed: 1,
      taints: [unreachable],
      want: ['ClusterReachable'],
    },
    { name: 'a cluster that joins', conditions: [ACCEPTED, JOINED, AVAILABLE], renewed: 1, taints: [unreachable], want: [] },
    { name: 'a cluster of which the hub never heard', conditions: [ACCEPTED], renewed: 300, taints: [], want: [] },
  ])('$name', ({ conditions, renewed, taints, want }) => {
    const { events } = run([cluster({ conditions, spec: { taints } }), namespace(), lease(NOW - renewed * 1000)]);
    expect(events).toEqual(want);
  });
});
