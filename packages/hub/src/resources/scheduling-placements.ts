import { type Placement, type PlacementSpec, type PlacementStatus, SCHEDULING_DISABLED_ANNOTATION, placements } from '@outrigger/api';
import type { Resource } from '@outrigger/kube';
import { HUB } from './base.js';
import { base, generationOf, isDeleting } from '@outrigger/rules/observed';
import { type LabelSelector, memoize, type Projected } from '@outrigger/core';

/** The fields of a Placement that select its clusters. */
export interface SchedulingPlacementProjection extends Projected {
  readonly generation: number;
  readonly isDeleting: boolean;
  /** Whether scheduling is disabled because a user or another scheduler selects the clusters of the Placement. */
  readonly isDisabled: boolean;
  readonly spec: PlacementSpec;
  readonly status: PlacementStatus;
}

export const schedulingPlacements: Resource<SchedulingPlacementProjection, 'namespace'> = {
  name: 'scheduling-placements',
  api: HUB,
  kind: placements,
  project(object, intern) {
    const placement = object as Placement;
    return {
      generation: generationOf(placement),
      isDeleting: isDeleting(placement),
      isDisabled: placement.metadata.annotations?.[SCHEDULING_DISABLED_ANNOTATION] === 'true',
      spec: intern(placement.spec),
      status: intern(placement.status ?? {}),
      ...base(placement, intern),
    };
  },
  indexes: { namespace: ({ key }) => [key.namespace ?? ''] },
};

/** Whether the Placement has expressions over clusters, so that it may depend on any field of a cluster. */
export function usesExpressions({ spec }: SchedulingPlacementProjection): boolean {
  return (spec.predicates ?? []).some(
    ({ requiredClusterSelector }) => (requiredClusterSelector?.celSelector?.celExpressions ?? []).length > 0,
  );
}

/**
 * Whether AddOnPlacementScores with this name may affect the Placement. They may if one of its prioritizers names them, or if it has a CEL
 * expression, which can read any scores.
 */
export function usesScore(placement: SchedulingPlacementProjection, name: string): boolean {
  const { configurations = [] } = placement.spec.prioritizerPolicy ?? {};
  return usesExpressions(placement) || configurations.some(({ scoreCoordinate }) => scoreCoordinate?.addOn?.resourceName === name);
}

/**
 * Whether a selector of the Placement names the label, so that the label may decide whether the Placement selects a cluster, or to which
 * decision group the cluster belongs.
 */
export function namesLabel({ spec }: SchedulingPlacementProjection, label: string): boolean {
  return labelsOf(spec).has(label);
}

const labelsOf = memoize(({ predicates = [], decisionStrategy }: PlacementSpec): ReadonlySet<string> => {
  const groups = decisionStrategy?.groupStrategy?.decisionGroups ?? [];
  const selectors: readonly (LabelSelector | undefined)[] = [
    ...predicates.map(({ requiredClusterSelector }) => requiredClusterSelector?.labelSelector),
    ...groups.map(({ groupClusterSelector }) => groupClusterSelector.labelSelector),
  ];
  return new Set(
    selectors.flatMap(({ matchLabels = {}, matchExpressions = [] } = {}) => [
      ...Object.keys(matchLabels),
      ...matchExpressions.map(({ key }) => key),
    ]),
  );
});
