import type { Runtime } from '@outrigger/core';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';

/** The runtime of a command that is no server: it logs errors only. A module of its own, so that only commands that need it load it. */
export function commandRuntime(): Runtime {
  return createRealRuntime({ log: createLogger({ level: 'error' }) });
}
