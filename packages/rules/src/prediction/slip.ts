import type { RolloutEntry, RolloutPrediction } from '@outrigger/api';
import { parseTime, toTime } from '@outrigger/core';
import { isRejection } from '../decisions/index.js';

/** The comparison of a rollout with the prediction that was stored when the rollout started. */
export interface Slip {
  readonly standing: 'OnTime' | 'Late';
  /**
   * The time in milliseconds from the p90 of the prediction until the end of the rollout, or until now if the rollout continues. The time
   * in `waitedMs` is subtracted. 0 if the rollout is on time.
   */
  readonly lateMs: number;
  /**
   * The time in milliseconds for which the rollout waited for approvals. Predictions assume that approvals are given as soon as they are
   * needed.
   */
  readonly waitedMs: number;
  /** The time at which the rollout ended; undefined while it continues. */
  readonly endedAt: string | undefined;
  /** Describes the slip for people. Times are in UTC. */
  readonly text: string;
}

/** The fields of an entry that show whether, and when, the rollout to its target ended. */
export type RolloutProgress = Pick<RolloutEntry, 'state' | 'timeline' | 'targetRevision' | 'openedGates' | 'waitingFor'>;

/**
 * Returns the slip of a rollout. A rollout is late if it had not ended at p90, the time by which nine in ten simulated runs had ended. Time
 * that the rollout spent waiting for approvals does not count. Undefined if the entry has no prediction.
 */
export function slip(prediction: RolloutPrediction | undefined, now: number, progress: RolloutProgress): Slip | undefined {
  const [p50, p90] = [parseTime(prediction?.p50), parseTime(prediction?.p90)];
  if (prediction === undefined || p50 === undefined || p90 === undefined) return undefined;
  const endedAt = endOf(progress);
  const at = parseTime(endedAt) ?? now;
  const startedAt = parseTime(prediction.at) ?? p50;
  const waitedMs = waitedFor(progress, startedAt, at);
  const lateMs = Math.max(0, at - p90 - waitedMs);
  const time = timeText(startedAt, Math.max(p90, at));
  const expected = `expected ${time(p50)} (p90 ${time(p90)}) UTC`;
  const standing = lateMs > 0 ? 'Late' : 'OnTime';
  const apart = waitedMs > 0 && at > p90 ? ` apart from ${durationText(waitedMs)} of waiting for approvals` : '';
  const comparison = `${lateMs > 0 ? `${durationText(lateMs)} late` : 'on time'}${apart}`;
  const text = `${expected}, ${endedAt === undefined ? progressText(progress) : 'ended'} ${time(at)}: ${comparison}`;
  return { standing, lateMs, waitedMs, endedAt, text };
}

/** Returns the time in milliseconds, between `from` and `to`, in which at least one gate held clusters for an approval. */
function waitedFor({ targetRevision, openedGates = [], waitingFor = [] }: RolloutProgress, from: number, to: number): number {
  const opened = openedGates.filter(({ revision }) => revision === targetRevision).map(({ heldSince, openedAt }) => [heldSince, openedAt]);
  // Leave out rejections, and gates with `until`, which open by themselves and are part of the prediction.
  const waiting = waitingFor.filter((wait) => wait.kind === 'Approval' && wait.until === undefined && !isRejection(wait));
  const intervals = [...opened, ...waiting.map(({ since }) => [since, toTime(to)])]
    .map(([since, until]) => [Math.max(from, parseTime(since) ?? to), Math.min(to, parseTime(until) ?? to)] as const)
    .sort(([a], [b]) => a - b);
  let waited = 0;
  let end = from;
  for (const [since, until] of intervals) {
    waited += Math.max(0, until - Math.max(since, end));
    end = Math.max(end, until);
  }
  return waited;
}

/** Returns the time at which the rollout ended. Only a completed rollout has ended, because a halted or paused one may continue. */
function endOf({ state, timeline = [], targetRevision }: RolloutProgress): string | undefined {
  const [latest] = timeline;
  return state === 'Completed' && latest?.to === targetRevision && latest?.outcome === 'Completed' ? latest.endedAt : undefined;
}

function progressText({ state }: RolloutProgress): string {
  return state === 'Halted' || state === 'Paused' ? `${state.toLowerCase()}, now` : 'now';
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Formats times of a rollout: with seconds if it is short, with the date if it does not end on the day it starts. */
function timeText(from: number, to: number): (at: number) => string {
  const isShort = to - from < HOUR_MS;
  const isOneDay = Math.floor(from / DAY_MS) === Math.floor(to / DAY_MS);
  return (at) => {
    const [date = '', time = ''] = toTime(at).split('T');
    const clock = time.slice(0, isShort ? 8 : 5);
    return isOneDay ? clock : `${date} ${clock}`;
  };
}

/** Formats a duration with its two largest units, such as `2h 10m`. */
function durationText(ms: number): string {
  const seconds = Math.max(1, Math.floor(ms / 1000));
  const units = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  const first = units.findIndex(([count]) => count > 0);
  return units
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join(' ');
}
