import { ApiError, errorMessage, isApiError, type ApiResponse, type LogFields, type Runtime } from '@outrigger/core';
import { RevisionExpired, StoreUnavailable } from '../store/contract.js';
import { expired, internalError } from './errors.js';

const JSON_HEADERS: Readonly<Record<string, string>> = { 'content-type': 'application/json', 'cache-control': 'no-cache, private' };

/** The answer to a request that failed. What no caller can cause is logged and told without its insides. */
export function failureResponse(error: unknown, runtime: Runtime, request: LogFields): ApiResponse {
  const status = asApiError(error, runtime, request).toStatus();
  const retryAfter = status.details?.retryAfterSeconds;
  return { status: status.code, headers: { ...JSON_HEADERS, ...(retryAfter ? { 'retry-after': String(retryAfter) } : {}) }, body: status };
}

/** What a failure means to the caller. */
export function asApiError(error: unknown, runtime: Runtime, request: LogFields): ApiError {
  if (isApiError(error)) return error;
  if (error instanceof RevisionExpired) return expired(`The resourceVersion for the provided watch is too old.`);
  if (error instanceof StoreUnavailable)
    return new ApiError('ServiceUnavailable', error.message, { cause: error, details: { retryAfterSeconds: 10 } });
  runtime.log.error({ ...request, error: errorMessage(error), stack: error instanceof Error ? error.stack : undefined }, 'request failed');
  return internalError(errorMessage(error), error);
}

/** For paths no API group answers: plain text, as a Go server says it. */
export function pageNotFound(): ApiResponse {
  return {
    status: 404,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body: '404 page not found\n',
  };
}
