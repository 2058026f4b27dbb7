import { type AddOnRollout, type AddOnRolloutSpec, type AddOnRolloutStatus, ROLLOUT_FORMAT_VERSION, addOnRollouts } from '@outrigger/api';
import { type OwnerReference, parseTime } from '@outrigger/core';
import type { Projected, Resource } from '@outrigger/kube';
import { HUB, base, generationOf } from './base.js';

/** The AddOnRollout of an add-on: what was let go, and what people ask of it. */
export interface RolloutRecord extends Projected {
  readonly generation: number;
  readonly createdAt: number;
  readonly owners: readonly OwnerReference[];
  readonly spec: AddOnRolloutSpec;
  /** Of a record in another format than ours nothing but its number: nobody may act on what it only seems to say. */
  readonly status: AddOnRolloutStatus;
}

export const rollouts: Resource<RolloutRecord> = {
  name: 'rollouts',
  api: HUB,
  kind: addOnRollouts,
  project(object, intern) {
    const rollout = object as AddOnRollout;
    return {
      ...base(rollout, intern),
      generation: generationOf(rollout),
      createdAt: parseTime(rollout.metadata.creationTimestamp) ?? 0,
      owners: rollout.metadata.ownerReferences ?? [],
      spec: rollout.spec ?? {},
      status: readable(rollout.status ?? {}),
    };
  },
  indexes: {},
};

function readable(status: AddOnRolloutStatus): AddOnRolloutStatus {
  const { formatVersion } = status;
  return formatVersion === undefined || formatVersion === ROLLOUT_FORMAT_VERSION ? status : { formatVersion };
}
