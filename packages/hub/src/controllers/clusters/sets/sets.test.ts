import { CLUSTER_SET_LABEL, type ManagedClusterSet, managedClusterSetBindings, managedClusterSets } from '@outrigger/api';
import { type KubeObject, findCondition } from '@outrigger/core';
import { briefly } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { ObjectHub, settle } from '../../../../testing/settle.js';
import { NOW, cluster } from '../fixtures.js';
import { clusterSetBindingController } from './binding-controller.js';
import { clusterSetController } from './set-controller.js';

const set = (name: string, clusterSelector: object, metadata: KubeObject['metadata'] = {}): ManagedClusterSet => ({
  apiVersion: 'cluster.open-cluster-management.io/v1beta2',
  kind: 'ManagedClusterSet',
  metadata: { name, ...metadata },
  spec: { clusterSelector },
});
const EXCLUSIVE = { selectorType: 'ExclusiveClusterSetLabel' };
const named = (name: string, labels: Readonly<Record<string, string>> = {}): KubeObject =>
  cluster({ metadata: { name, uid: name, labels } });

function run(
  name: string,
  ...objects: readonly KubeObject[]
): { readonly passes: readonly string[]; readonly found: ManagedClusterSet | undefined; readonly told: string } {
  const controller = clusterSetController();
  const hub = new ObjectHub(controller, objects);
  const { decisions } = settle(controller, hub, { name }, { now: NOW });
  const found = hub.find(managedClusterSets, { name });
  const { status = '', reason = '', message = '' } = findCondition(found?.status?.conditions, 'ClusterSetEmpty') ?? {};
  return { passes: decisions.map((decision) => briefly(decision).join(' ')), found, told: `${status} ${reason}: ${message}` };
}

describe('cluster sets', () => {
  it.each([
    { name: 'default', want: EXCLUSIVE },
    { name: 'global', want: { selectorType: 'LabelSelector', labelSelector: {} } },
  ])('$name is created if it is missing', ({ name, want }) => {
    const { passes, found } = run(name);
    expect(passes).toEqual([`create ManagedClusterSet ${name}`, `patch ManagedClusterSet/status ${name}`]);
    expect(found?.spec?.clusterSelector).toEqual(want);
  });

  it('any other set is not created', () => expect(run('blue').passes).toEqual([]));

  it('a built-in set that was changed is restored, unless its annotation forbids it', () => {
    const other = { selectorType: 'LabelSelector', labelSelector: { matchLabels: { a: 'b' } } };
    expect(run('global', set('global', other)).found?.spec?.clusterSelector).toEqual({ selectorType: 'LabelSelector', labelSelector: {} });
    expect(run('default', set('default', other)).found?.spec?.clusterSelector).toEqual(EXCLUSIVE);
    const frozen = { annotations: { 'cluster.open-cluster-management.io/autoupdate': 'false' } };
    expect(run('global', set('global', other, frozen)).found?.spec?.clusterSelector).toEqual(other);
  });

  it.each([
    { name: 'none', objects: [named('a')], want: 'True NoClusterMatched: No ManagedCluster selected' },
    {
      name: 'some',
      objects: [named('a', { [CLUSTER_SET_LABEL]: 'blue' }), named('b', { [CLUSTER_SET_LABEL]: 'blue' }), named('c')],
      want: 'False ClustersSelected: 2 ManagedClusters selected',
    },
  ])('reports how many clusters are in it: $name', ({ objects, want }) =>
    expect(run('blue', set('blue', EXCLUSIVE), ...objects).told).toBe(want),
  );

  it('counts by labels too', () => {
    const byLabels = set('prod', { selectorType: 'LabelSelector', labelSelector: { matchLabels: { env: 'prod' } } });
    expect(run('prod', byLabels, named('a', { env: 'prod' }), named('b')).told).toBe('False ClustersSelected: 1 ManagedClusters selected');
  });
});

describe('bindings of cluster sets', () => {
  const binding: KubeObject = {
    apiVersion: 'cluster.open-cluster-management.io/v1beta2',
    kind: 'ManagedClusterSetBinding',
    metadata: { name: 'blue', namespace: 'apps' },
    spec: { clusterSet: 'blue' },
  } as KubeObject;
  it.each([
    { name: 'the set exists', objects: [set('blue', EXCLUSIVE)], want: 'True ClusterSetBound: ' },
    { name: 'it is not', objects: [], want: 'False ClusterSetNotFound: ManagedClusterSet blue does not exist' },
  ])('$name', ({ objects, want }) => {
    const controller = clusterSetBindingController();
    const hub = new ObjectHub(controller, [binding, ...objects]);
    settle(controller, hub, { namespace: 'apps', name: 'blue' }, { now: NOW });
    const { status, reason, message } = findCondition(hub.list(managedClusterSetBindings)[0]?.status?.conditions, 'Bound') ?? {};
    expect(`${status} ${reason}: ${message}`).toBe(want);
  });
});
