import { type ObjectKey, keyString } from '@outrigger/core';
import type { CacheView, Outcomes } from '@outrigger/kube';
import { clusterSetBindings, clusterSets } from '../../resources/cluster-sets.js';
import { decisionPages } from '../../resources/decision-pages.js';
import { placementScores } from '../../resources/placement-scores.js';
import { type SchedulingClusterProjection, schedulingClusters } from '../../resources/scheduling-clusters.js';
import { schedulingPlacements } from '../../resources/scheduling-placements.js';
import { type Candidate, isMember } from '@outrigger/rules/scheduling';
import type { PlacementState } from './state.js';

/** Reads all inputs of a pass over a Placement in one synchronous turn. */
export function observe(view: CacheView, key: ObjectKey, outcomes: Outcomes): PlacementState | undefined {
  const placement = view.get(schedulingPlacements, key);
  if (!placement) return undefined;
  const { namespace = '' } = key;
  const bound = view
    .byIndex(clusterSetBindings, 'namespace', namespace)
    .map((binding) => binding.key.name)
    .filter((set) => view.get(clusterSets, { name: set }) !== undefined)
    .sort();
  const { clusterSets: asked = [] } = placement.spec;
  const eligible = asked.length === 0 ? bound : bound.filter((set) => asked.includes(set));
  return {
    placement,
    bound: bound.length,
    eligible,
    clusters: candidates(view, eligible),
    pages: view.byIndex(decisionPages, 'placement', keyString(key)),
    page: (name) => view.get(decisionPages, { namespace, name }),
    otherDecisions: () => decisionsOfOthers(view, keyString(key)),
    sheet: (cluster, resource) => view.get(placementScores, { namespace: cluster, name: resource }),
    outcomes,
  };
}

function candidates(view: CacheView, sets: readonly string[]): readonly Candidate[] {
  const [only = '', ...others] = sets;
  if (others.length === 0) return membersOf(view, only).filter(({ isDeleting }) => !isDeleting);
  const found = new Map<string, Candidate>();
  for (const name of sets) {
    for (const cluster of membersOf(view, name)) {
      if (!cluster.isDeleting) found.set(cluster.name, cluster);
    }
  }
  return [...found.values()];
}

/** Returns the clusters of a set. Uses the cache index if the set uses the exclusive label, otherwise tests every cluster. */
function membersOf(view: CacheView, set: string): readonly SchedulingClusterProjection[] {
  const clusterSet = view.get(clusterSets, { name: set });
  if (!clusterSet) return [];
  const { selector } = clusterSet;
  if ((selector.selectorType ?? 'ExclusiveClusterSetLabel') === 'ExclusiveClusterSetLabel')
    return view.byIndex(schedulingClusters, 'set', set);
  return [...view.list(schedulingClusters)].filter(({ labels }) => isMember({ name: set, selector }, labels));
}

function decisionsOfOthers(view: CacheView, own: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { placement, clusters } of view.list(decisionPages)) {
    if (placement === own) continue;
    for (const cluster of clusters) counts.set(cluster, (counts.get(cluster) ?? 0) + 1);
  }
  return counts;
}
