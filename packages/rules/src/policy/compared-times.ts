/**
 * For each cluster, an earlier time in milliseconds since the epoch. The cluster's value at that time is compared with its current value.
 */
export type ComparedTimes = Readonly<Record<string, number>>;

/**
 * Maximum number of earlier times for which one measurement queries values. If clusters were admitted at more times than this, each time is
 * rounded down to one of the queried times.
 */
export const MAX_COMPARED_TIMES = 30;

/**
 * Returns the times at which a comparison needs the values of a metric. The value of a moved cluster is compared with its value just before
 * its own admission. The peers on the old revision get these times round-robin, so that moved clusters and peers are measured over the same
 * intervals.
 */
export function comparedTimes(moved: readonly string[], peers: readonly string[], admittedAt: (cluster: string) => number): ComparedTimes {
  const timeOf = askedTime(moved.map(admittedAt));
  const times = moved.map((cluster) => timeOf(admittedAt(cluster)));
  const found: Record<string, number> = {};
  for (const [i, cluster] of moved.entries()) found[cluster] = times[i] as number;
  for (const [i, cluster] of peers.entries()) {
    const time = times[i % times.length];
    if (time !== undefined) found[cluster] = time;
  }
  return found;
}

/** Returns a function that rounds an admission time down to one of at most MAX_COMPARED_TIMES admission times. */
function askedTime(admissions: readonly number[]): (at: number) => number {
  const distinct = [...new Set(admissions)].sort((a, b) => a - b);
  const size = Math.ceil(distinct.length / MAX_COMPARED_TIMES);
  if (size <= 1) return (at) => at;
  const asked = new Map(distinct.map((at, i) => [at, distinct[i - (i % size)] as number]));
  return (at) => asked.get(at) ?? at;
}
