import type { Runtime } from '@outrigger/core';
import type { ServedWatchEvent } from '../contract.js';
import { asApiError } from '../status-response.js';
import { servedEvent } from './happening.js';

/** Why a watch cannot go on, as clients look for it: in the stream. */
export function errorEvent(runtime: Runtime, error: unknown): ServedWatchEvent {
  return servedEvent('ERROR', asApiError(error, runtime, { during: 'watch' }).toStatus());
}
