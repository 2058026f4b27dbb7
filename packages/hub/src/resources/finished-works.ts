import { ADDON_NAME_LABEL, type ManifestWork, REPLICA_SET_LABEL, manifestWorks } from '@outrigger/api';
import { findCondition, parseTime } from '@outrigger/core';
import type { Projected, Resource } from '@outrigger/kube';
import { HUB } from './base.js';
import { base, isDeleting } from '@outrigger/rules/observed';

/** A ManifestWork with the fields that decide when it is deleted. */
export interface FinishedWorkRecord extends Projected {
  readonly isDeleting: boolean;
  /** How long the work stays after it is completed; undefined if it is never deleted. */
  readonly ttlSeconds: number | undefined;
  /** When the work was completed, in milliseconds since the epoch; undefined if it is not complete. */
  readonly completedAt: number | undefined;
}

/**
 * Works without an add-on or replica set. Works of add-ons and replica sets are left to their controllers, which would create them again.
 */
export const finishedWorks: Resource<FinishedWorkRecord> = {
  name: 'finished-works',
  api: HUB,
  kind: manifestWorks,
  labelSelector: `!${ADDON_NAME_LABEL},!${REPLICA_SET_LABEL}`,
  project(object, intern) {
    const { spec, status } = object as ManifestWork;
    const complete = findCondition(status?.conditions, 'Complete');
    return {
      ...base(object, intern),
      isDeleting: isDeleting(object),
      ttlSeconds: spec.deleteOption?.ttlSecondsAfterFinished,
      completedAt: complete?.status === 'True' ? parseTime(complete.lastTransitionTime) : undefined,
    };
  },
  indexes: {},
};
