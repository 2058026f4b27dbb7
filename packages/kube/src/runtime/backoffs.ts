import type { Backoff } from '@outrigger/core';

/** The back-off after a failure of unknown duration. */
export const FAILURE_BACKOFF: Backoff = { baseMs: 200, maxMs: 300_000 };

/**
 * The back-off while a cache is behind the server. It is short, so that the pass is repeated as soon as the watch has delivered the change.
 */
export const CONFLICT_BACKOFF: Backoff = { baseMs: 20, maxMs: 10_000 };

/**
 * The minimum delay of a failing key, even if a change wakes it. Without the delay, the write of a status that reports the failure would
 * wake the key in an endless loop. The delay is short, so that a correction takes effect quickly.
 */
export const FAILURE_REST: Backoff = { baseMs: 10, maxMs: 2_000 };
