import { LANE_PHASES, type LaneCluster, type LaneGroup, type LanePhase, type Progress } from '@outrigger/console-contract';
import { msOf } from '../parts/time.js';

/**
 * Returns the state of the group at a given time, computed from the recorded admission and completion times. Clusters that are not listed
 * are not counted.
 */
export function groupAt(group: LaneGroup, at: number): LaneGroup {
  const clusters = group.clusters.map((cluster) => ({ ...cluster, phase: phaseAt(cluster, at) }));
  const counts = Object.fromEntries(LANE_PHASES.map((phase) => [phase, 0])) as Record<LanePhase, number>;
  for (const { phase } of clusters) counts[phase]++;
  return { ...group, ...counts, clusters };
}

function phaseAt({ phase, admittedAt, endedAt }: LaneCluster, at: number): LanePhase {
  if (isBy(endedAt, at)) return phase;
  if (isBy(admittedAt, at)) return phase === 'done' || phase === 'failed' ? 'inFlight' : phase;
  return phase === 'skipped' ? 'skipped' : 'waiting';
}

function isBy(time: string | undefined, at: number): boolean {
  return time !== undefined && msOf(time) <= at;
}

/** The numbers of clusters that had succeeded and failed at a given time. */
export function countsAt({ points }: Progress, at: number): { readonly done: number; readonly failed: number } {
  const last = points.findLast((point) => msOf(point.at) <= at);
  return { done: last?.done ?? 0, failed: last?.failed ?? 0 };
}

/** The period that the record covers; undefined if there is no record. */
export function span(
  { startedAt, points }: Progress,
  now: number,
  isOver: boolean,
): { readonly from: number; readonly to: number } | undefined {
  if (startedAt === undefined) return undefined;
  const from = msOf(startedAt);
  const last = points.at(-1);
  const to = isOver && last !== undefined ? msOf(last.at) : now;
  return { from, to: Math.max(to, from + 1_000) };
}
