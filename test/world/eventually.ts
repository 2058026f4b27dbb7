import { type Runtime, isApiError } from '@outrigger/core';

/** Resolves with the first value that `condition` returns. Rejects after a time limit with the name of the condition. */
export type Eventually = <T>(what: string, condition: () => Promise<T | undefined>) => Promise<T>;

/** The time of a world: real time, or the virtual time of its simulator. */
export interface WorldTime extends Pick<Runtime, 'clock' | 'timers'> {
  readonly patience?: Patience;
}

export interface Patience {
  /** The time between two checks. */
  readonly everyMs: number;
  /**
   * The longest time between two checks. During a long wait checks become rarer, because each check of a server in real time costs
   * requests. If undefined, all intervals are equal. The value is below the 200 ms from which the meter of fixed sleeps counts a timer.
   */
  readonly mostMs?: number;
  /** The time limit. It only guards against a hang; a test that passes does not depend on it. */
  readonly limitMs: number;
}

/** The time limit is shorter than that of a test (`test/harness/limits.ts`), so that the error names the condition. */
const REAL: Patience = { everyMs: 20, mostMs: 100, limitMs: 55_000 };
/** The intervals and the limit for a server in another process, for which each check is a request over a socket. */
export const OVER_SOCKETS: Patience = { everyMs: 50, mostMs: 180, limitMs: 90_000 };
/** The intervals and the limit for virtual time, in which a long wait costs little. */
export const VIRTUAL: Patience = { everyMs: 100, limitMs: 900_000 };

/**
 * Waits until `condition` returns a value. An object that does not exist yet and an expectation that fails count as no value; any other
 * error ends the wait. If the wait times out, the error contains what `lastSeen` returns.
 */
export async function eventually<T>(
  { clock, timers, patience = REAL }: WorldTime,
  what: string,
  condition: () => Promise<T | undefined>,
  lastSeen?: () => unknown,
): Promise<T> {
  const { limitMs } = patience;
  let last: unknown;
  const startAt = clock.monotonic();
  const waitedMs = (): number => clock.monotonic() - startAt;
  for (; waitedMs() < limitMs; await timers.sleep(pauseMs(patience, waitedMs()))) {
    try {
      const found = await condition();
      if (found !== undefined) return found;
    } catch (error) {
      if (!isNotYet(error)) throw error;
      last = error;
    }
  }
  const seen = lastSeen && `; last seen: ${JSON.stringify(await lastSeen(), undefined, 2)}`;
  throw new Error(`waited ${limitMs / 1000} s in vain for: ${what}${seen ?? ''}`, { cause: last });
}

/** Returns the time until the next check. Although checks become rarer, a wait becomes at most a fifth longer. */
function pauseMs({ everyMs, mostMs = everyMs }: Patience, waitedMs: number): number {
  return Math.min(mostMs, Math.max(everyMs, waitedMs / 5));
}

function isNotYet(error: unknown): boolean {
  return error instanceof Error && (isApiError(error, 'NotFound') || error.name === 'AssertionError');
}
