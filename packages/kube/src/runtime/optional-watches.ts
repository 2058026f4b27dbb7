import type { ObjectKey } from '@outrigger/core';
import type { Source, Watch } from '../controller.js';

/**
 * Returns a source with watches that a controller reads but does not wait for, because the server may not serve their kinds or may not
 * allow the process to read them. Wakes `key` after each complete list.
 */
export function optionalWatches(key: ObjectKey, watches: readonly Watch[]): Source {
  return {
    start(context) {
      const cancels = watches.map((optional) => context.watch(optional, () => context.wake(key)));
      return () => {
        for (const cancel of cancels) cancel();
      };
    },
  };
}
