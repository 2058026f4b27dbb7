import { type KubeObject, toTime } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import type { ManagedCluster } from '../generated/cluster.js';
import { ALL_CLUSTER_AGENTS_GROUP, clusterAgentGroup } from '../names.js';
import type { ManifestWork, ManifestWorkReplicaSet } from '../generated/work.js';
import { isFleetNamespace } from '../event-scope.js';
import { brief, hubWith, NOW, SETTINGS, writing } from './fixtures.js';
import { clusterNameProblem } from './managed-cluster.js';
import { mutate } from './mutate.js';
import { review } from './review.js';

const hub = hubWith({ terminating: ['gone'] });
const configMap = (metadata: KubeObject['metadata']): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
const executor = { subject: { type: 'ServiceAccount' as const, serviceAccount: { namespace: 'ns', name: 'sa' } } };

function work(manifests: readonly KubeObject[], spec: Partial<ManifestWork['spec']> = {}): ManifestWork {
  return {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'ManifestWork',
    metadata: { name: 'w', namespace: 'c1' },
    spec: { workload: { manifests }, ...spec },
  };
}

function replicaSet(manifests: readonly KubeObject[], spec: Partial<ManifestWork['spec']> = {}): ManifestWorkReplicaSet {
  return {
    apiVersion: 'work.open-cluster-management.io/v1alpha1',
    kind: 'ManifestWorkReplicaSet',
    metadata: { name: 'set', namespace: 'apps' },
    spec: { manifestWorkTemplate: { workload: { manifests }, ...spec }, placementRefs: [{ name: 'p' }] },
  };
}

function nested(levels: number): object {
  let inner = {};
  for (let i = 0; i < levels; i++) inner = { a: inner };
  return inner;
}

describe('ManifestWorkReplicaSet', () => {
  const fine = [configMap({ name: 'a' })];
  it.each([
    { name: 'one manifest', object: replicaSet(fine), want: 'ok' },
    {
      name: 'no manifest',
      object: replicaSet([]),
      want: 'spec.manifestWorkTemplate.workload.manifests: a work needs at least one manifest',
    },
    {
      name: 'a manifest without a name',
      object: replicaSet([configMap({})]),
      want: 'spec.manifestWorkTemplate.workload.manifests[0].metadata.name: every manifest needs a name',
    },
    { name: 'an executor', object: replicaSet(fine, { executor }), want: 'if execute-as manifestworks system:serviceaccount:ns:sa' },
  ])('with $name', ({ object, want }) => {
    expect(brief(review(writing(object), hub, SETTINGS))).toBe(want);
  });

  it('names all namespaces to a writer without the right to use the executor', () => {
    expect(review(writing(replicaSet(fine, { executor })), hub, SETTINGS)).toMatchObject({
      requires: [{ denied: 'user jane cannot manipulate the Manifestwork with executor ns/sa in all namespaces' }],
    });
  });

  it('checks the executor again if it is removed, and not if another field changes', () => {
    const before = replicaSet(fine, { executor });
    expect(brief(review(writing(replicaSet(fine), before), hub, SETTINGS))).toContain('klusterlet-work-sa');
    expect(brief(review(writing(replicaSet([configMap({ name: 'b' })], { executor }), before), hub, SETTINGS))).toBe('ok');
  });
});

