import type { RolloutEntry } from '@outrigger/api';
import type { ObservedCluster, StepInput } from '../input.js';
import type { PlacedGroup } from '../phase.js';

/**
 * A cluster whose move failed counts as failed until it has been done for minSuccessTime: `MustBeAvailable`, if it is also available during
 * that time; `TimeAlone`, whatever its health.
 */
export type RecordedFailure = 'MustBeAvailable' | 'TimeAlone';

/**
 * How the record lists a cluster that counts as failed; undefined if it keeps its admission, or has succeeded before and reports
 * no failure. The admission decides whether health counts: the
 * health of a cluster that was unhealthy before its move, or whose health is not reported, does not count.
 */
export function failureOf({ strategy, wildcard, keepsFailed }: StepInput, seen: ObservedCluster): RecordedFailure | undefined {
  const { isDone, isAvailable, isHealthSilent, hasFailed } = seen.report;
  // A cluster that becomes available after its move must stay available.
  if (seen.recordedFailure === 'TimeAlone') return isDone && isAvailable ? 'MustBeAvailable' : 'TimeAlone';
  if (seen.recordedFailure || isDone) return 'MustBeAvailable';
  // A version without content keeps its admission in the record, and so does a wildcard admission of strategy All.
  const isCovered = wildcard !== undefined && !seen.isExcepted;
  if (keepsFailed || (strategy.type === 'All' && isCovered)) return undefined;
  const admission = seen.admission ?? (isCovered ? wildcard : undefined);
  if (!admission) return hasFailed ? 'TimeAlone' : undefined;
  return admission.unhealthyBefore || isHealthSilent ? 'TimeAlone' : 'MustBeAvailable';
}

type FailureFields = Pick<RolloutEntry, 'unhealthy' | 'failedWithoutHealth'>;

/** Reads how the record of a target lists each failed cluster. */
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
