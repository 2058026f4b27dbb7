import type { MoveDuration, MoveDurations } from '@outrigger/api';

/**
 * Maximum number of durations stored per target while clusters are moving to it. This makes percentiles exact in small fleets and bounds
 * the size in large ones.
 */
export const KEPT_VALUES = 20;

/** Adds the durations of the moves that have succeeded since the last record. */
export function addDurations(before: MoveDurations | undefined, arrived: readonly number[]): MoveDurations | undefined {
  if (arrived.length === 0) return before;
  const seconds = arrived.map((duration) => Math.max(0, Math.round(duration)));
  const values = merged([...(before?.values ?? []), ...seconds.map((one) => ({ seconds: one, clusters: 1 }))]);
  const max = seconds.reduce((most, one) => Math.max(most, one), before?.max ?? 0);
  return { p50: percentile(values, 50), p90: percentile(values, 90), max, values };
}

/** Returns the percentiles without the stored values, which are needed only while clusters are still moving. */
export function closedDurations({ p50, p90, max }: MoveDurations): MoveDurations {
  return { p50, p90, max };
}

/**
 * Sorts the values and merges equal ones. Then merges the two values with the smallest relative distance into their weighted mean, until at
 * most KEPT_VALUES are left.
 */
function merged(all: readonly MoveDuration[]): readonly MoveDuration[] {
  const bySeconds = new Map<number, number>();
  for (const { seconds, clusters } of all) bySeconds.set(seconds, (bySeconds.get(seconds) ?? 0) + clusters);
  const values = Array.from(bySeconds, ([seconds, clusters]) => ({ seconds, clusters })).sort((a, b) => a.seconds - b.seconds);
  while (values.length > KEPT_VALUES) {
    const at = closest(values);
    const [a, b] = values.slice(at, at + 2) as [MoveDuration, MoveDuration];
    const clusters = a.clusters + b.clusters;
    const seconds = Math.round((a.seconds * a.clusters + b.seconds * b.clusters) / clusters);
    values.splice(at, 2, { seconds, clusters });
  }
  return values;
}

function closest(values: readonly MoveDuration[]): number {
  let found = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at + 1 < values.length; at++) {
    const [a, b] = [values[at]?.seconds ?? 0, values[at + 1]?.seconds ?? 0];
    const distance = (b - a) / (a + 1);
    if (distance < least) [found, least] = [at, distance];
  }
  return found;
}

/** The smallest value that at least `percent` percent of the clusters do not exceed. */
function percentile(values: readonly MoveDuration[], percent: number): number {
  const total = values.reduce((sum, { clusters }) => sum + clusters, 0);
  let seen = 0;
  for (const { seconds, clusters } of values) {
    seen += clusters;
    if (seen * 100 >= total * percent) return seconds;
  }
  return values.at(-1)?.seconds ?? 0;
}
