import type { KubeObject } from '@outrigger/core';
import type { Resource } from '../../registry/resource.js';

/** Whether a deleted object can be removed, because neither a finalizer nor a grace period remains. */
export function isFinished(resource: Resource, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined || finalizers.length > 0 || deletionGracePeriodSeconds > 0) return false;
  return resource.strategy.mayBeRemoved?.(object) ?? true;
}