describe('ManifestWork', () => {
  const fine = [configMap({ name: 'a' })];
  it.each([
    { name: 'one manifest', object: work(fine), want: 'ok' },
    { name: 'none', object: work([]), want: 'spec.workload.manifests: a work needs at least one manifest' },
    {
      name: 'one without a name',
      object: work([configMap({})]),
      want: 'spec.workload.manifests[0].metadata.name: every manifest needs a name',
    },
    {
      name: 'one with a generated name',
      object: work([configMap({ generateName: 'a-' })]),
      want: 'spec.workload.manifests[0].metadata.generateName: is not allowed, the manifest needs a name of its own',
    },
    {
      name: 'the same object twice',
      object: work([configMap({ name: 'a' }), configMap({ name: 'a', namespace: 'x' }), configMap({ name: 'a' })]),
      want: 'spec.workload.manifests[2]: ConfigMap a is in the work already, at spec.workload.manifests[0]',
    },
    {
      name: 'more than fits',
      object: work([configMap({ name: 'a', annotations: { big: 'x'.repeat(512_000) } })]),
      want: 'spec.workload.manifests: 512087 bytes of manifests; a work may hold 512000',
    },
    { name: 'an executor', object: work(fine, { executor }), want: 'if execute-as manifestworks c1/system:serviceaccount:ns:sa' },
  ])('with $name', ({ object, want }) => {
    expect(brief(review(writing(object), hub, SETTINGS))).toBe(want);
  });

  const other = { subject: { type: 'ServiceAccount', serviceAccount: { namespace: 'ns', name: 'other' } } } as const;
  it('checks the executor again only when it changes', () => {
    const after = work([configMap({ name: 'b' })], { executor });
    expect(brief(review(writing(after, work(fine, { executor })), hub, SETTINGS))).toBe('ok');
    expect(brief(review(writing(after, work(fine)), hub, SETTINGS))).toContain('execute-as');
  });

  it.each([
    { name: 'set', before: {}, after: { executor }, want: 'if execute-as manifestworks c1/system:serviceaccount:ns:sa' },
    {
      name: 'changed',
      before: { executor: other },
      after: { executor },
      want: 'if execute-as manifestworks c1/system:serviceaccount:ns:sa',
    },
    {
      name: 'taken away',
      before: { executor },
      after: {},
      want: 'if execute-as manifestworks c1/system:serviceaccount::klusterlet-work-sa',
    },
    { name: 'left out as before', before: {}, after: {}, want: 'ok' },
  ])('judges an executor that is $name', ({ before, after, want }) => {
    expect(brief(review(writing(work(fine, after), work(fine, before)), hub, SETTINGS))).toBe(want);
  });

  it("refuses a writer without the right with upstream's message", () => {
    expect(review(writing(work(fine, { executor })), hub, SETTINGS)).toMatchObject({
      requires: [{ denied: 'user jane cannot manipulate the Manifestwork with executor ns/sa in namespace c1' }],
    });
  });

  it('may require the right to act as the agent itself', () => {
    const result = review(writing(work(fine)), hub, { ...SETTINGS, checkMissingExecutor: true });
    expect(brief(result)).toBe('if execute-as manifestworks c1/system:serviceaccount::klusterlet-work-sa');
  });

  it('AT-16 checks the executor of a work that is nested too deep, however it was stored', () => {
    const deep = [{ ...configMap({ name: 'a' }), data: nested(1_000) }];
    const tooDeep = /^spec\.workload\.manifests\[0\]\.data\..*: nested deeper than 200 levels$/;
    const before = work(deep);
    expect(brief(review(writing(work(deep, { executor }), before), hub, SETTINGS))).toMatch(tooDeep);
    expect(brief(review(writing(work(deep), work(deep, { executor })), hub, SETTINGS))).toMatch(tooDeep);
    expect(brief(review(writing(work(fine, { executor }), before), hub, SETTINGS))).toContain('execute-as');
    expect(brief(review(writing({ ...before, metadata: { ...before.metadata, finalizers: [] } }, before), hub, SETTINGS))).toBe('ok');
  });

  it('lets a work that is wrong be finalized', () => {
    const before = work([]);
    expect(brief(review(writing({ ...before, metadata: { name: 'w', finalizers: [] } }, before), hub, SETTINGS))).toBe('ok');
  });
});

function cluster(spec: ManagedCluster['spec'], labels?: Record<string, string>, name = 'c1'): ManagedCluster {
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name, ...(labels ? { labels } : {}) },
    spec,
  };
}
const inSet = (set: string): Record<string, string> => ({ 'cluster.open-cluster-management.io/clusterset': set });

