import { placementDecisions, placements as placementKind } from '@outrigger/api';
import type { Resource } from '@outrigger/kube';
import { type DecisionRecord, type PlacementRecord, projectDecision, projectPlacement } from '@outrigger/rules/observed';
import { HUB } from './base.js';

export const placements: Resource<PlacementRecord> = {
  name: 'placements',
  api: HUB,
  kind: placementKind,
  project: projectPlacement,
  indexes: {},
};

export const decisions: Resource<DecisionRecord, 'placement' | 'cluster'> = {
  name: 'decisions',
  api: HUB,
  kind: placementDecisions,
  project: projectDecision,
  indexes: {
    placement: ({ placement }) => [placement],
    cluster: ({ clusters }) => clusters,
  },
};
