import { EVERY_CLUSTER, type InFlightCluster, type RolloutEntry } from '@outrigger/api';
import { exceptionTest } from '../../revisions/assigned.js';
import { type RecordedFailure, recordedFailures } from '../admissions/failure.js';

/** The admission of a cluster in another entry of the record. */
interface OtherAdmission extends InFlightCluster {
  /** Whether a wildcard admission covers the cluster. It also covers clusters whose moves have ended. */
  readonly isByWildcard: boolean;
}

/** Lookups in the record of the other entries, for a cluster that comes to this entry. */
export interface OtherEntries {
  /** The admission of a cluster that another entry has in flight, by name or by a wildcard admission. */
  admission(cluster: string): OtherAdmission | undefined;
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
    admission: (cluster) => admissionIn(moving, cluster),
    failure: (cluster, revision) => failed.find((one) => one.revision === revision && one.failures.has(cluster))?.failures.get(cluster),
  };
}

function admissionIn(entries: readonly RolloutEntry[], cluster: string): OtherAdmission | undefined {
  for (const { inFlight = [], members = [] } of entries) {
    const named = inFlight.find((one) => one.cluster === cluster);
    if (named) return { ...named, isByWildcard: false };
    const wildcard = inFlight.find((one) => one.cluster === EVERY_CLUSTER);
    if (wildcard && members.includes(cluster) && !exceptionTest(wildcard)(cluster)) return { ...wildcard, cluster, isByWildcard: true };
  }
  return undefined;
}
