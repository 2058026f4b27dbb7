import { type ApiError, type ApiReason, type Backoff, isApiError } from '@outrigger/core';
import type { Action } from '../decision.js';
import { CONFLICT_BACKOFF, FAILURE_BACKOFF } from '../runtime/backoffs.js';

/** Decides what an error means for the queue. A group stops only if every member does. */
export function shouldRetry(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(shouldRetry);
  const isTerminal = error instanceof Error && error.name === 'TerminalError';
  return !isTerminal && !isApiError(error, 'Invalid');
}

/** The cache was behind the server: look again as soon as it has caught up. */
export function isStale(action: Action, error: unknown): boolean {
  if (isApiError(error, 'Conflict')) return true;
  // With `adopt`, AlreadyExists means that another controller owns the object: the cache is not behind.
  if (action.type === 'create') return !action.adopt && isApiError(error, 'AlreadyExists');
  return (action.type === 'patch' || action.type === 'delete' || action.type === 'replace') && isApiError(error, 'NotFound');
}

export function backoffOf(action: Action, error: unknown): Backoff {
  return isStale(action, error) ? CONFLICT_BACKOFF : FAILURE_BACKOFF;
}

/** How long the server asked the client to wait. */
export function retryAfterMs(error: unknown): number {
  return isApiError(error) ? (error.details?.retryAfterSeconds ?? 0) * 1000 : 0;
}

/** Answers that say nothing about the content: the server was busy, or another writer was faster. */
const PASSING: ReadonlySet<ApiReason> = new Set([
  'Conflict',
  'Expired',
  'TooManyRequests',
  'ServiceUnavailable',
  'Timeout',
  'ServerTimeout',
]);

/**
 * The refusal an error stands for, or undefined if it is none: no answer came, or the answer says nothing about the content.
 * Messages about Secrets may quote their values, so of those only reason and field paths are kept.
 */
export function refusalOf(action: Action, error: unknown): { readonly reason: ApiReason; readonly message: string } | undefined {
  if (error instanceof Error && error.name === 'TerminalError') return { reason: 'Unknown', message: error.message };
  if (!isApiError(error) || PASSING.has(error.reason) || isStale(action, error)) return undefined;
  return { reason: error.reason, message: failureMessage(action, error) };
}

/** The error as logs, conditions and events may show it. */
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
