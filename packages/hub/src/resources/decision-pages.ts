import type { Projected } from '@outrigger/core';
import {
  DECISION_GROUP_INDEX_LABEL,
  DECISION_GROUP_NAME_LABEL,
  PLACEMENT_LABEL,
  type PlacementDecision,
  placementDecisions,
} from '@outrigger/api';
import type { Resource } from '@outrigger/kube';
import { HUB } from './base.js';
import { base, isDeleting } from '@outrigger/rules/observed';

/** The fields of a PlacementDecision that the placement controller, its only writer, uses. */
export interface DecisionPageProjection extends Projected {
  readonly isDeleting: boolean;
  /** `namespace/name` of the Placement that the label of the PlacementDecision names. */
  readonly placement: string;
  /** The current values of the labels that a PlacementDecision must have. */
  readonly labels: Readonly<Record<string, string>>;
  readonly ownerUid: string | undefined;
  readonly clusters: readonly string[];
}

const LABELS = [PLACEMENT_LABEL, DECISION_GROUP_NAME_LABEL, DECISION_GROUP_INDEX_LABEL];

export const decisionPages: Resource<DecisionPageProjection, 'placement'> = {
  name: 'decision-pages',
  api: HUB,
  kind: placementDecisions,
  project(object, intern) {
    const page = object as PlacementDecision;
    const { labels = {}, ownerReferences = [], namespace = '' } = page.metadata;
    const own = LABELS.flatMap((label) => (labels[label] === undefined ? [] : [[label, labels[label]] as const]));
    return {
      isDeleting: isDeleting(page),
      placement: intern(`${namespace}/${labels[PLACEMENT_LABEL] ?? ''}`),
      labels: intern(Object.fromEntries(own)),
      ownerUid: ownerReferences.find(({ controller }) => controller)?.uid,
      clusters: intern((page.status?.decisions ?? []).map(({ clusterName }) => clusterName)),
      ...base(page, intern),
    };
  },
  indexes: { placement: ({ placement }) => [placement] },
};
