import { ApiError, errorMessage, isApiError, type ApiRequest, type ApiResponse, type LogFields, type Runtime } from '@outrigger/core';
import { negotiatePlain } from '../request/negotiate.js';
import { RevisionExpired, StoreUnavailable } from '../store/contract.js';
import { expired, internalError } from './errors.js';

/** A request that failed, and the user that made it. */
export interface FailedRequest {
  readonly request: ApiRequest;
  readonly user: string;
}

/** Returns the response to a request that failed. Internal errors are logged, and the response omits their details. */
export function failureResponse(error: unknown, runtime: Runtime, { request, user }: FailedRequest): ApiResponse {
  const status = asApiError(error, runtime, { method: request.method, path: request.path, user }).toStatus();
  const retryAfter = status.details?.retryAfterSeconds;
  const headers = { 'content-type': negotiatePlain(request.headers?.['accept']), 'cache-control': 'no-cache, private' };
  return { status: status.code, headers: { ...headers, ...(retryAfter ? { 'retry-after': String(retryAfter) } : {}) }, body: status };
}

/** Returns the ApiError that the caller receives for any error. */
export function asApiError(error: unknown, runtime: Runtime, request: LogFields): ApiError {
  if (isApiError(error)) return error;
  if (error instanceof RevisionExpired) return expired(`The resourceVersion for the provided watch is too old.`);
  if (error instanceof StoreUnavailable)
    return new ApiError('ServiceUnavailable', error.message, { cause: error, details: { retryAfterSeconds: 10 } });
  runtime.log.error({ ...request, error: errorMessage(error), stack: error instanceof Error ? error.stack : undefined }, 'request failed');
  return internalError(errorMessage(error), error);
}

/** Returns the response for paths that no API group serves: plain text, as a Go server sends it. */
export function pageNotFound(): ApiResponse {
  return {
    status: 404,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body: '404 page not found\n',
  };
}
