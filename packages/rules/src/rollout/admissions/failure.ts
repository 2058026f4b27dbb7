import type { RolloutEntry } from '@outrigger/api';
import type { ObservedCluster, StepInput } from '../input.js';
import type { PlacedGroup } from '../phase.js';

/**
 * The requirement that a cluster must meet, after its move failed, to no longer count as failed. `MustBeAvailable`: it has been done and
 * available for minSuccessTime. `TimeAlone`: it has been done for minSuccessTime, whatever its health.
 */
export type RecordedFailure = 'MustBeAvailable' | 'TimeAlone';

/**
 * Returns the requirement with which the record lists a cluster that counts as failed. Undefined if the record keeps the admission of the
 * cluster, or if the cluster succeeded before and reports no failure. Health does not count for a cluster that was unhealthy before its
 * move or that reports no health.
 */
export function failureOf({ strategy, wildcard, keepsFailed }: StepInput, seen: ObservedCluster): RecordedFailure | undefined {
  const { isDone, isAvailable, isHealthSilent, hasFailed } = seen.report;
  // A cluster that becomes available after its move must stay available.
  if (seen.recordedFailure === 'TimeAlone') return isDone && isAvailable ? 'MustBeAvailable' : 'TimeAlone';
  if (seen.recordedFailure || isDone) return 'MustBeAvailable';
  // The record keeps the admission if the target has no content, or if a wildcard admission of strategy All covers the cluster.
  const isCovered = wildcard !== undefined && !seen.isExcepted;
  if (keepsFailed || (strategy.type === 'All' && isCovered)) return undefined;
  const admission = seen.admission ?? (isCovered ? wildcard : undefined);
  if (!admission) return hasFailed ? 'TimeAlone' : undefined;
  return admission.unhealthyBefore || isHealthSilent ? 'TimeAlone' : 'MustBeAvailable';
}

type FailureFields = Pick<RolloutEntry, 'unhealthy' | 'failedWithoutHealth'>;

/** Returns the failed clusters in the record of a target, each with its requirement. */
export function recordedFailures({ unhealthy = [], failedWithoutHealth = [] }: FailureFields): ReadonlyMap<string, RecordedFailure> {
  return new Map([
    ...unhealthy.map((cluster) => [cluster, 'MustBeAvailable'] as const),
    ...failedWithoutHealth.map((cluster) => [cluster, 'TimeAlone'] as const),
  ]);
}

/** The fields of the next record that list the failed clusters. */
export function failureFields(groups: readonly PlacedGroup[]): FailureFields {
  const failures = groups.flatMap(({ failures }) => failures);
  const listed = (as: RecordedFailure): readonly string[] => failures.flatMap((one) => (one.as === as ? one.seen.cluster : [])).sort();
  const unhealthy = listed('MustBeAvailable');
  const failedWithoutHealth = listed('TimeAlone');
  return {
    ...(unhealthy.length > 0 ? { unhealthy } : {}),
    ...(failedWithoutHealth.length > 0 ? { failedWithoutHealth } : {}),
  };
}
