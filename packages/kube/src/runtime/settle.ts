import type { Backoff } from '@outrigger/core';
import type { Batch } from '../executor/batch.js';
import { requestedDelayMs } from '../client/retry.js';
import { backoffOf, isStale, shouldRetry } from '../executor/error-policy.js';
import type { Execution } from '../executor/executor.js';
import { isNotLeading } from '../leader/fence.js';
import { CONFLICT_BACKOFF } from './backoffs.js';
import type { PassOutcome } from './metrics.js';

export interface Settlement {
  readonly outcome: PassOutcome;
  readonly isFailure: boolean;
  /** Whether to queue the key again immediately. */
  readonly again: boolean;
  /** The back-off after which the key is queued again; undefined if only a change can resolve the failure. */
  readonly backoff: Backoff | undefined;
  readonly retryAfterMs: number;
}

/**
 * Determines from the results of a pass when to process its key again. `isNews` is true if there is an error response that no pass has
 * observed yet. `forbiddenKeys` is the number of the controller's keys with a write that the server forbids, or undefined if the controller
 * does not set `awaitsGrants`.
 */
export function settle({ failures }: Execution, batch: Batch, isNews: boolean, forbiddenKeys?: number): Settlement {
  if (failures.length === 0) {
    const outcome = batch.isPartial ? 'partial' : batch.size === 0 ? 'idle' : 'acted';
    return { outcome, isFailure: false, again: batch.isPartial, backoff: undefined, retryAfterMs: 0 };
  }
  const retried = failures.filter(({ error }) => shouldRetry(error));
  const onlyStale = retried.length > 0 && retried.every(({ action, error }) => isStale(action, error));
  return {
    outcome: outcomeOf(
      retried.length > 0,
      onlyStale,
      failures.some(({ error }) => isNotLeading(error)),
    ),
    isFailure: true,
    again: false,
    // If there is an error response that no pass has observed yet, repeat the pass soon, so that it reports the response in a condition.
    // This applies even if sending the action again is pointless. Use a back-off, because a server may phrase the same error differently
    // each time.
    backoff: onlyStale || isNews ? CONFLICT_BACKOFF : retried[0] && backoffOf(retried[0].action, retried[0].error, forbiddenKeys),
    retryAfterMs: Math.max(0, ...retried.map(({ error }) => requestedDelayMs(error))),
  };
}

function outcomeOf(isRetried: boolean, onlyStale: boolean, isDeposed: boolean): PassOutcome {
  if (isDeposed) return 'stopped';
  if (onlyStale) return 'stale';
  return isRetried ? 'failed' : 'refused';
}
