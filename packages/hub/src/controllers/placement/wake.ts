import { CLUSTER_SET_LABEL } from '@outrigger/api';
import { type ObjectKey, deepEqual, parseKey } from '@outrigger/core';
import type { CacheView, Change } from '@outrigger/kube';
import { type SetBindingProjection, type ClusterSetProjection, clusterSetBindings, clusterSets } from '../../resources/cluster-sets.js';
import type { DecisionPageProjection } from '../../resources/decision-pages.js';
import type { PlacementScoreProjection } from '../../resources/placement-scores.js';
import { type SchedulingClusterProjection, schedulingClusters } from '../../resources/scheduling-clusters.js';
import {
  type SchedulingPlacementProjection,
  namesLabel,
  schedulingPlacements,
  usesExpressions,
  usesScore,
} from '../../resources/scheduling-placements.js';
import { isMember } from '@outrigger/rules/scheduling';

/** Each function returns the Placements to wake for a change. */

export function wakeByPlacement({ after }: Change<SchedulingPlacementProjection>): ObjectKey[] {
  return after ? [after.key] : [];
}

/**
 * Wakes only the Placement to which the PlacementDecision belongs. The PlacementDecisions of other Placements affect the Balance score too,
 * but a Placement takes them into account only when another change wakes it.
 */
export function wakeByPage({ before, after }: Change<DecisionPageProjection>): ObjectKey[] {
  return [...new Set([before?.placement, after?.placement])].flatMap((placement) => (placement === undefined ? [] : [parseKey(placement)]));
}

/**
 * Wakes the Placements that may select the cluster through a set, by its old or new labels. A change of any field wakes Placements with
 * expressions. Other Placements are woken only by fields by which they can select, tolerate or score clusters. A label is such a field if
 * one of their selectors names it, or if it determines which sets contain the cluster. The labels that list a cluster's add-ons change with
 * the health of every add-on; these changes wake few Placements, because hardly any Placement names these labels.
 */
export function wakeByCluster({ before, after }: Change<SchedulingClusterProjection>, view: CacheView): ObjectKey[] {
  const isRelevant =
    before?.claims !== after?.claims ||
    before?.taints !== after?.taints ||
    before?.allocatable !== after?.allocatable ||
    before?.capacity !== after?.capacity ||
    before?.isDeleting !== after?.isDeleting ||
    !deepEqual(setsOf(view, before?.labels ?? {}), setsOf(view, after?.labels ?? {}));
  const labels = changedLabels(before?.labels ?? {}, after?.labels ?? {});
  return seeing(view, [before, after])
    .filter(
      (placement) =>
        isRelevant ||
        labels.some((label) => namesLabel(placement, label)) ||
        (before?.facts !== after?.facts && usesExpressions(placement)),
    )
    .map(({ key }) => key);
}

function changedLabels(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): readonly string[] {
  if (before === after) return [];
  return Object.keys({ ...before, ...after }).filter((label) => before[label] !== after[label]);
}

/** Wakes Placements if a set is created or deleted, or if its selector changes. A change of the set's conditions wakes no Placement. */
export function wakeBySet({ before, after }: Change<ClusterSetProjection>, view: CacheView): ObjectKey[] {
  if (before && after && deepEqual(before.selector, after.selector)) return [];
  return throughSet(view, (after ?? before)?.key.name ?? '').map(({ key }) => key);
}

export function wakeByBinding({ before, after }: Change<SetBindingProjection>, view: CacheView): ObjectKey[] {
  if (before && after) return [];
  const { name = '', namespace = '' } = (after ?? before)?.key ?? {};
  return inNamespace(view, namespace, name).map(({ key }) => key);
}

export function wakeByScore({ before, after }: Change<PlacementScoreProjection>, view: CacheView): ObjectKey[] {
  const { name = '', namespace = '' } = (after ?? before)?.key ?? {};
  return seeing(view, [view.get(schedulingClusters, { name: namespace })])
    .filter((placement) => usesScore(placement, name))
    .map(({ key }) => key);
}

function seeing(view: CacheView, clusters: readonly (SchedulingClusterProjection | undefined)[]): readonly SchedulingPlacementProjection[] {
  const sets = new Set(clusters.flatMap((cluster) => (cluster ? setsOf(view, cluster.labels) : [])));
  return [...new Set([...sets].flatMap((set) => throughSet(view, set)))];
}

function setsOf(view: CacheView, labels: Readonly<Record<string, string>>): readonly string[] {
  const selecting = view.byIndex(clusterSets, 'selectorType', 'LabelSelector').map(({ key, selector }) => ({ name: key.name, selector }));
  const exclusive = labels[CLUSTER_SET_LABEL];
  return [...(exclusive === undefined ? [] : [exclusive]), ...selecting.filter((set) => isMember(set, labels)).map(({ name }) => name)];
}

function throughSet(view: CacheView, set: string): readonly SchedulingPlacementProjection[] {
  return view.byIndex(clusterSetBindings, 'set', set).flatMap(({ key }) => inNamespace(view, key.namespace ?? '', set));
}

function inNamespace(view: CacheView, namespace: string, set: string): readonly SchedulingPlacementProjection[] {
  return view.byIndex(schedulingPlacements, 'namespace', namespace).filter(({ spec }) => {
    const { clusterSets: asked = [] } = spec;
    return asked.length === 0 || asked.includes(set);
  });
}
