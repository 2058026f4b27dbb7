/** Exponential back-off per key: `base · 2^(failures-1)` up to `maxMs`, of which a random half is taken off. */
export interface Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** Something went wrong that may be over in a moment or may last. */
export const FAILURE_BACKOFF: Backoff = { baseMs: 200, maxMs: 300_000 };

/** The cache was behind: look again as soon as the watch may have delivered. */
export const CONFLICT_BACKOFF: Backoff = { baseMs: 20, maxMs: 10_000 };

/**
 * How long a failing key rests whatever wakes it: a status that tells of a failure is a change too, and would otherwise wake its own
 * key for ever. Short, so that a fix still takes effect at once.
 */
export const FAILURE_REST: Backoff = { baseMs: 10, maxMs: 2_000 };

export function backoffMs(failures: number, { baseMs, maxMs }: Backoff, random: number): number {
  const full = Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 40));
  return full * (1 - random / 2);
}
