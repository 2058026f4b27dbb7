import type { Logger, LogFields, Runtime, Timers } from '@outrigger/core';
import { createVirtualKeys } from './virtual-keys.js';
import { createPrng } from './prng.js';
import type { Simulator } from './simulator.js';
import { VirtualScope } from './virtual-scope.js';

/** The runtime of one simulated process. */
export interface VirtualRuntime extends Runtime {
  readonly name: string;
  readonly scope: VirtualScope;
  /** Kills the process: none of its code runs again, not even the handlers of its abort signal. */
  crash(): void;
  /** Moves the wall clock; the monotonic clock does not change. */
  skew(ms: number): void;
  /** Stops the process for this long (SIGSTOP). Tasks that become due meanwhile run afterwards. */
  freeze(ms: number): void;
}

export function createVirtualRuntime(simulator: Simulator, name: string): VirtualRuntime {
  const scope = new VirtualScope(name);
  const random = createPrng(`${simulator.seed}/${name}`);
  let skewMs = 0;
  let frozenUntil = 0;

  /** All callbacks into the process go through this function. */
  function enter(delayMs: number, task: () => void, within: VirtualScope = scope): () => void {
    return simulator.schedule(delayMs, function due(): void {
      if (within.isCut) return;
      if (frozenUntil > simulator.now) simulator.scheduleAt(frozenUntil, due);
      else task();
    });
  }
  scope.enter = enter;

  return {
    name,
    clock: { now: () => simulator.wallNow + skewMs, monotonic: () => simulator.now },
    timers: createVirtualTimers(enter),
    random,
    keys: createVirtualKeys(simulator, random, enter),
    log: createVirtualLogger(simulator, name, {}),
    scope,
    crash() {
      simulator.note(`${name}: crashed`);
      scope.cut();
    },
    skew(ms) {
      simulator.note(`${name}: clock skewed by ${ms} ms`);
      skewMs += ms;
    },
    freeze(ms) {
      simulator.note(`${name}: frozen for ${ms} ms`);
      frozenUntil = Math.max(frozenUntil, simulator.now + ms);
    },
  };
}

function createVirtualTimers(enter: (delayMs: number, task: () => void) => () => void): Timers {
  return {
    after: (delayMs, task) => enter(delayMs, task),
    yield: () => new Promise((resolve) => void enter(0, resolve)),
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason);
          return;
        }
        const stop = (): void => {
          cancel();
          reject(signal?.reason);
        };
        const cancel = enter(delayMs, () => {
          signal?.removeEventListener('abort', stop);
          resolve();
        });
        signal?.addEventListener('abort', stop, { once: true });
      }),
  };
}

/** Log lines are part of the simulation's log. Stack traces are left out, because they contain file names and line numbers. */
function createVirtualLogger(simulator: Simulator, name: string, base: LogFields): Logger {
  const write = (level: string) => (fields: LogFields, message: string) => {
    const { stack: _, ...rest } = { ...base, ...fields };
    simulator.note(`${name}: ${level} ${message} ${JSON.stringify(rest)}`);
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => createVirtualLogger(simulator, name, { ...base, ...fields }),
  };
}
