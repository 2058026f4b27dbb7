import { type ClusterTaint, UNAVAILABLE_TAINT, UNREACHABLE_TAINT } from '@outrigger/api';
import { conditionStatus } from '@outrigger/core';
import type { LifecycleProjection } from '../../../resources/cluster-lifecycle.js';

/**
 * Returns the cluster's taints with the taint by which Placements avoid an unreachable or unhealthy cluster. Returns the same list if it is
 * already correct.
 */
export function availabilityTaints({ conditions, taints, isDeleting }: LifecycleProjection): readonly ClusterTaint[] {
  if (isDeleting) return taints;
  const wanted = taintFor(conditionStatus(conditions, 'ManagedClusterConditionAvailable'));
  const others = taints.filter(({ key }) => key !== UNREACHABLE_TAINT && key !== UNAVAILABLE_TAINT);
  const own = taints.filter((taint) => !others.includes(taint));
  const isRight = wanted === undefined ? own.length === 0 : own.length === 1 && own[0]?.key === wanted && own[0].effect === 'NoSelect';
  if (isRight) return taints;
  // Do not set timeAdded: the hub's admission sets it, and rejects a value from the writer.
  return wanted === undefined ? others : [...others, { key: wanted, effect: 'NoSelect' }];
}

function taintFor(available: 'True' | 'False' | 'Unknown' | undefined): string | undefined {
  if (available === 'True') return undefined;
  return available === 'False' ? UNAVAILABLE_TAINT : UNREACHABLE_TAINT;
}
