import { EVERY_CLUSTER, type RolloutEntry } from '@outrigger/api';
import { parseTime } from '@outrigger/core';
import { readMove } from './moves.js';

/**
 * Returns a function that returns the time at which a cluster was admitted to the target, in milliseconds since the epoch. The record
 * contains the admission time of clusters in flight, and the admission time, relative to the start of the target, of moves that ended. All
 * other clusters were admitted by the wildcard admission, if there is one.
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
