import { ApiError } from '@outrigger/core';
import { badResourceVersion } from './errors.js';
import type { Query } from '../request/query.js';

/** The requested version; 0 and absent mean any version. */
export function resourceVersionOf(query: Query): number {
  const text = query.text('resourceVersion');
  if (text === undefined) return 0;
  const version = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(version)) throw badResourceVersion(text);
  return version;
}

/** Rejects versions that this server has not reached: the caller used another server, or the data was restored from a backup. */
export function assertNotInFuture(version: number, current: number): void {
  if (version > current) throw tooLarge(version, current);
}

export function tooLarge(version: number, current: number): ApiError {
  return new ApiError('Timeout', `Timeout: Too large resource version: ${version}, current: ${current}`, {
    details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }], retryAfterSeconds: 1 },
  });
}