describe('ManagedCluster', () => {
  it.each([
    { name: 'joining without a wish', object: cluster({}), want: 'ok' },
    { name: 'joining the default set', object: cluster({}, inSet('default')), want: 'ok' },
    { name: 'joining another set', object: cluster({}, inSet('prod')), want: 'if create managedclustersets/join prod' },
    {
      name: 'moving to another set',
      old: cluster({}, inSet('dev')),
      object: cluster({}, inSet('prod')),
      want: 'if create managedclustersets/join dev, create managedclustersets/join prod',
    },
    {
      name: 'moving to the default set',
      old: cluster({}, inSet('dev')),
      object: cluster({}, inSet('default')),
      want: 'if create managedclustersets/join dev, create managedclustersets/join default',
    },
    { name: 'accepted on creation', object: cluster({ hubAcceptsClient: true }), want: 'if update managedclusters/accept c1' },
    { name: 'accepted later', old: cluster({}), object: cluster({ hubAcceptsClient: true }), want: 'if update managedclusters/accept c1' },
    { name: 'accepted before', old: cluster({ hubAcceptsClient: true }), object: cluster({ hubAcceptsClient: true }), want: 'ok' },
    { name: 'denied', old: cluster({ hubAcceptsClient: true }), object: cluster({ hubAcceptsClient: false }), want: 'ok' },
    {
      name: 'accepted while its namespace goes',
      object: cluster({ hubAcceptsClient: true }, undefined, 'gone'),
      want: 'spec.hubAcceptsClient: the namespace gone is being deleted; accept the cluster when it is gone',
    },
    {
      name: 'with a name no namespace can have',
      object: cluster({}, undefined, 'a.b'),
      want: "metadata.name: the cluster's name is also the name of its namespace: must not contain dots",
    },
    {
      name: 'with a plain http address',
      object: cluster({ managedClusterClientConfigs: [{ url: 'http://a' }] }),
      want: 'spec.managedClusterClientConfigs[0].url: "http://a" is not an https address',
    },
    {
      name: 'with an address that was wrong before',
      old: cluster({ managedClusterClientConfigs: [{ url: 'http://a' }] }),
      object: cluster({ managedClusterClientConfigs: [{ url: 'http://a' }], leaseDurationSeconds: 30 }),
      want: 'ok',
    },
  ])('$name', ({ object, old, want }) => {
    expect(brief(review(writing(object, old), hub, SETTINGS))).toBe(want);
  });

  it.each([
    { name: 'no labels', labels: undefined, want: [{ op: 'add', path: '/metadata/labels', value: inSet('default') }] },
    {
      name: 'other labels',
      labels: { a: 'b' },
      want: [{ op: 'add', path: '/metadata/labels/cluster.open-cluster-management.io~1clusterset', value: 'default' }],
    },
    { name: 'a set', labels: inSet('prod'), want: undefined },
  ])('with $name is put into the default set if it is in none', ({ labels, want }) => {
    expect(mutate(writing(cluster({}, labels)), NOW)).toEqual({ allowed: true, ...(want ? { patch: want } : {}) });
  });
});

describe('AT-01 reserved names of clusters', () => {
  it.each([
    'managed-clusters',
    'outrigger-join',
    'open-cluster-management-hub',
    'default',
    'kube-system',
    'kube-public',
    'kube-node-lease',
  ])('a new cluster may not be named %s, and an existing one may be changed', (name) => {
    const object = cluster({}, {}, name);
    expect(brief(review(writing(object), hubWith({}), SETTINGS))).toMatch(/^metadata\.name: .* is reserved; choose another name$/);
    expect(brief(review(writing(object, object), hubWith({}), SETTINGS))).toBe('ok');
  });

  it.each(['default', 'kube-system'])('no agent may write Events about the fleet in %s, because no cluster has this name', (name) => {
    expect(isFleetNamespace(name)).toBe(true);
    expect(clusterNameProblem(name)).toContain('is reserved');
  });

  it('the agents of all clusters are in the group of the name managed-clusters only', () => {
    expect(clusterAgentGroup('managed-clusters')).toBe(ALL_CLUSTER_AGENTS_GROUP);
  });
});

