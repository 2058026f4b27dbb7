import { REPLICA_SET_LABEL, REPLICA_SET_PLACEMENT_LABEL } from '@outrigger/api';

/** The labels of a work: those of the set, and its names. `set` is the value of the label that names the set. */
export function ownLabels(labels: Readonly<Record<string, string>>, set: string, placement: string): Readonly<Record<string, string>> {
  return { ...labels, [REPLICA_SET_LABEL]: set, [REPLICA_SET_PLACEMENT_LABEL]: placement };
}
