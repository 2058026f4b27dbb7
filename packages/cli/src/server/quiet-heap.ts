import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Runtime } from '@outrigger/core';
import { GROWTH_PERCENT, type HeapState, nextHeapStep } from './heap-policy.js';

const SAMPLE_MS = 5_000;

/**
 * Releases unused memory to the operating system whenever the server becomes quiet after a burst of work, until the runtime's scope ends.
 * By default V8 keeps this memory: the manager of 1,000 clusters needs 45 MB of heap and kept 180 MB after its start. This function must be
 * called before other work.
 */
export function shrinkHeapWhenQuiet(runtime: Runtime): void {
  const collect = fullCollection();
  let state: HeapState = { mode: 'fast' };
  let before: EventLoopUtilization = performance.eventLoopUtilization();
  // By default, V8 lets the old generation grow by up to 300 % before the next collection.
  const grow = (percent: number): void => setFlagsFromString(`--heap-growing-percent=${percent}`);
  grow(GROWTH_PERCENT);
  const sample = (): void => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    const { heapTotal, heapUsed } = process.memoryUsage();
    const next = nextHeapStep(state, { utilization, reservedBytes: heapTotal, usedBytes: heapUsed });
    if (next.mode !== state.mode) setFlagsFromString(next.mode === 'small' ? '--optimize-for-size' : '--no-optimize-for-size');
    grow(next.growthPercent);
    state = next;
    // The collection also starts V8's memory reducer, which releases the pages that became empty.
    if (next.collect) collect();
    arm();
  };
  let cancel = (): void => undefined;
  const arm = (): void => {
    cancel = runtime.timers.after(SAMPLE_MS, sample);
  };
  runtime.scope.signal.addEventListener('abort', () => cancel(), { once: true });
  arm();
}

/** Returns V8's function for a full collection. It exists only in contexts that are created while `--expose-gc` is set. */
function fullCollection(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return collect;
}
