import type { RolloutEntry, TargetChange } from '@outrigger/api';
import type { SeededRandom } from '@outrigger/core';
import { TailPosterior } from './tail.js';

/** The durations of recorded moves, in seconds, from which predictions are computed. */
export interface RecordedDurations {
  /** Where the durations come from: recorded moves, or the default assumption if no move was recorded. */
  readonly source: 'recorded' | 'default';
  /** The number of clusters whose moves were recorded. */
  readonly clusters: number;
  /** The number of clusters that failed or did not reach the target. Only a lower bound of the duration of their moves is known. */
  readonly censored: number;
  readonly p50: number;
  readonly p90: number;
  /** In ascending order. */
  readonly values: readonly number[];
  /** The distribution of the durations above the median. */
  readonly tail: TailPosterior;
}

/** The assumption if nothing is recorded: half of the clusters take at most a minute, and 90 % at most three minutes. */
const DEFAULT_P50 = 60;
const DEFAULT_P90 = 180;
/** The number of target changes, newest first, whose durations are used. */
const RECENT_CHANGES = 5;
/** The maximum number of durations that represent one ended change. More would not make the change's three percentiles more accurate. */
const MAX_VALUES = 400;
/** The number of values that represent the default assumption. */
const DEFAULT_VALUES = 20;
/** The standard normal quantile of 0.9. */
const Z90 = 1.2816;

/** The durations that the timelines of the entries contain. */
export function recordedDurations(entries: readonly RolloutEntry[]): RecordedDurations {
  const changes = entries
    .flatMap(({ timeline = [] }) => timeline)
    .filter(({ durations }) => durations !== undefined)
    .sort((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, RECENT_CHANGES);
  const values = changes.flatMap(valuesOf).sort((a, b) => a - b);
  const censored = changes.reduce((sum, { failed = 0 }) => sum + failed, 0);
  if (values.length === 0) return defaultDurations();
  const clusters = changes.reduce((sum, change) => sum + movedClusters(change), 0);
  const [p50, p90, max] = [quantile(values, 0.5), quantile(values, 0.9), values.at(-1) ?? 0];
  const tail = new TailPosterior({ count: clusters, p50, p90, max });
  return { source: 'recorded', clusters, censored, p50, p90, values, tail };
}

function movedClusters({ durations, done = 0 }: TargetChange): number {
  const counted = durations?.values?.reduce((sum, { clusters }) => sum + clusters, 0);
  return counted ?? Math.max(1, done);
}

/**
 * Returns the recorded values of a change that has not ended. For a change that has ended, reconstructs values from the recorded
 * percentiles.
 */
function valuesOf(change: TargetChange): readonly number[] {
  const { durations } = change;
  if (!durations) return [];
  if (durations.values) return durations.values.flatMap(({ seconds, clusters }) => Array<number>(clusters).fill(Math.max(1, seconds)));
  const count = Math.min(MAX_VALUES, movedClusters(change));
  return fromPercentiles(durations, count);
}

/**
 * Reconstructs values from their percentiles on a logarithmic scale. Below the 90th percentile the values follow a normal distribution
 * through the median and that percentile; above it they are stretched, so that the last value is the longest recorded one.
 */
function fromPercentiles({ p50, p90, max }: { readonly p50: number; readonly p90: number; readonly max: number }, count: number): number[] {
  const [middle, upper, most] = [Math.max(1, p50), Math.max(1, p90), Math.max(1, max)].map(Math.log) as [number, number, number];
  const last = normalQuantile(1 - 0.5 / count);
  const at = (score: number): number =>
    score <= Z90 ? middle + ((upper - middle) * score) / Z90 : upper + ((most - upper) * (score - Z90)) / Math.max(0.01, last - Z90);
  return Array.from({ length: count }, (_, i) => Math.max(1, Math.exp(at(normalQuantile((i + 0.5) / count)))));
}

/** The quantile of the standard normal distribution, with an error below 0.0005 (Abramowitz and Stegun, 26.2.23). */
function normalQuantile(share: number): number {
  if (share < 0.5) return -normalQuantile(1 - share);
  const t = Math.sqrt(-2 * Math.log(1 - share));
  return t - (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
}

function defaultDurations(): RecordedDurations {
  const sigma = Math.log(DEFAULT_P90 / DEFAULT_P50) / Z90;
  const values = Array.from(
    { length: DEFAULT_VALUES },
    (_, i) => DEFAULT_P50 * Math.exp(sigma * normalQuantile((i + 0.5) / DEFAULT_VALUES)),
  );
  const tail = new TailPosterior({ count: DEFAULT_VALUES, p50: DEFAULT_P50, p90: DEFAULT_P90, max: values.at(-1) ?? DEFAULT_P90 });
  return { source: 'default', clusters: 0, censored: 0, p50: DEFAULT_P50, p90: DEFAULT_P90, values, tail };
}

export function quantile(sorted: readonly number[], share: number): number {
  const index = Math.ceil(share * sorted.length) - 1;
  return sorted[Math.max(0, Math.min(sorted.length - 1, index))] ?? 0;
}

/**
 * Returns a function that draws durations, in milliseconds, for one run. The recorded values are resampled once per run, because another
 * rollout would have recorded other values. The distribution above the median is drawn too, because a move may take longer than the longest
 * recorded one.
 */
export function durationDraws({ values, tail }: RecordedDurations, random: SeededRandom): () => number {
  const size = values.length;
  const drawn = Array.from({ length: size }, () => values[Math.floor(random.next() * size)] ?? 1).sort((a, b) => a - b);
  const median = quantile(drawn, 0.5);
  const lower = Math.max(1, Math.ceil(size / 2));
  const excess = tail.draw(random);
  return () => {
    const share = random.next() * 2;
    const seconds = share < 1 ? (drawn[Math.floor(share * lower)] ?? median) : median + excess(share - 1);
    return Math.max(1, seconds) * 1000;
  };
}
