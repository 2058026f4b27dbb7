import { addOnRollouts } from '@outrigger/api';
import type { Resource } from '@outrigger/kube';
import { projectRollout, type RolloutProjection } from '@outrigger/rules/observed';
import { HUB } from './base.js';

export const rollouts: Resource<RolloutProjection> = {
  name: 'rollouts',
  api: HUB,
  kind: addOnRollouts,
  project: projectRollout,
  indexes: {},
};
