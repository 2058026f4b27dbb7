import { CLUSTER_SET_LABEL, type ManagedCluster, type Placement } from '@outrigger/api';
import { type KubeObject, keyString, type Projected } from '@outrigger/core';
import type { Change, Resource } from '@outrigger/kube';
import { describe, expect, it } from 'vitest';
import { clusterSetBindings, clusterSets } from '../../resources/cluster-sets.js';
import { placementScores } from '../../resources/placement-scores.js';
import { schedulingClusters } from '../../resources/scheduling-clusters.js';
import { ObjectHub } from '../../../testing/settle.js';
import { placementController } from './controller.js';
import { NAMESPACE, binding, cluster, clusterSet, placement, score } from './fixtures.js';
import { wakeByBinding, wakeByCluster, wakeByScore, wakeBySet } from './wake.js';

const controller = placementController();
const named = (name: string, spec: Placement['spec'] = {}, namespace: string = NAMESPACE): Placement => {
  return { ...placement(spec), metadata: { name, namespace } };
};
const cel = { predicates: [{ requiredClusterSelector: { celSelector: { celExpressions: ['managedCluster.spec.hubAcceptsClient'] } } }] };
const scored = {
  prioritizerPolicy: { configurations: [{ scoreCoordinate: { type: 'AddOn' as const, addOn: { resourceName: 'load', scoreName: 'x' } } }] },
};

/** Namespace `apps` is bound to the sets blue and prod, and `other` to the set red. The set prod has a label selector. */
const hub = new ObjectHub(controller, [
  clusterSet('blue'),
  clusterSet('red'),
  clusterSet('prod', { clusterSelector: { selectorType: 'LabelSelector', labelSelector: { matchLabels: { env: 'prod' } } } }),
  binding('blue'),
  binding('prod'),
  binding('red', 'other'),
  named('any'),
  named('only-blue', { clusterSets: ['blue'] }),
  named('cel', cel),
  named('scored', { ...scored, clusterSets: ['blue'] }),
  named('canary', { predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'canary' } } } }] }),
  named('waves', {
    decisionStrategy: {
      groupStrategy: {
        decisionGroups: [
          { groupName: 'first', groupClusterSelector: { labelSelector: { matchExpressions: [{ key: 'wave', operator: 'Exists' }] } } },
        ],
      },
    },
  }),
  named('red', {}, 'other'),
  cluster('b', { [CLUSTER_SET_LABEL]: 'blue' }),
]);

function change<P extends Projected>(resource: Resource<P>, before: KubeObject | undefined, after: KubeObject | undefined): Change<P> {
  return { before: before && resource.project(before, shared), after: after && resource.project(after, shared) };
}
const kept = new Map<string, unknown>();
/** Returns the same instance for equal values, as a cache does. */
const shared = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null) return value;
  const text = JSON.stringify(value);
  if (!kept.has(text)) kept.set(text, value);
  return kept.get(text) as T;
};
const names = (keys: Iterable<{ name: string; namespace?: string }>): readonly string[] => [...new Set([...keys].map(keyString))].sort();

describe('placement: which changes wake which Placements', () => {
  const blue = cluster('x', { [CLUSTER_SET_LABEL]: 'blue' });
  const red = cluster('x', { [CLUSTER_SET_LABEL]: 'red' });
  const prod = cluster('x', { env: 'prod' });
  const allOfApps = ['apps/any', 'apps/canary', 'apps/cel', 'apps/only-blue', 'apps/scored', 'apps/waves'];
  const labelled = (labels: Record<string, string>): ManagedCluster => cluster('x', { [CLUSTER_SET_LABEL]: 'blue', ...labels });
  it.each<{ name: string; before?: ManagedCluster; after?: ManagedCluster; want: readonly string[] }>([
    { name: 'a cluster comes into a set', after: blue, want: allOfApps },
    { name: 'a cluster is deleted', before: red, want: ['other/red'] },
    { name: 'a cluster changes sets: both sides hear', before: blue, after: red, want: [...allOfApps, 'other/red'] },
    { name: 'a set by labels', after: prod, want: ['apps/any', 'apps/canary', 'apps/cel', 'apps/waves'] },
    { name: 'a cluster of no set', after: cluster('x'), want: [] },
    {
      name: 'a taint',
      before: blue,
      after: cluster('x', { [CLUSTER_SET_LABEL]: 'blue' }, [{ key: 'a', effect: 'NoSelect' }]),
      want: allOfApps,
    },
    { name: 'a claim', before: blue, after: { ...blue, status: { clusterClaims: [{ name: 'a', value: 'b' }] } }, want: allOfApps },
    { name: 'more room', before: blue, after: { ...blue, status: { allocatable: { cpu: '2' } } }, want: allOfApps },
    {
      name: 'a label of an add-on that no selector names: only for those with expressions',
      before: labelled({ 'feature.open-cluster-management.io/addon-a': 'unhealthy' }),
      after: labelled({ 'feature.open-cluster-management.io/addon-a': 'available' }),
      want: ['apps/cel'],
    },
    { name: 'a label that a predicate names', before: blue, after: labelled({ tier: 'canary' }), want: ['apps/canary', 'apps/cel'] },
    { name: 'the end of a label that a group names', before: labelled({ wave: '1' }), after: blue, want: ['apps/cel', 'apps/waves'] },
    { name: 'a label that brings it into a further set', before: blue, after: labelled({ env: 'prod' }), want: allOfApps },
    {
      name: 'a mere condition: only for those with expressions',
      before: blue,
      after: { ...blue, status: { conditions: [{ type: 'A', status: 'True', reason: 'B', message: '', lastTransitionTime: '' }] } },
      want: ['apps/cel'],
    },
    {
      name: 'a write that changed nothing',
      before: blue,
      after: { ...blue, metadata: { ...blue.metadata, resourceVersion: '9' } },
      want: [],
    },
  ])('$name', ({ before, after, want }) => {
    expect(names(wakeByCluster(change(schedulingClusters, before, after), hub.view))).toEqual(want);
  });

  it.each([
    { name: 'a set that comes', before: undefined, after: clusterSet('blue'), want: allOfApps },
    {
      name: 'a set with another selector',
      before: clusterSet('red'),
      after: clusterSet('red', { clusterSelector: { selectorType: 'LabelSelector', labelSelector: {} } }),
      want: ['other/red'],
    },
    {
      name: 'a set whose conditions change',
      before: clusterSet('red'),
      after: { ...clusterSet('red'), status: { conditions: [] } },
      want: [],
    },
  ])('$name', ({ before, after, want }) => expect(names(wakeBySet(change(clusterSets, before, after), hub.view))).toEqual(want));

  it('a deleted binding wakes the Placements of its namespace that name the set', () => {
    expect(names(wakeByBinding(change(clusterSetBindings, binding('prod'), undefined), hub.view))).toEqual([
      'apps/any',
      'apps/canary',
      'apps/cel',
      'apps/waves',
    ]);
    expect(names(wakeByBinding(change(clusterSetBindings, binding('prod'), binding('prod')), hub.view))).toEqual([]);
  });

  it('a score wakes those that may choose the cluster and use the score', () => {
    expect(names(wakeByScore(change(placementScores, undefined, score('b', 'load', 1)), hub.view))).toEqual(['apps/cel', 'apps/scored']);
    expect(names(wakeByScore(change(placementScores, undefined, score('b', 'other', 1)), hub.view))).toEqual(['apps/cel']);
    expect(names(wakeByScore(change(placementScores, undefined, score('x', 'load', 1)), hub.view))).toEqual([]);
  });
});
