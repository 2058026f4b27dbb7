import type { ApiError, Runtime } from '@outrigger/core';
import type { RevisionExpired } from '../../store/contract.js';
import type { ServedWatchEvent } from '../contract.js';
import { expired } from '../errors.js';
import { asApiError } from '../status-response.js';
import { servedEvent } from './shared-change.js';
import type { EncodeEvent } from './line.js';

/** Returns the error that ends a watch as an event in the stream, where clients expect it. */
export function errorEvent(runtime: Runtime, error: unknown, encode: EncodeEvent): ServedWatchEvent {
  return servedEvent('ERROR', asApiError(error, runtime, { during: 'watch' }).toStatus(), encode);
}

/** Returns the error for a watch whose changes are no longer kept. The client lists the objects again. */
export function tooOld({ revision, compactedRevision }: RevisionExpired): ApiError {
  return expired(`too old resource version: ${revision} (${compactedRevision})`);
}
