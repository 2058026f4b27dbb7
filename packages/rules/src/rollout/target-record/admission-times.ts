import { EVERY_CLUSTER, type RolloutEntry } from '@outrigger/api';
import { parseTime } from '@outrigger/core';
import { readMove } from './moves.js';

/**
 * When each cluster was admitted to the target, in milliseconds since the epoch, from the record of the entry: clusters in flight have the
 * time of their admission, moves that ended have it relative to the start of the target. Other clusters have the time of the wildcard
 * admission, if there is one.
 */
export function admissionTimes(entry: RolloutEntry | undefined, target: number): (cluster: string) => number | undefined {
  if (entry?.targetRevision !== target) return () => undefined;
  const admitted = new Map(
    (entry.inFlight ?? []).flatMap(({ cluster, revision, admittedAt }) =>
      revision === target ? [[cluster, parseTime(admittedAt)] as const] : [],
    ),
  );
  const startedAt = parseTime(entry.startedAt);
  return (cluster) => {
    const move = readMove(entry.moves?.[cluster]);
    if (move && startedAt !== undefined) return startedAt + move.admitted * 1000;
    return admitted.get(cluster) ?? admitted.get(EVERY_CLUSTER);
  };
}
