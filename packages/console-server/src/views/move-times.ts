import type { RolloutEntry } from '@outrigger/api';
import { parseTime } from '@outrigger/core';
import { readMove } from '@outrigger/rules/rollout';
import type { ReportedAddOn } from '../state/projections.js';

/**
 * Returns the times at which the cluster was admitted to the entry's current target and at which its move ended, in milliseconds since the
 * epoch. While a policy governs the add-on, the entry records both times. Without a record, the time of the admission is not known, and the
 * move counts as ended at the last transition of the add-on's Progressing condition.
 */
export function moveTimes(
  { startedAt, moves }: Pick<RolloutEntry, 'startedAt' | 'moves'>,
  cluster: string,
  clusterAddOn: Pick<ReportedAddOn, 'progressingAt'> | undefined,
): { readonly admittedAt: number | undefined; readonly endedAt: number } {
  const start = parseTime(startedAt) ?? 0;
  const move = readMove(moves?.[cluster]);
  if (move === undefined) return { admittedAt: undefined, endedAt: Math.max(start, clusterAddOn?.progressingAt ?? 0) };
  const admittedAt = start + move.admitted * 1000;
  return { admittedAt, endedAt: Math.max(start, admittedAt + move.seconds * 1000) };
}
