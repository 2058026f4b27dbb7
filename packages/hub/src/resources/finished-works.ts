import { ADDON_NAME_LABEL, type ManifestWork, REPLICA_SET_LABEL, manifestWorks } from '@outrigger/api';
import { findCondition, parseTime } from '@outrigger/core';
import type { Projected, Resource } from '@outrigger/kube';
import { HUB, base, isDeleting } from './base.js';

/** A ManifestWork as far as its end goes. */
export interface FinishedWorkRecord extends Projected {
  readonly isDeleting: boolean;
  /** How long it stays after it was completed; undefined for good. */
  readonly ttlSeconds: number | undefined;
  /** Since when it is complete, in milliseconds since the epoch; undefined while it is not. */
  readonly completedAt: number | undefined;
}

/** Works people made. Those of add-ons and of replica sets are looked after by whoever made them, who would make them again. */
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
