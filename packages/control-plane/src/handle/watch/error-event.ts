import type { Runtime } from '@outrigger/core';
import type { ServedWatchEvent } from '../contract.js';
import { asApiError } from '../status-response.js';
import { servedEvent } from './happening.js';
import type { EncodeEvent } from './line.js';

/** Why a watch cannot go on, as clients look for it: in the stream. */
export function errorEvent(runtime: Runtime, error: unknown, encode: EncodeEvent): ServedWatchEvent {
  return servedEvent('ERROR', asApiError(error, runtime, { during: 'watch' }).toStatus(), encode);
}
