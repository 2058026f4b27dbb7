import type { RolloutEntry, RolloutPrediction } from '@outrigger/api';
import { parseTime, toTime } from '@outrigger/core';

/** How a rollout compares with the prediction that was stored when it started. */
export interface Slip {
  readonly standing: 'OnTime' | 'Late';
  /** How long after p90 the rollout ended or still runs; 0 if it is on time. */
  readonly lateMs: number;
  /** When the rollout ended; undefined while it continues. */
  readonly endedAt: string | undefined;
  /** Describes the slip for people. Times are in UTC. */
  readonly text: string;
}

/** The fields of an entry that show whether, and when, the rollout to its target ended. */
export type RolloutProgress = Pick<RolloutEntry, 'state' | 'timeline' | 'targetRevision'>;

/**
 * Returns the slip of a rollout. A rollout is late if it had not ended at p90, by which nine in ten simulated runs had ended. Undefined if
 * the entry has no prediction.
 */
export function slip(prediction: RolloutPrediction | undefined, now: number, progress: RolloutProgress): Slip | undefined {
  const [p50, p90] = [parseTime(prediction?.p50), parseTime(prediction?.p90)];
  if (prediction === undefined || p50 === undefined || p90 === undefined) return undefined;
  const endedAt = endOf(progress);
  const at = parseTime(endedAt) ?? now;
  const lateMs = Math.max(0, at - p90);
  const startedAt = parseTime(prediction.at) ?? p50;
  const time = timeText(startedAt, Math.max(p90, at));
  const expected = `expected ${time(p50)} (p90 ${time(p90)}) UTC`;
  const standing = lateMs > 0 ? 'Late' : 'OnTime';
  const comparison = lateMs > 0 ? `${durationText(lateMs)} late` : 'on time';
  const text = `${expected}, ${endedAt === undefined ? progressText(progress) : 'ended'} ${time(at)}: ${comparison}`;
  return { standing, lateMs, endedAt, text };
}

/** Returns when the rollout ended. Only a completed rollout has ended, because a halted or paused one may continue. */
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

/** The two largest units, such as `2h 10m`. */
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
