import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import type { Runtime } from '@outrigger/core';

/** The size of the young generation, both halves together, at which it stops growing. V8's own limit is twice as much. */
const ENOUGH_BYTES = 16 * 2 ** 20;

/**
 * Limits the size of this process's young generation. V8 reads its own limit only when a process starts, but reads the growth factor each
 * time before the generation grows. V8 grows the generation after a collection, so its size is checked after each collection, until the
 * runtime's scope ends.
 */
export function limitYoungGeneration(runtime: Runtime): void {
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    if (young === undefined || young.space_size < ENOUGH_BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
  runtime.scope.signal.addEventListener('abort', () => observer.disconnect(), { once: true });
}
