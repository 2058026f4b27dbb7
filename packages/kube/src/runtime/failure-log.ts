import { errorMessage, isApiError, type Logger } from '@outrigger/core';
import type { Action } from '../decision.js';
import { failureMessage } from '../executor/error-policy.js';
import { isNotLeading } from '../leader/fence.js';

const MAX_REMEMBERED = 10_000;
/** A server that words the same refusal differently each time must not fill the log. */
const MAX_PER_KEY = 20;

/** Logs what failed once, not at every retry; again when the error becomes another one, and when the key recovers. */
export class FailureLog {
  readonly #log: Logger;
  readonly #reported = new Map<string, Set<string>>();

  constructor(log: Logger) {
    this.#log = log;
  }

  report(key: string, error: unknown, action?: Action): void {
    if (isNotLeading(error) || isApiError(error, 'Conflict')) return; // part of normal operation; the metrics count them
    const message = action ? failureMessage(action, error) : errorMessage(error);
    const reported = this.#reported.get(key) ?? new Set();
    const what = `${action?.id ?? ''} ${message}`;
    if (reported.has(what) || reported.size >= MAX_PER_KEY) return;
    if (this.#reported.size < MAX_REMEMBERED) this.#reported.set(key, reported.add(what));
    const stack = action === undefined && error instanceof Error ? { stack: error.stack } : {};
    this.#log.warn({ key, ...(action ? { action: action.id } : {}), error: message, ...stack }, action ? 'action failed' : 'pass failed');
  }

  recovered(key: string): void {
    if (this.#reported.delete(key)) this.#log.info({ key }, 'recovered');
  }
}
