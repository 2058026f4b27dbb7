import type { RolloutStrategy } from '@outrigger/api';
import { type ObjectKey, keyString } from '@outrigger/core';
import type { CacheView, KeyMemory } from '@outrigger/kube';
import { NO_CLUSTERS, decidedClusters, isFirstDecision, strategyProblem } from '@outrigger/rules/strategy';
import { decisions, placements } from '../../resources/placements.js';
import { replicaSets } from '../../resources/replica-sets.js';
import { type ReplicaSetWorkProjection, replicaSetWorks } from '../../resources/replica-set-works.js';
import { placementReader, setLabel } from './names.js';
import type { SeenWorks } from './soak.js';
import type { ObservedPlacement, ReplicaSetState, UnknownPlacement } from './state.js';

const NOTHING_SEEN: SeenWorks = new Map();

/** Reads all inputs of a pass over a ManifestWorkReplicaSet in one synchronous turn. */
export function observe(view: CacheView, key: ObjectKey, memory: KeyMemory<SeenWorks>): ReplicaSetState | undefined {
  const set = view.get(replicaSets, key);
  if (!set) return undefined;
  const refs = new Map(set.placementRefs.map((ref) => [ref.name, ref]));
  return {
    set,
    placements: [...refs.values()].map(({ name, rolloutStrategy }) => ({
      name,
      strategy: rolloutStrategy,
      ...observePlacement(view, { namespace: key.namespace ?? '', name }, rolloutStrategy),
    })),
    works: worksOf(view, key, [...refs.keys()]),
    outcomes: memory,
    seen: memory.remembered ?? NOTHING_SEEN,
  };
}

function worksOf(view: CacheView, key: ObjectKey, placementNames: readonly string[]): readonly ReplicaSetWorkProjection[] {
  const placementOf = placementReader(key, placementNames);
  return view.byIndex(replicaSetWorks, 'set', setLabel(key)).flatMap((work) => {
    const placement = placementOf(work);
    if (placement === undefined) return [];
    return [placement === work.placement ? work : { ...work, placement }];
  });
}

type PlacementContent = Omit<ObservedPlacement, 'name' | 'strategy'>;

function observePlacement(
  view: CacheView,
  key: { readonly namespace: string; readonly name: string },
  strategy: RolloutStrategy | undefined,
): PlacementContent {
  const placement = view.get(placements, key);
  const pages = view.byIndex(decisions, 'placement', keyString(key));
  const decided = decidedClusters(pages);
  const unknown = (reason: UnknownPlacement['reason'], message: string): PlacementContent => ({
    unknown: { reason, message },
    decided: NO_CLUSTERS,
    isFirstDecision: false,
    clustersPerGroup: undefined,
  });
  // A value that cannot be parsed must not count as absent, because the set would then roll out faster than its author requested.
  const problem = strategyProblem(strategy);
  if (problem !== undefined) return unknown('NotAsExpected', `spec.placementRefs: ${problem} (Placement ${key.name}).`);
  if (!placement) return unknown('PlacementDecisionNotFound', `Placement ${key.name} does not exist in namespace ${key.namespace}.`);
  if (placement.isMisconfigured) return unknown('NotAsExpected', `Placement ${key.name} is misconfigured; see its conditions.`);
  if (!decided) return unknown('PlacementDecisionNotFound', `Placement ${key.name} has no PlacementDecision yet.`);
  if (decided.positions.size < (placement.selected ?? 0)) return unknown('NotAsExpected', `Placement ${key.name} is being decided.`);
  return { unknown: undefined, decided, isFirstDecision: isFirstDecision(placement, pages), clustersPerGroup: placement.clustersPerGroup };
}
