// Loaded into a measured process by `node --import`. Answers the questions of benchmarks/servers/probe.ts over the IPC channel. It is plain
// JavaScript, because the measured process runs without a loader for TypeScript.
import { PerformanceObserver, constants, monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const RESOLUTION_MS = 20;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

/** The pauses for garbage since the last reset: those of the old generation with their longest, and those of the young one. */
const NO_PAUSES = { gcMajorMs: 0, gcMajorMaxMs: 0, gcMinorMs: 0 };
let pauses = NO_PAUSES;
new PerformanceObserver((list) => {
  for (const { duration, detail } of list.getEntries()) {
    const { gcMajorMs, gcMajorMaxMs, gcMinorMs } = pauses;
    pauses =
      detail.kind === constants.NODE_PERFORMANCE_GC_MINOR
        ? { ...pauses, gcMinorMs: gcMinorMs + duration }
        : { ...pauses, gcMajorMs: gcMajorMs + duration, gcMajorMaxMs: Math.max(gcMajorMaxMs, duration) };
  }
}).observe({ entryTypes: ['gc'] });

/** A sample contains the interval of the timer that takes it. */
const withoutInterval = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);

function collectGarbage() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

process.on('message', ({ probe }) => {
  if (probe === undefined) return;
  if (probe === 'reset') {
    delay.reset();
    pauses = NO_PAUSES;
  }
  if (probe === 'collect') collectGarbage();
  process.send({
    probed: {
      loopP99Ms: withoutInterval(delay.percentile(99)),
      loopMaxMs: withoutInterval(delay.max),
      ...pauses,
      heapMb: process.memoryUsage().heapUsed / 2 ** 20,
      heapReservedMb: process.memoryUsage().heapTotal / 2 ** 20,
    },
  });
});
process.channel.unref();
