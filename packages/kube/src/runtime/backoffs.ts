import type { Backoff } from '@outrigger/core';

/** The back-off after a failure whose duration is unknown. */
export const FAILURE_BACKOFF: Backoff = { baseMs: 200, maxMs: 300_000 };

/**
 * The back-off after a write that the server forbids. No watch reports that an administrator granted the right, so the key is tried again
 * within 10 s. `keys` is the number of keys with a forbidden write. For more than 100 keys the delay is longer, so that all keys together
 * cause at most about 20 requests a second.
 */
export function forbiddenBackoff(keys: number): Backoff {
  const { baseMs, maxMs } = FAILURE_BACKOFF;
  return { baseMs, maxMs: Math.min(maxMs, Math.max(10_000, keys * 100)) };
}

/**
 * The back-off while a cache is behind the server. It is short, so that the pass is repeated as soon as the watch has delivered the change.
 */
export const CONFLICT_BACKOFF: Backoff = { baseMs: 20, maxMs: 10_000 };

/**
 * The minimum delay of a failing key, even if a change wakes the key. Without the delay, the write of a status that reports the failure
 * would wake the key in an endless loop. The delay is short, so that a correction takes effect quickly.
 */
export const FAILURE_REST: Backoff = { baseMs: 10, maxMs: 2_000 };
