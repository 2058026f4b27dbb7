// Loaded into a measured process by `node --import`. Answers the questions of benchmarks/servers/probe.ts over the IPC channel. It is plain
// JavaScript, because the measured process runs without a loader for TypeScript.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const RESOLUTION_MS = 20;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

/** A sample contains the interval of the timer that takes it. */
const withoutInterval = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);

function collectGarbage() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

process.on('message', ({ probe }) => {
  if (probe === undefined) return;
  if (probe === 'reset') delay.reset();
  if (probe === 'collect') collectGarbage();
  process.send({
    probed: {
      loopP99Ms: withoutInterval(delay.percentile(99)),
      loopMaxMs: withoutInterval(delay.max),
      heapMb: process.memoryUsage().heapUsed / 2 ** 20,
    },
  });
});
process.channel.unref();
