import { parseTime, toTime } from '@outrigger/core';
import type { Forecast, Progress } from '@outrigger/console-contract';
import type { Phase } from '@outrigger/rules/rollout';
import type { FleetState } from '../state/state.js';
import { moveTimes } from './move-times.js';
import type { Sight } from './sight.js';
import type { EntryStanding } from './standings.js';

const MOST_POINTS = 200;

/** The phases of a cluster that counts as failed. */
const FAILURES: ReadonlySet<Phase> = new Set(['failed', 'failing', 'recovering']);

/** The phases of a cluster for which the rollout no longer waits. */
const ENDED: ReadonlySet<Phase> = new Set([...FAILURES, 'succeeded', 'skipped', 'parked']);

interface Ended {
  readonly at: number;
  readonly isDone: boolean;
}

/** Returns the time at which each cluster that the user may see succeeded or failed, from the record or from the add-on's report. */
function endsOf(state: FleetState, sight: Sight, addOn: string, standings: readonly EntryStanding[]): readonly Ended[] {
  const ends: Ended[] = [];
  for (const { entry, groups } of standings) {
    for (const { members } of groups) {
      for (const { cluster, phase } of members) {
        const isDone = phase === 'succeeded';
        if (!sight.seesAddOns(cluster) || (!isDone && !FAILURES.has(phase))) continue;
        ends.push({ at: moveTimes(entry, cluster, state.addOns.get(cluster)?.get(addOn)).endedAt, isDone });
      }
    }
  }
  return ends.sort((a, b) => a.at - b.at);
}

/** The progress over time of the clusters that the user may see. */
export function progressOf(state: FleetState, sight: Sight, addOn: string, standings: readonly EntryStanding[]): Progress {
  const starts = standings.flatMap(({ entry }) => parseTime(entry.startedAt) ?? []);
  const points: { at: number; done: number; failed: number }[] = [];
  let done = 0;
  let failed = 0;
  for (const { at, isDone } of endsOf(state, sight, addOn, standings)) {
    if (isDone) done++;
    else failed++;
    const last = points.at(-1);
    if (last?.at === at) Object.assign(last, { done, failed });
    else points.push({ at, done, failed });
  }
  return {
    selected: selectedOf(sight, standings),
    points: thinned(points).map((point) => ({ ...point, at: toTime(point.at) })),
    ...(starts.length === 0 ? {} : { startedAt: toTime(Math.min(...starts)) }),
  };
}

/** The number of clusters in the record. If the user may not see all of them, the number of those that the user may see. */
function selectedOf(sight: Sight, standings: readonly EntryStanding[]): number {
  const members = standings.flatMap(({ groups }) => groups.flatMap((group) => group.members));
  const visible = members.filter(({ cluster }) => sight.seesAddOns(cluster)).length;
  return visible < members.length ? visible : standings.reduce((sum, { entry }) => sum + (entry.selected ?? 0), 0);
}

/** Returns at most `MOST_POINTS` of the points, evenly selected, always with the last one. */
function thinned<Point>(points: readonly Point[]): readonly Point[] {
  if (points.length <= MOST_POINTS) return points;
  const step = points.length / MOST_POINTS;
  return Array.from({ length: MOST_POINTS }, (_, index) => points[Math.ceil((index + 1) * step) - 1]).filter(
    (point): point is Point => point !== undefined,
  );
}

/**
 * Returns the number of clusters that have yet to succeed, of those that the user may see, or undefined if the user may see all clusters of
 * the rollout.
 */
function leftOf(sight: Sight, standings: readonly EntryStanding[]): number | undefined {
  const members = standings.flatMap(({ groups }) => groups.flatMap((group) => group.members));
  const visible = members.filter(({ cluster }) => sight.seesAddOns(cluster));
  return visible.length < members.length ? visible.filter(({ phase }) => !ENDED.has(phase)).length : undefined;
}

/**
 * The expected end, extrapolated from the rate at which clusters have succeeded so far. The end is absent while it cannot be known, for
 * example while the rollout is paused or before two clusters have succeeded; the message says why.
 */
export function forecastOf(
  state: FleetState,
  sight: Sight,
  addOn: string,
  standings: readonly EntryStanding[],
  isPaused: boolean,
  now: number,
): Forecast {
  const sum = (pick: (one: EntryStanding) => number | undefined): number => standings.reduce((total, one) => total + (pick(one) ?? 0), 0);
  const selected = sum(({ entry }) => entry.selected);
  const done = sum(({ entry }) => entry.done);
  const leftInRecord =
    selected - done - sum(({ entry }) => entry.failed) - sum(({ entry }) => entry.skipped) - sum(({ entry }) => entry.parked);
  const visibleLeft = leftOf(sight, standings);
  const left = visibleLeft ?? leftInRecord;
  if (selected === 0) return { message: 'no cluster is selected' };
  if (standings.every(({ entry }) => entry.state === 'Completed')) return { message: 'ended' };
  if (isPaused) return { message: 'unknown: the rollout is paused' };
  if (standings.some(({ entry }) => entry.state === 'Halted')) return { message: 'unknown: the rollout is halted' };
  if (visibleLeft === 0) return { message: 'unknown: no cluster that you may see is left' };
  if (left <= 0) return { message: 'unknown: the clusters that are left have failed or are not available' };
  const gates = standings.flatMap(({ entry }) => (entry.waitingFor ?? []).map(({ name }) => name));
  if (gates.length > 0 && sum(({ entry }) => entry.progressing) === 0)
    return { message: `unknown: it waits for ${[...new Set(gates)].slice(0, 3).join(', ')}` };
  const starts = standings.flatMap(({ entry }) => (entry.state === 'Completed' ? [] : (parseTime(entry.startedAt) ?? [])));
  const startedAt = Math.min(...starts);
  const arrived = endsOf(state, sight, addOn, standings).filter(({ at, isDone }) => isDone && at > startedAt);
  const last = arrived.at(-1);
  if (last === undefined || arrived.length < 2) return { message: 'unknown: fewer than two clusters have arrived since it started' };
  const soakMs = Math.max(0, ...standings.map((one) => one.soakMs));
  const paceMs = (last.at + soakMs - startedAt) / arrived.length;
  const endsAt = Math.max(now, last.at + soakMs + paceMs * left);
  return {
    endsAt: toTime(endsAt),
    message: `${left === 1 ? '1 cluster is' : `${left} clusters are`} left; ${arrived.length} arrived since it started`,
  };
}
