import { addOnRollouts } from '@outrigger/api';
import type { Resource } from '@outrigger/kube';
import { projectRollout, type RolloutRecord } from '@outrigger/rules/observed';
import { HUB } from './base.js';

export const rollouts: Resource<RolloutRecord> = {
  name: 'rollouts',
  api: HUB,
  kind: addOnRollouts,
  project: projectRollout,
  indexes: {},
};
