import { REPLICA_SET_LABEL, REPLICA_SET_PLACEMENT_LABEL } from '@outrigger/api';

/**
 * The labels for a work of a ManifestWorkReplicaSet: the set's own labels, and those that identify the set and the Placement. `set` is the
 * value of the replica-set label.
 */
export function ownLabels(labels: Readonly<Record<string, string>>, set: string, placement: string): Readonly<Record<string, string>> {
  return { ...labels, [REPLICA_SET_LABEL]: set, [REPLICA_SET_PLACEMENT_LABEL]: placement };
}
