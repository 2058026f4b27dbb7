import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Runtime } from '@outrigger/core';
import { type HeapMode, nextHeapStep } from './heap-policy.js';

const SAMPLE_MS = 5_000;

/**
 * Returns memory that a burst of work used to the operating system when the server becomes quiet, until the runtime's scope ends. By
 * default V8 keeps it: the manager of 1,000 clusters needs 45 MB of heap and kept 180 MB after its start. It must be called before other
 * work.
 */
export function shrinkHeapWhenQuiet(runtime: Runtime): void {
  // The old generation may grow by 40 % before it is collected, instead of by up to 300 %.
  setFlagsFromString('--heap-growing-percent=40');
  const collect = fullCollection();
  let mode: HeapMode = 'fast';
  let before: EventLoopUtilization = performance.eventLoopUtilization();
  const sample = (): void => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    const { heapTotal, heapUsed } = process.memoryUsage();
    const next = nextHeapStep(mode, { utilization, reservedBytes: heapTotal, usedBytes: heapUsed });
    if (next.mode !== mode) setFlagsFromString(next.mode === 'small' ? '--optimize-for-size' : '--no-optimize-for-size');
    mode = next.mode;
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

/** Returns V8's function for a full collection. It exists only in contexts that are created while the flag is set. */
function fullCollection(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return collect;
}
