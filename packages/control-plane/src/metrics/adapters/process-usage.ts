import type { ProcessUsage } from '../server-metrics.js';

/** Returns the resource usage of this process. */
export function processUsage(): ProcessUsage {
  const { user, system } = process.cpuUsage();
  return {
    cpuSeconds: (user + system) / 1e6,
    residentBytes: process.memoryUsage.rss(),
    startSeconds: performance.timeOrigin / 1000,
  };
}
