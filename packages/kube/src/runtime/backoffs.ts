import type { Backoff } from '@outrigger/core';

/** For a failure that may end soon or may last. */
export const FAILURE_BACKOFF: Backoff = { baseMs: 200, maxMs: 300_000 };

/** For a cache that is behind the server: look again as soon as the watch may have delivered. */
export const CONFLICT_BACKOFF: Backoff = { baseMs: 20, maxMs: 10_000 };

/**
 * How long a failing key rests even if a change wakes it. A status that reports the failure is a change too and would otherwise wake its
 * own key for ever. Short, so that a fix still takes effect at once.
 */
export const FAILURE_REST: Backoff = { baseMs: 10, maxMs: 2_000 };
