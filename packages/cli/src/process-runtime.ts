import type { Runtime } from '@outrigger/core';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';

/**
 * Returns the runtime of a command that is not a server. It logs errors only. It is in a separate module, so that only commands that need
 * it load it.
 */
export function commandRuntime(): Runtime {
  return createRealRuntime({ log: createLogger({ level: 'error' }) });
}
