import {
  CLUSTER_SET_MESSAGES,
  type ClusterSetCondition,
  type ClusterSetSelector,
  DEFAULT_CLUSTER_SET,
  GLOBAL_CLUSTER_SET,
  type ManagedClusterSet,
  managedClusterSets,
} from '@outrigger/api';
import { apiVersionOf, deepEqual, setCondition } from '@outrigger/core';
import type { ApiAction, Decision, Now } from '@outrigger/kube';
import { patchObserved, patchObservedStatus } from '../../observed-actions.js';
import { HUB } from '../../../resources/base.js';
import type { ClusterSetProjection } from '../../../resources/cluster-sets.js';

export interface ClusterSetState {
  readonly name: string;
  /** The set; undefined if it is a built-in set that does not exist yet. */
  readonly set: ClusterSetProjection | undefined;
  readonly count: number;
}

/** The sets that exist on every hub: the default set, for clusters in no other set, and the set of all clusters. */
export const BUILT_IN_SETS: ReadonlyMap<string, ClusterSetSelector> = new Map([
  [DEFAULT_CLUSTER_SET, { selectorType: 'ExclusiveClusterSetLabel' }],
  [GLOBAL_CLUSTER_SET, { selectorType: 'LabelSelector', labelSelector: {} }],
]);

/** Decides one pass over a ManagedClusterSet. */
export function decideSet({ name, set, count }: ClusterSetState, now: Now): Decision {
  const builtIn = BUILT_IN_SETS.get(name);
  if (!set) return builtIn ? { stages: [[create(name, builtIn)]] } : { stages: [] };
  if (set.isDeleting) return { stages: [] };
  const restored = builtIn && !set.isFrozen && !deepEqual(set.selector, builtIn) ? [restore(set, builtIn)] : [];
  const actions = restored.length > 0 ? restored : statusActions(set, count, now);
  return actions.length > 0 ? { stages: [actions] } : { stages: [] };
}

function create(name: string, clusterSelector: ClusterSetSelector): ApiAction {
  const object: ManagedClusterSet = {
    apiVersion: apiVersionOf(managedClusterSets),
    kind: managedClusterSets.kind,
    metadata: { name },
    spec: { clusterSelector },
  };
  return { type: 'create', id: 'set', api: HUB, kind: managedClusterSets, object, accept: ['AlreadyExists'] };
}

function restore(set: ClusterSetProjection, { selectorType, labelSelector }: ClusterSetSelector): ApiAction {
  // A merge patch with an empty selector would change nothing, so set the fields of the existing selector to null.
  const emptied = labelSelector ? { matchLabels: null, matchExpressions: null } : null;
  return patchObserved(set, managedClusterSets, 'set', { spec: { clusterSelector: { selectorType, labelSelector: emptied } } });
}

function statusActions(set: ClusterSetProjection, count: number, now: Now): readonly ApiAction[] {
  const conditions = setCondition(set.conditions, emptyCondition(count), { generation: set.generation, now: now.time });
  return conditions === set.conditions ? [] : [patchObservedStatus(set, managedClusterSets, 'status', { conditions })];
}

function emptyCondition(count: number): ClusterSetCondition {
  if (count === 0) return { type: 'ClusterSetEmpty', status: 'True', reason: 'NoClusterMatched', message: CLUSTER_SET_MESSAGES.empty };
  return { type: 'ClusterSetEmpty', status: 'False', reason: 'ClustersSelected', message: CLUSTER_SET_MESSAGES.selected(count) };
}
