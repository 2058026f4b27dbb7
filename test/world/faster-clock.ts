import type { Runtime } from '@outrigger/core';

/**
 * Returns the runtime with a clock that runs `speed` times as fast. The meter of fixed sleeps ignores this file, because the timers belong
 * to its callers.
 */
export function withFasterClock(runtime: Runtime, speed: number): Runtime {
  const { clock, timers } = runtime;
  return {
    ...runtime,
    clock: { now: () => clock.now(), monotonic: () => clock.monotonic() * speed },
    timers: {
      after: (delayMs, task) => timers.after(delayMs / speed, task),
      yield: () => timers.yield(),
      sleep: (delayMs, signal) => timers.sleep(delayMs / speed, signal),
    },
  };
}
