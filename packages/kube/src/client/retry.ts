import { type ApiRequest, type ApiResponse, type Backoff, backoffMs, isApiError, isJsonObject } from '@outrigger/core';
import { isConnectionError } from './connection-error.js';

export interface RetryLimits {
  /** Maximum number of retries of one request. */
  readonly retries: number;
  /** If the server requests a longer delay than this, the caller gets the error instead of a retry. */
  readonly maxRetryDelayMs: number;
}

const BACKOFF: Backoff = { baseMs: 100, maxMs: 60_000 };

/**
 * Returns the delay before a rejected request is sent again, or undefined if it must not be repeated. After a 429, any request other than
 * an eviction is repeated, because the server did not execute it. (A 429 to an eviction means that a PodDisruptionBudget does not allow
 * it.) After a 5xx with Retry-After, only reads are repeated, because the server may have executed the request.
 */
export function retryDelayOfAnswer(request: ApiRequest, response: ApiResponse, attempt: number, limits: RetryLimits): number | undefined {
  if (attempt >= limits.retries) return undefined;
  const asked = retryAfterMs(response);
  const busy = response.status === 429 && !request.path.endsWith('/eviction');
  const briefly = request.method === 'GET' && response.status >= 500 && asked !== undefined;
  if (!busy && !briefly) return undefined;
  const delay = asked ?? backoffMs(attempt + 1, BACKOFF);
  return delay <= limits.maxRetryDelayMs ? delay : undefined;
}

/**
 * Returns the delay before a request without a response is sent again, or undefined if it must not be repeated. After a broken connection,
 * a read is always repeated. A write is repeated only if it was never sent.
 */
export function retryDelayOfFailure(request: ApiRequest, error: unknown, attempt: number, limits: RetryLimits): number | undefined {
  if (attempt >= limits.retries || !isConnectionError(error) || !BROKEN.has(error.code)) return undefined;
  return request.method === 'GET' || !error.sent ? backoffMs(attempt + 1, BACKOFF) : undefined;
}

/**
 * Error codes for a connection that broke during a request. Other connection errors (refused connections, bad certificates, deadlines) are
 * left to the caller.
 */
const BROKEN: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'ERR_HTTP2_GOAWAY_SESSION',
  'ERR_HTTP2_INVALID_SESSION',
  'ERR_HTTP2_STREAM_ERROR',
  'SUPERSEDED',
]);

/** Adds up to 50 % to a delay, so that clients that were rejected together do not retry together. */
export function withJitter(delayMs: number, random: number): number {
  return delayMs * (1 + random / 2);
}

/** The longest delay that a server can request. A maintenance page may name hours, but the server may be back earlier. */
const MAX_REQUESTED_MS = 300_000;

/** The delay that the server requested with an error response (Retry-After), at most five minutes; 0 if it requested none. */
export function requestedDelayMs(error: unknown): number {
  const seconds = isApiError(error) ? error.details?.retryAfterSeconds : undefined;
  return typeof seconds === 'number' && seconds > 0 ? Math.min(seconds * 1000, MAX_REQUESTED_MS) : 0;
}

/** The number of seconds in the header Retry-After, which API servers send without a Status if they are overloaded. */
export function retryAfterSeconds({ headers }: ApiResponse): number | undefined {
  const header = headers['retry-after'];
  return header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined;
}

function retryAfterMs(response: ApiResponse): number | undefined {
  const header = retryAfterSeconds(response);
  if (header !== undefined) return header * 1000;
  const details = isJsonObject(response.body) ? response.body['details'] : undefined;
  const seconds = isJsonObject(details) ? details['retryAfterSeconds'] : undefined;
  return typeof seconds === 'number' ? seconds * 1000 : undefined;
}
