import { EVERY_CLUSTER, type InFlightCluster, type RolloutEntry } from '@outrigger/api';
import { exceptionTest } from '../../revisions/assigned.js';

/** Returns the admission of a cluster that another entry of the record has in flight, by name or by a wildcard admission. */
export type OtherAdmissions = (cluster: string) => InFlightCluster | undefined;

/** Looks clusters up in the record of all entries but `own`. Undefined if the other entries have no cluster in flight. */
export function otherAdmissions(entries: readonly RolloutEntry[], own: string): OtherAdmissions | undefined {
  const others = entries.filter(({ name, inFlight = [] }) => name !== own && inFlight.length > 0);
  if (others.length === 0) return undefined;
  return (cluster) => {
    for (const { inFlight = [], members = [] } of others) {
      const named = inFlight.find((one) => one.cluster === cluster);
      if (named) return named;
      const wildcard = inFlight.find((one) => one.cluster === EVERY_CLUSTER);
      if (wildcard && members.includes(cluster) && !exceptionTest(wildcard)(cluster)) return { ...wildcard, cluster };
    }
    return undefined;
  };
}
