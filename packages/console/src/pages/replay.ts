import {
  LANE_PHASES,
  type LaneCluster,
  type LaneGroup,
  type LanePhase,
  type Progress,
  type RecordedCluster,
  type ReplayPage,
} from '@outrigger/console-contract';
import { msOf } from '../parts/time.js';

/** Maximum number of clusters listed per phase, as in the lanes of the server; further clusters are only counted. */
const MOST_PER_PHASE = 200;

/**
 * Returns a group with the phases that its clusters had at a given time, computed from the recorded times. Clusters that are not listed are
 * not counted.
 */
export function groupAt(group: LaneGroup, at: number): LaneGroup {
  return { ...group, ...placed(group.clusters, at) };
}

/** The groups of a stored record at a given time. */
export function recordedGroupsAt({ groups }: Pick<ReplayPage, 'groups'>, at: number): readonly LaneGroup[] {
  return groups.map(({ name, clusters }) => {
    const all = clusters.map((cluster) => ({ version: '', ...cluster }));
    return { name, selected: all.length, ...placed(all, at) };
  });
}

function placed(clusters: readonly LaneCluster[], at: number): Record<LanePhase, number> & { readonly clusters: readonly LaneCluster[] } {
  const counts = Object.fromEntries(LANE_PHASES.map((phase) => [phase, 0])) as Record<LanePhase, number>;
  const listed: LaneCluster[] = [];
  for (const cluster of clusters) {
    const phase = phaseAt(cluster, at);
    if (counts[phase]++ < MOST_PER_PHASE) listed.push({ ...cluster, phase });
  }
  return { ...counts, clusters: listed };
}

/** Returns the phase of a cluster at a given time. A cluster without recorded times is always in its last phase. */
function phaseAt({ phase, admittedAt, endedAt }: RecordedCluster, at: number): LanePhase {
  if (admittedAt === undefined && endedAt === undefined) return phase;
  if (isBy(endedAt, at)) return phase;
  if (isBy(admittedAt, at)) return endedAt === undefined ? phase : 'inFlight';
  return 'waiting';
}

function isBy(time: string | undefined, at: number): boolean {
  return time !== undefined && msOf(time) <= at;
}

/** The numbers of clusters that had succeeded and failed at a given time. */
export function countsAt({ points }: Progress, at: number): { readonly done: number; readonly failed: number } {
  const last = points.findLast((point) => msOf(point.at) <= at);
  return { done: last?.done ?? 0, failed: last?.failed ?? 0 };
}

/** The progress in a stored record: the times at which clusters succeeded or failed. */
export function recordedProgress({ startedAt, groups }: Pick<ReplayPage, 'startedAt' | 'groups'>): Progress {
  const clusters = groups.flatMap((group) => group.clusters);
  const ends = clusters
    .filter(({ phase }) => phase === 'done' || phase === 'failed')
    .map(({ phase, endedAt = startedAt }) => ({ at: endedAt, isDone: phase === 'done' }))
    .sort((a, b) => msOf(a.at) - msOf(b.at));
  const points: Progress['points'][number][] = [];
  let [done, failed] = [0, 0];
  for (const { at, isDone } of ends) {
    if (isDone) done++;
    else failed++;
    if (points.at(-1)?.at === at) points.pop();
    points.push({ at, done, failed });
  }
  return { startedAt, selected: clusters.length, points };
}

/** Merges the progress of several entries. */
export function mergedProgress(parts: readonly Progress[], selected: number): Progress {
  const steps = parts
    .flatMap(({ points }) =>
      points.map(({ at, done, failed }, index) => ({
        at,
        done: done - (points[index - 1]?.done ?? 0),
        failed: failed - (points[index - 1]?.failed ?? 0),
      })),
    )
    .sort((a, b) => msOf(a.at) - msOf(b.at));
  const points: Progress['points'][number][] = [];
  let [done, failed] = [0, 0];
  for (const step of steps) points.push({ at: step.at, done: (done += step.done), failed: (failed += step.failed) });
  const starts = parts.flatMap(({ startedAt }) => startedAt ?? []).sort((a, b) => msOf(a) - msOf(b));
  return { selected, points, ...(starts[0] === undefined ? {} : { startedAt: starts[0] }) };
}

/** Returns the period that the progress covers; undefined if the progress has no start time. */
export function span(
  { startedAt, points }: Progress,
  now: number,
  isOver: boolean,
  endedAt?: string,
): { readonly from: number; readonly to: number } | undefined {
  if (startedAt === undefined) return undefined;
  const from = msOf(startedAt);
  const last = endedAt ?? points.at(-1)?.at;
  const to = isOver && last !== undefined ? msOf(last) : now;
  return { from, to: Math.max(to, from + 1_000) };
}
