import { ADDON_NAME_LABEL, type ManifestWork, REPLICA_SET_LABEL, manifestWorks } from '@outrigger/api';
import { findCondition, parseTime, type Projected } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import { HUB } from './base.js';
import { base, isDeleting } from '@outrigger/rules/observed';

/** The fields of a ManifestWork that determine when it is deleted. */
export interface FinishedWorkProjection extends Projected {
  readonly isDeleting: boolean;
  /** The time for which the work is kept after it is complete; undefined if the work is never deleted. */
  readonly ttlSeconds: number | undefined;
  /** When the work completed, in milliseconds since the epoch; undefined if it is not complete. */
  readonly completedAt: number | undefined;
}

/**
 * Works that belong to neither an add-on nor a replica set. The works of add-ons and replica sets are left out, because their controllers
 * would create a deleted work again.
 */
export const finishedWorks: Resource<FinishedWorkProjection> = {
  name: 'finished-works',
  api: HUB,
  kind: manifestWorks,
  labelSelector: `!${ADDON_NAME_LABEL},!${REPLICA_SET_LABEL}`,
  project(object, intern) {
    const { spec, status } = object as ManifestWork;
    const complete = findCondition(status?.conditions, 'Complete');
    return {
      isDeleting: isDeleting(object),
      ttlSeconds: spec.deleteOption?.ttlSecondsAfterFinished,
      completedAt: complete?.status === 'True' ? parseTime(complete.lastTransitionTime) : undefined,
      ...base(object, intern),
    };
  },
  indexes: {},
};
