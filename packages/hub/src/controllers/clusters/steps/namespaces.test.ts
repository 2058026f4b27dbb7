import { CLUSTER_SET_LABEL, type ManagedCluster, type ManagedClusterSet, type ManagedNamespace, managedClusters } from '@outrigger/api';
import { viewOf } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { clusterLifecycles } from '../../../resources/cluster-lifecycle.js';
import { clusterSets } from '../../../resources/cluster-sets.js';
import { ObjectHub, settle } from '../../../../testing/settle.js';
import { clusterController } from '../controller.js';
import { ACCEPTED, CLUSTER, NOW, cluster, condition } from '../fixtures.js';
import { wakeBySet } from '../wake.js';

const KEY = { name: CLUSTER };
const AVAILABLE = [condition('NamespaceAvailable', 'True', 'NamespaceApplied')];

function set(name: string, names: readonly string[], labelSelector?: object): ManagedClusterSet {
  const selector = labelSelector ? { clusterSelector: { selectorType: 'LabelSelector', labelSelector } } : {};
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1beta2',
    kind: 'ManagedClusterSet',
    metadata: { name, uid: `uid-${name}`, generation: 1 },
    spec: { ...selector, managedNamespaces: names.map((one) => ({ name: one })) } as NonNullable<ManagedClusterSet['spec']>,
  };
}

function inSet(name: string, managedNamespaces: readonly ManagedNamespace[] = []): ManagedCluster {
  const object = cluster({ metadata: { labels: { [CLUSTER_SET_LABEL]: name, env: 'prod' } }, conditions: [ACCEPTED] });
  return { ...object, status: { ...object.status, managedNamespaces } };
}

function told(...objects: readonly (ManagedCluster | ManagedClusterSet)[]): readonly ManagedNamespace[] | undefined {
  const controller = clusterController();
  const hub = new ObjectHub(controller, objects);
  settle(controller, hub, KEY, { now: NOW });
  return (hub.find(managedClusters, KEY) as ManagedCluster).status?.managedNamespaces;
}

describe('clusters: the namespaces of their sets', () => {
  it('lists the namespaces that every set of the cluster requests, by set and name', () => {
    expect(told(inSet('b'), set('b', ['two', 'one']), set('a', ['one'], { matchLabels: { env: 'prod' } }), set('other', ['x']))).toEqual([
      { name: 'one', clusterSet: 'a' },
      { name: 'one', clusterSet: 'b' },
      { name: 'two', clusterSet: 'b' },
    ]);
  });

  it('keeps the agent’s report on those that stay, and removes those that no set requests', () => {
    const before = [
      { name: 'gone', clusterSet: 'a', conditions: AVAILABLE },
      { name: 'stays', clusterSet: 'a', conditions: AVAILABLE },
    ];
    expect(told(inSet('a', before), set('a', ['stays', 'new']))).toEqual([
      { name: 'new', clusterSet: 'a' },
      { name: 'stays', clusterSet: 'a', conditions: AVAILABLE },
    ]);
  });

  it('requests no namespace of a set that the cluster left', () => {
    expect(told(inSet('b', [{ name: 'one', clusterSet: 'a' }]), set('a', ['one']))).toEqual([]);
  });

  it('wake every cluster that a set has or had, and no other', () => {
    const view = viewOf(
      [clusterLifecycles, [inSet('b', [{ name: 'one', clusterSet: 'a' }])]],
      [clusterSets, [set('a', ['one']), set('b', [])]],
    );
    const [a, b] = [view.get(clusterSets, { name: 'a' }), view.get(clusterSets, { name: 'b' })];
    expect(wakeBySet({ before: a, after: undefined }, view)).toEqual([KEY]);
    expect(wakeBySet({ before: b, after: b }, view)).toEqual([]);
  });
});