describe('taints of a ManagedCluster', () => {
  const early = '2025-01-01T00:00:00Z';
  const taint = { key: 'k', value: 'v', effect: 'NoSelect' as const };
  const stamped = { ...taint, timeAdded: early };
  const at = (value: string, op = 'add', index = 0) => [{ op, path: `/spec/taints/${index}/timeAdded`, value }];
  const labels = inSet('default');
  const shifted = (ms: number): string => toTime(Date.parse(NOW) + ms);

  it.each([
    { name: 'a new one gets the present', before: [], after: [taint], want: at(NOW) },
    { name: 'one sent back as read stays', before: [stamped], after: [stamped], want: undefined },
    { name: 'one sent back without its time keeps it', before: [stamped], after: [taint], want: at(early) },
    { name: 'a changed value starts anew', before: [stamped], after: [{ ...stamped, value: 'w' }], want: at(NOW, 'replace') },
    {
      name: 'a second effect of the same key leaves the first alone',
      before: [stamped, { ...stamped, effect: 'PreferNoSelect' as const }],
      after: [stamped, { ...stamped, effect: 'PreferNoSelect' as const }],
      want: undefined,
    },
    {
      name: 'one with a null for its time, as Go sends it, gets the present',
      before: [],
      after: [{ ...taint, timeAdded: null }],
      want: at(NOW),
    },
    { name: 'one sent back with a null for its time keeps it', before: [stamped], after: [{ ...taint, timeAdded: null }], want: at(early) },
    { name: 'one before another shifts nothing', before: [stamped], after: [{ ...taint, key: 'new' }, stamped], want: at(NOW) },
  ])('$name', ({ before, after, want }) => {
    const sent = { taints: after } as ManagedCluster['spec'];
    const result = mutate(writing(cluster(sent, labels), cluster({ taints: before }, labels)), NOW);
    expect((result as { patch?: unknown }).patch).toEqual(want);
  });

  it('may not carry a time of their own', () => {
    expect(brief(mutate(writing(cluster({ taints: [stamped] }, labels)), NOW))).toBe(
      'spec.taints[0].timeAdded: is set by the hub, leave it out',
    );
  });

  it.each([
    { name: 'earlier', time: shifted(-3_000), want: at(NOW, 'replace') },
    { name: 'on a clock that is ahead', time: shifted(3_000), want: at(NOW, 'replace') },
    { name: 'at the same second', time: NOW, want: undefined },
  ])('may carry the time that the webhook of another program set just before: $name', ({ time, want }) => {
    const result = mutate(writing(cluster({ taints: [{ ...taint, timeAdded: time }] }, labels)), NOW, { followsOtherWebhooks: true });
    expect(result).toEqual({ allowed: true, ...(want ? { patch: want } : {}) });
    expect(mutate(writing(cluster({ taints: [{ ...taint, timeAdded: time }] }, labels)), NOW).allowed).toBe(false);
  });

  it.each([early, shifted(-3_600_000), shifted(3_600_000), 'soon', 5])(
    'may not carry the time %s, even if webhooks of other programs come first',
    (time) => {
      const object = cluster({ taints: [{ ...taint, timeAdded: time }] } as ManagedCluster['spec'], labels);
      expect(mutate(writing(object), NOW, { followsOtherWebhooks: true }).allowed).toBe(false);
    },
  );
});

describe('fields that the hub sets', () => {
  const stamped = cluster({ taints: [{ key: 'k', effect: 'NoSelect', timeAdded: NOW }] }, inSet('default'));

  it('are not checked as changes of the writer', () => {
    expect(brief(review(writing(stamped, cluster({}, inSet('default'))), hub, SETTINGS))).toBe('ok');
  });

  it.each([
    { name: 'no spec', object: { ...stamped, spec: undefined } },
    { name: 'a word for a list', object: { ...stamped, spec: { taints: 'all' } } },
    { name: 'a word for a taint', object: { ...stamped, spec: { taints: ['all'] } } },
  ])('survives $name', ({ object }) => {
    expect(mutate(writing(object as unknown as ManagedCluster), NOW)).toEqual({ allowed: true });
  });
});

describe('ManagedClusterSetBinding', () => {
  const binding = (name: string, clusterSet: string): KubeObject =>
    ({
      apiVersion: 'cluster.open-cluster-management.io/v1beta2',
      kind: 'ManagedClusterSetBinding',
      metadata: { name, namespace: 'ns' },
      spec: { clusterSet },
    }) as KubeObject;

  it.each([
    { name: 'needs the right to bind the set', object: binding('prod', 'prod'), want: 'if create managedclustersets/bind prod' },
    {
      name: 'has the name of the set',
      object: binding('mine', 'prod'),
      want: 'spec.clusterSet: the binding must have the name of the set it binds',
    },
  ])('$name', ({ object, want }) => {
    expect(brief(review(writing(object), hub, SETTINGS))).toBe(want);
  });

  it('may be labelled by a user who may not bind', () => {
    expect(brief(review(writing(binding('prod', 'prod'), binding('prod', 'prod')), hub, SETTINGS))).toBe('ok');
  });
});
