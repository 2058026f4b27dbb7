import {
  DECISION_GROUP_INDEX_LABEL,
  DECISION_GROUP_NAME_LABEL,
  PLACEMENT_LABEL,
  type Placement,
  type PlacementDecision,
} from '@outrigger/api';
import { type KubeObject, isConditionTrue, type Intern, type Projected } from '@outrigger/core';
import { base, isDeleting } from './base.js';

/**
 * The fields of a Placement that the install strategy uses, for example to check that its PlacementDecisions contain all selected clusters.
 */
export interface PlacementProjection extends Projected {
  readonly isDeleting: boolean;
  readonly selected: number | undefined;
  readonly clustersPerGroup: number | string | undefined;
  /**
   * Whether the PlacementMisconfigured condition is True. If so, the selection is unknown, so the PlacementDecisions of the Placement are
   * ignored.
   */
  readonly isMisconfigured: boolean;
}

export function projectPlacement(object: KubeObject, intern: Intern): PlacementProjection {
  const placement = object as Placement;
  return {
    isDeleting: isDeleting(placement),
    selected: placement.status?.numberOfSelectedClusters,
    clustersPerGroup: placement.spec.decisionStrategy?.groupStrategy?.clustersPerDecisionGroup,
    isMisconfigured: isConditionTrue(placement.status?.conditions, 'PlacementMisconfigured'),
    ...base(placement, intern),
  };
}

/** One PlacementDecision: one page of the clusters that a Placement selects. */
export interface PlacementDecisionProjection extends Projected {
  /** `namespace/name` of the Placement. */
  readonly placement: string;
  /** The index of the decision group. Pages without an index, which the API allows, form a separate group after all others. */
  readonly groupIndex: number;
  readonly groupName: string;
  readonly clusters: readonly string[];
  /** Set if no scheduler has written the clusters yet, as just after the object was created or restored from a backup. */
  readonly isUnwritten?: true;
}

export function projectPlacementDecision(object: KubeObject, intern: Intern): PlacementDecisionProjection {
  const decision = object as PlacementDecision;
  const labels = decision.metadata.labels ?? {};
  const index = Number(labels[DECISION_GROUP_INDEX_LABEL] ?? 'NaN');
  return {
    placement: intern(`${decision.metadata.namespace ?? ''}/${labels[PLACEMENT_LABEL] ?? ''}`),
    groupIndex: Number.isInteger(index) ? index : Number.MAX_SAFE_INTEGER,
    groupName: labels[DECISION_GROUP_NAME_LABEL] ?? '',
    clusters: (decision.status?.decisions ?? []).map(({ clusterName }) => intern(clusterName)),
    ...(decision.status?.decisions ? {} : { isUnwritten: true as const }),
    ...base(decision, intern),
  };
}
