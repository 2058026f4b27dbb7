import { placementDecisions, placements as placementKind } from '@outrigger/api';
import type { Resource } from '@outrigger/kube';
import type { PlacementDecisionProjection, PlacementProjection } from '@outrigger/rules/observed';
import { projectPlacementDecision, projectPlacement } from '@outrigger/rules/observed';
import { HUB } from './base.js';

export const placements: Resource<PlacementProjection> = {
  name: 'placements',
  api: HUB,
  kind: placementKind,
  project: projectPlacement,
  indexes: {},
};

export const decisions: Resource<PlacementDecisionProjection, 'placement' | 'cluster'> = {
  name: 'decisions',
  api: HUB,
  kind: placementDecisions,
  project: projectPlacementDecision,
  indexes: {
    placement: ({ placement }) => [placement],
    cluster: ({ clusters }) => clusters,
  },
};
