import { type AddOnRollout, type AddOnRolloutSpec, type AddOnRolloutStatus, ROLLOUT_FORMAT_VERSION, addOnRollouts } from '@outrigger/api';
import { type OwnerReference, parseTime } from '@outrigger/core';
import type { Projected, Resource } from '@outrigger/kube';
import { HUB, base, generationOf } from './base.js';

/** An AddOnRollout: the targets and admissions, and what people ask of it in its spec. */
export interface RolloutRecord extends Projected {
  readonly generation: number;
  readonly createdAt: number;
  readonly owners: readonly OwnerReference[];
  readonly spec: AddOnRolloutSpec;
  /**
   * If the status has another format than ours, only its format version is kept, because no controller may act on fields that it could
   * misread.
   */
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
