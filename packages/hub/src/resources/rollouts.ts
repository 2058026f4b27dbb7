import { addOnRollouts } from '@outrigger/api';
import type { Resource } from '@outrigger/kube';
import { type RolloutRecord, projectRollout } from '../observed/rollouts.js';
import { HUB } from './base.js';

export const rollouts: Resource<RolloutRecord> = {
  name: 'rollouts',
  api: HUB,
  kind: addOnRollouts,
  project: projectRollout,
  indexes: {},
};
