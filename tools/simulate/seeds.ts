import type { Options } from './options.js';

/** Yields the seeds that one of several processes runs, until the count or the time is used up. */
export function* seedsOf({ from, count, minutes, processes }: Options, offset: number): Generator<number> {
  const startedAt = process.hrtime.bigint();
  const hasTime = (): boolean => minutes === undefined || Number(process.hrtime.bigint() - startedAt) / 6e10 < minutes;
  for (let seed = from + offset; (minutes !== undefined || seed < from + count) && hasTime(); seed += processes) yield seed;
}

/** Starts a timer. The returned function returns the processor time that this process has used since then, in milliseconds. */
export function cpuTimer(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}
