import { errorMessage, isApiError, type Logger } from '@outrigger/core';
import type { Action } from '../decision.js';
import { failureMessage, isStale } from '../executor/error-policy.js';
import { isNotLeading } from '../leader/fence.js';

const MAX_REMEMBERED = 10_000;
/** Maximum number of log entries per key, because a server may phrase the same error differently each time. */
const MAX_PER_KEY = 20;
/**
 * The number of stale passes over a key since its last successful pass, after which errors due to a stale cache are logged. By then the
 * back-off has reached its maximum. A cache that only lags has caught up well before.
 */
const STALE_IN_A_ROW = 10;

/**
 * Logs a failure once instead of at every retry. Logs again when the error changes, and when the key recovers. A stale cache is part of
 * normal operation, because another client may create, change or delete the object before this process. The metrics count error responses
 * that only show a stale cache. The log reports them only if the cache does not catch up.
 */
export class FailureLog {
  readonly #log: Logger;
  readonly #reported = new Map<string, Set<string>>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * Logs a failure of the key. `setbacks` is the number of passes with the same outcome as this one (`stale`, or any other failure) since
   * the last pass over the key that succeeded.
   */
  report(key: string, error: unknown, action?: Action, setbacks = 1): void {
    const isBehind = action ? isStale(action, error) : isApiError(error, 'Conflict');
    if (isNotLeading(error) || (isBehind && setbacks < STALE_IN_A_ROW)) return;
    const message = action ? failureMessage(action, error) : errorMessage(error);
    const reported = this.#reported.get(key) ?? new Set();
    const failure = `${action?.id ?? ''} ${message}`;
    if (reported.has(failure) || reported.size >= MAX_PER_KEY) return;
    if (this.#reported.size < MAX_REMEMBERED) this.#reported.set(key, reported.add(failure));
    const stack = action === undefined && error instanceof Error ? { stack: error.stack } : {};
    this.#log.warn({ key, ...(action ? { action: action.id } : {}), error: message, ...stack }, action ? 'action failed' : 'pass failed');
  }

  recovered(key: string): void {
    if (this.#reported.delete(key)) this.#log.info({ key }, 'recovered');
  }
}
