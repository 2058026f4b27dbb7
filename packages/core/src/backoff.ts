/** An exponential back-off: the delay is `baseMs` after the first failure and doubles with each further failure, up to `maxMs`. */
export interface Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** The maximum exponent, which keeps the power finite. The delay reaches any `maxMs` at a much lower exponent. */
const MOST_DOUBLINGS = 40;

/**
 * Returns the delay in milliseconds after `failures` (at least 1) consecutive failures. `random` (0 to 1) subtracts up to half of the
 * delay, so that clients that failed at the same time do not retry at the same time. Without `random`, the delay is exact.
 */
export function backoffMs(failures: number, { baseMs, maxMs }: Backoff, random = 0): number {
  const full = Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, MOST_DOUBLINGS));
  return full * (1 - random / 2);
}
