import type { Cancel, Runtime } from '@outrigger/core';
import type { Store } from './contract.js';

export interface HistoryOptions {
  /** The maximum age of changes that can be replayed. */
  readonly maxAgeMs: number;
  /** The maximum number of changes that can be replayed. */
  readonly maxChanges: number;
}

/** The default limits. They keep enough history for all clients to restart and resume their watches. */
export const DEFAULT_HISTORY: HistoryOptions = { maxAgeMs: 10 * 60_000, maxChanges: 100_000 };

const LOOK_EVERY_MS = 30_000;

/** Compacts the changes that exceed the limits, until the returned function is called. */
export function limitHistory(store: Store, runtime: Runtime, { maxAgeMs, maxChanges }: HistoryOptions = DEFAULT_HISTORY): Cancel {
  /** The store's revision at each check, oldest check first. */
  let looks: { readonly at: number; readonly revision: number }[] = [];
  let cancel: Cancel = () => undefined;
  const look = (): void => {
    const now = runtime.clock.monotonic();
    const isOld = ({ at }: { readonly at: number }): boolean => now - at >= maxAgeMs;
    const byAge = looks.filter(isOld).at(-1)?.revision ?? 0;
    looks = [...looks.filter((known) => !isOld(known)), { at: now, revision: store.revision }];
    store.compact(Math.max(byAge, store.revision - maxChanges)).catch((error: unknown) => {
      runtime.log.error({ error: String(error) }, 'compaction failed, will be retried');
    });
    cancel = runtime.timers.after(LOOK_EVERY_MS, look);
  };
  look();
  return () => cancel();
}
