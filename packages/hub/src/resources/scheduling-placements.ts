import { type Placement, type PlacementSpec, type PlacementStatus, SCHEDULING_DISABLED_ANNOTATION, placements } from '@outrigger/api';
import type { Projected, Resource } from '@outrigger/kube';
import { HUB, base, generationOf, isDeleting } from './base.js';

/** A Placement with everything that says which clusters it wants. */
export interface SchedulingPlacementRecord extends Projected {
  readonly generation: number;
  readonly isDeleting: boolean;
  /** A person, or another scheduler, decides for it. */
  readonly isDisabled: boolean;
  readonly spec: PlacementSpec;
  readonly status: PlacementStatus;
}

export const schedulingPlacements: Resource<SchedulingPlacementRecord> = {
  name: 'scheduling-placements',
  api: HUB,
  kind: placements,
  project(object, intern) {
    const placement = object as Placement;
    return {
      ...base(placement, intern),
      generation: generationOf(placement),
      isDeleting: isDeleting(placement),
      isDisabled: placement.metadata.annotations?.[SCHEDULING_DISABLED_ANNOTATION] === 'true',
      spec: intern(placement.spec),
      status: intern(placement.status ?? {}),
    };
  },
  indexes: { namespace: ({ key }) => [key.namespace ?? ''] },
};

/** Whether any of its expressions look at clusters; such a Placement may depend on any field of theirs. */
export function usesExpressions({ spec }: SchedulingPlacementRecord): boolean {
  return (spec.predicates ?? []).some(
    ({ requiredClusterSelector }) => (requiredClusterSelector?.celSelector?.celExpressions ?? []).length > 0,
  );
}

/** Whether the AddOnPlacementScores of this name may sway it: named by a prioritizer, or by an expression, whose arguments are anyone's guess. */
export function usesScore(placement: SchedulingPlacementRecord, name: string): boolean {
  const { configurations = [] } = placement.spec.prioritizerPolicy ?? {};
  return usesExpressions(placement) || configurations.some(({ scoreCoordinate }) => scoreCoordinate?.addOn?.resourceName === name);
}
