import type { Runtime } from '@outrigger/core';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';

/**
 * Returns the runtime of a command that is not a server. This runtime logs only errors. The function has its own file, so that only
 * commands that need a runtime load its code.
 */
export function commandRuntime(): Runtime {
  return createRealRuntime({ log: createLogger({ level: 'error' }) });
}
