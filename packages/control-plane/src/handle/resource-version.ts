import { ApiError } from '@outrigger/core';
import { badResourceVersion } from './errors.js';
import type { Query } from '../request/query.js';

/** Returns the resourceVersion that the query asks for. 0 and an absent resourceVersion both mean any version. */
export function resourceVersionOf(query: Query): number {
  const text = query.text('resourceVersion');
  if (text === undefined) return 0;
  const version = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(version)) throw badResourceVersion(text);
  return version;
}

/**
 * Rejects a resourceVersion that this server has not reached. The caller got it from another server, or the data was restored from a
 * backup.
 */
export function assertNotInFuture(version: number, current: number): void {
  if (version > current) throw tooLarge(version, current);
}

export function tooLarge(version: number, current: number): ApiError {
  return new ApiError('Timeout', `Timeout: Too large resource version: ${version}, current: ${current}`, {
    details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }], retryAfterSeconds: 1 },
  });
}
