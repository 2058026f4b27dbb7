import { errorMessage } from '@outrigger/core';
import type { ControllerContext, RunningController } from './contract.js';

/**
 * The compaction interval of a Kubernetes API server. A client that was disconnected for less than this resumes its watch; a client that
 * was disconnected for more than twice as long must list again.
 */
const INTERVAL_MS = 300_000;

/** Starts a controller that compacts the store once per interval, so that changes older than one interval are deleted. */
export function startCompaction({ runtime, store }: ControllerContext): RunningController {
  let oldest = store.revision;
  let running = Promise.resolve();
  const compact = async (): Promise<void> => {
    const upTo = oldest;
    oldest = store.revision;
    try {
      await store.compact(upTo);
    } catch (error) {
      runtime.log.warn({ revision: upTo, error: errorMessage(error) }, 'history could not be compacted');
    }
  };
  const again = (): void => {
    running = compact();
    cancel = runtime.timers.after(INTERVAL_MS, again);
  };
  let cancel = runtime.timers.after(INTERVAL_MS, again);
  return {
    stop: () => {
      cancel();
      return running;
    },
  };
}
