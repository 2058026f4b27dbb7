import { type AddOnRollout, type AddOnRolloutSpec, type AddOnRolloutStatus, addOnRollouts } from '@outrigger/api';
import type { Projected, Resource } from '@outrigger/kube';
import { HUB, base, generationOf } from './base.js';

/** The AddOnRollout of an add-on: what was let go, and what people ask of it. */
export interface RolloutRecord extends Projected {
  readonly generation: number;
  readonly spec: AddOnRolloutSpec;
  readonly status: AddOnRolloutStatus;
}

export const rollouts: Resource<RolloutRecord> = {
  name: 'rollouts',
  api: HUB,
  kind: addOnRollouts,
  project(object, intern) {
    const rollout = object as AddOnRollout;
    return { ...base(rollout, intern), generation: generationOf(rollout), spec: rollout.spec ?? {}, status: rollout.status ?? {} };
  },
  indexes: {},
};
