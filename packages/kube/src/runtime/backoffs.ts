import type { Backoff } from '@outrigger/core';

/** The back-off after a failure that may end soon or may last. */
export const FAILURE_BACKOFF: Backoff = { baseMs: 200, maxMs: 300_000 };

/** The back-off while a cache is behind the server. It is short, so that the pass is repeated as soon as the watch has delivered. */
export const CONFLICT_BACKOFF: Backoff = { baseMs: 20, maxMs: 10_000 };

/**
 * How long a failing key rests even if a change wakes it. A status that reports the failure is a change too and would otherwise wake its
 * own key forever. Short, so that a fix still takes effect at once.
 */
export const FAILURE_REST: Backoff = { baseMs: 10, maxMs: 2_000 };
