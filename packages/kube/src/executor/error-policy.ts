import { type ApiError, type ApiReason, type Backoff, isApiError } from '@outrigger/core';
import type { Action } from '../decision.js';
import { CONFLICT_BACKOFF, FAILURE_BACKOFF, forbiddenBackoff } from '../runtime/backoffs.js';

/** Whether a key is retried after an error. After an AggregateError, the key is retried if at least one of the errors allows it. */
export function shouldRetry(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(shouldRetry);
  const isTerminal = error instanceof Error && error.name === 'TerminalError';
  return !isTerminal && !isApiError(error, 'Invalid');
}

/** Whether the error shows that the cache was stale, so that the key is retried when the cache has caught up. */
export function isStale(action: Action, error: unknown): boolean {
  if (isApiError(error, 'Conflict')) return true;
  // With `adopt`, AlreadyExists means that another controller owns the object, not that the cache is stale.
  if (action.type === 'create') return !action.adopt && isApiError(error, 'AlreadyExists');
  return (action.type === 'patch' || action.type === 'delete' || action.type === 'replace') && isApiError(error, 'NotFound');
}

/**
 * Returns the back-off after a failed action. `forbiddenKeys` is the number of the controller's keys with a write that the server forbids,
 * or undefined if the controller does not set `awaitsGrants`.
 */
export function backoffOf(action: Action, error: unknown, forbiddenKeys?: number): Backoff {
  if (isStale(action, error)) return CONFLICT_BACKOFF;
  return forbiddenKeys !== undefined && isApiError(error, 'Forbidden') ? forbiddenBackoff(forbiddenKeys) : FAILURE_BACKOFF;
}

/** The reasons of errors that do not concern the content of the write: the server was overloaded, or another client wrote before. */
const PASSING: ReadonlySet<ApiReason> = new Set([
  'Conflict',
  'Expired',
  'TooManyRequests',
  'ServiceUnavailable',
  'Timeout',
  'ServerTimeout',
]);

/**
 * Converts an error to a refusal. Returns undefined if there was no response or the error does not concern the content. Messages about
 * Secrets may contain values of the Secrets, so a refusal contains only the reason and the field paths of such a message.
 */
export function refusalOf(action: Action, error: unknown): { readonly reason: ApiReason; readonly message: string } | undefined {
  if (error instanceof Error && error.name === 'TerminalError') return { reason: 'Unknown', message: error.message };
  if (!isApiError(error) || PASSING.has(error.reason) || isStale(action, error)) return undefined;
  return { reason: error.reason, message: failureMessage(action, error) };
}

/** The error message for logs, conditions and Events, without secret values. */
export function failureMessage(action: Action, error: unknown): string {
  if (isApiError(error)) return isAboutSecret(action) ? redacted(error) : error.message;
  if (isAboutSecret(action)) return error instanceof Error ? error.name : 'failed';
  return error instanceof Error ? error.message : String(error);
}

function isAboutSecret(action: Action): boolean {
  return action.type !== 'effect' && action.kind.group === '' && action.kind.plural === 'secrets';
}

function redacted(error: ApiError): string {
  const fields = (error.details?.causes ?? []).flatMap(({ field }) => (field === undefined ? [] : [field]));
  return fields.length > 0 ? `${error.reason}: ${fields.join(', ')}` : error.reason;
}
