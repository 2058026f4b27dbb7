import { EVERY_CLUSTER, type InFlightCluster, type RolloutEntry } from '@outrigger/api';
import { memoize } from '@outrigger/core';
import { exceptionTest } from '../../revisions/assigned.js';
import { type RecordedFailure, recordedFailures } from '../admissions/failure.js';

/** Lookups of the admissions and failures that the record lists for a cluster in other entries. */
export interface OtherEntries {
  /** The admission of a cluster that another entry has in flight, by name or by a wildcard admission. */
  admission(cluster: string): InFlightCluster | undefined;
  /**
   * The admission of a cluster that another entry has in flight by name. Wildcard admissions are left out, because they also cover clusters
   * whose moves have ended.
   */
  named(cluster: string): InFlightCluster | undefined;
  /** Returns the failure that another entry with this target lists for the cluster. */
  failure(cluster: string, revision: number): RecordedFailure | undefined;
}

/** Returns lookups in the record of all entries but `own`. Undefined if no other entry has a cluster in flight or a failed cluster. */
export function otherEntries(entries: readonly RolloutEntry[], own: string): OtherEntries | undefined {
  const others = entries.filter(({ name }) => name !== own);
  const moving = others.filter(({ inFlight = [] }) => inFlight.length > 0);
  const failed = others.flatMap((entry) => {
    const failures = recordedFailures(entry);
    return failures.size > 0 ? [{ revision: entry.targetRevision, failures }] : [];
  });
  if (moving.length === 0 && failed.length === 0) return undefined;
  return {
    admission: (cluster) => firstOf(moving, (entry) => namedIn(entry).get(cluster) ?? coveredIn(entry)?.(cluster)),
    named: (cluster) => firstOf(moving, (entry) => namedIn(entry).get(cluster)),
    failure: (cluster, revision) => failed.find((one) => one.revision === revision && one.failures.has(cluster))?.failures.get(cluster),
  };
}

function firstOf(
  entries: readonly RolloutEntry[],
  find: (entry: RolloutEntry) => InFlightCluster | undefined,
): InFlightCluster | undefined {
  for (const entry of entries) {
    const found = find(entry);
    if (found) return found;
  }
  return undefined;
}

/** The named admissions of an entry, keyed by cluster. */
const namedIn: (entry: RolloutEntry) => ReadonlyMap<string, InFlightCluster> = memoize(
  ({ inFlight = [] }: RolloutEntry) =>
    new Map(inFlight.flatMap((one) => (one.cluster === EVERY_CLUSTER ? [] : [[one.cluster, one] as const]))),
);

/**
 * Returns a function that returns the admission that the entry's wildcard admission gives to a cluster. Returns undefined instead of a
 * function if the entry has no wildcard admission.
 */
const coveredIn: (entry: RolloutEntry) => ((cluster: string) => InFlightCluster | undefined) | undefined = memoize(
  ({ inFlight = [], members = [] }: RolloutEntry) => {
    const wildcard = inFlight.find((one) => one.cluster === EVERY_CLUSTER);
    if (!wildcard) return undefined;
    const known = new Set(members);
    const isExcepted = exceptionTest(wildcard);
    return (cluster) => (known.has(cluster) && !isExcepted(cluster) ? { ...wildcard, cluster } : undefined);
  },
);
