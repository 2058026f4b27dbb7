import { type ApiRequest, type ApiResponse, type Backoff, backoffMs, isJsonObject } from '@outrigger/core';
import { isConnectionError } from './connection-error.js';

export interface RetryLimits {
  /** How often one request is sent again at most. */
  readonly retries: number;
  /** A server that asks for a longer pause is reported to the caller instead of waited for. */
  readonly maxRetryDelayMs: number;
}

const BACKOFF: Backoff = { baseMs: 100, maxMs: 60_000 };

/**
 * How long to wait before sending a rejected request again, or undefined if it must not be repeated. 429 means the server did not execute
 * it, whatever the verb; 5xx with Retry-After may have executed it, so only reads are repeated.
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
 * The delay before a request without an answer is sent again. Reads are repeated after a broken connection, writes only if they were never
 * sent.
 */
export function retryDelayOfFailure(request: ApiRequest, error: unknown, attempt: number, limits: RetryLimits): number | undefined {
  if (attempt >= limits.retries || !isConnectionError(error) || !BROKEN.has(error.code)) return undefined;
  return request.method === 'GET' || !error.sent ? backoffMs(attempt + 1, BACKOFF) : undefined;
}

/** A connection that broke under a request. A rejected one, a bad certificate or a deadline is the caller's to handle. */
const BROKEN: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'ERR_HTTP2_GOAWAY_SESSION',
  'ERR_HTTP2_INVALID_SESSION',
  'ERR_HTTP2_STREAM_ERROR',
  'SUPERSEDED',
]);

/** Up to half as much again, so that clients that were refused together do not come back together. */
export function withJitter(delayMs: number, random: number): number {
  return delayMs * (1 + random / 2);
}

function retryAfterMs(response: ApiResponse): number | undefined {
  const header = response.headers['retry-after'];
  if (header !== undefined && /^\d+$/.test(header)) return Number(header) * 1000;
  const details = isJsonObject(response.body) ? response.body['details'] : undefined;
  const seconds = isJsonObject(details) ? details['retryAfterSeconds'] : undefined;
  return typeof seconds === 'number' ? seconds * 1000 : undefined;
}
