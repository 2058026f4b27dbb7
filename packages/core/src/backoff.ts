/** An exponential back-off: the delay is `baseMs` after the first failure and doubles with each further failure, up to `maxMs`. */
export interface Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** Limits the exponent, so that the power stays finite. Any `maxMs` is reached much earlier. */
const MOST_DOUBLINGS = 40;

/**
 * Returns how long to wait after `failures` (at least 1) consecutive failures. `random` (0 to 1) subtracts up to half of the delay, so that
 * clients that failed at the same time do not retry at the same time. Without it the delay is exact.
 */
export function backoffMs(failures: number, { baseMs, maxMs }: Backoff, random = 0): number {
  const full = Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, MOST_DOUBLINGS));
  return full * (1 - random / 2);
}
