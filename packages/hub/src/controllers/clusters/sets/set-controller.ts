import { CLUSTER_SET_LABEL } from '@outrigger/api';
import type { ObjectKey } from '@outrigger/core';
import { type CacheView, type Change, type Controller, defineController, watch } from '@outrigger/kube';
import { type LifecycleProjection, clusterLifecycles } from '../../../resources/cluster-lifecycle.js';
import { clusterNamespaces } from '../../../resources/cluster-rights.js';
import { type ClusterSetProjection, clusterSets } from '../../../resources/cluster-sets.js';
import { isMember } from '@outrigger/rules/scheduling';
import { BUILT_IN_SETS, type ClusterSetState, decideSet } from './decide-set.js';

/** Keyed by ManagedClusterSet: maintains the two built-in sets, and reports for each set whether it has clusters. */
export function clusterSetController(): Controller<ClusterSetState> {
  return defineController({
    name: 'cluster-sets',
    watches: [
      watch(clusterSets, wakeBySet),
      watch(clusterLifecycles, wakeByMembership),
      // Sets that do not exist yet cause no events, so an event of the namespace `default`, which every API server has, wakes the built-in
      // sets.
      watch(clusterNamespaces, ({ after }) => (after?.key.name === 'default' ? [...BUILT_IN_SETS.keys()].map((name) => ({ name })) : [])),
    ],
    observe,
    decide: decideSet,
    restFactor: 20,
  });
}

function observe(view: CacheView, key: ObjectKey): ClusterSetState | undefined {
  const set = view.get(clusterSets, key);
  if (!set && !BUILT_IN_SETS.has(key.name)) return undefined;
  return { name: key.name, set, count: set ? countMembers(view, set) : 0 };
}

function countMembers(view: CacheView, { key, selector }: ClusterSetProjection): number {
  if ((selector.selectorType ?? 'ExclusiveClusterSetLabel') === 'ExclusiveClusterSetLabel') {
    return view.byIndex(clusterLifecycles, 'set', key.name).length;
  }
  let count = 0;
  for (const { labels } of view.list(clusterLifecycles)) if (isMember({ name: key.name, selector }, labels)) count++;
  return count;
}

function wakeBySet({ before, after }: Change<ClusterSetProjection>): ObjectKey[] {
  const projection = after ?? before;
  return projection ? [projection.key] : [];
}

/** Wakes only the sets that a cluster joined or left, because most label changes affect no set. */
function wakeByMembership({ before, after }: Change<LifecycleProjection>, view: CacheView): ObjectKey[] {
  const left = before?.labels[CLUSTER_SET_LABEL];
  const joined = after?.labels[CLUSTER_SET_LABEL];
  const exclusive = left === joined ? [] : [left, joined].flatMap((name) => (name === undefined ? [] : [{ name }]));
  const selecting = view.byIndex(clusterSets, 'selectorType', 'LabelSelector').filter(({ key, selector }) => {
    const isIn = (cluster: LifecycleProjection | undefined): boolean =>
      cluster !== undefined && isMember({ name: key.name, selector }, cluster.labels);
    return isIn(before) !== isIn(after);
  });
  return [...exclusive, ...selecting.map(({ key }) => key)];
}
