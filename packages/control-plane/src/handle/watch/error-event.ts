import type { Runtime } from '@outrigger/core';
import type { ServedWatchEvent } from '../contract.js';
import { asApiError } from '../status-response.js';
import { servedEvent } from './shared-change.js';
import type { EncodeEvent } from './line.js';

/** Returns the error that ends a watch as an event in the stream, where clients expect it. */
export function errorEvent(runtime: Runtime, error: unknown, encode: EncodeEvent): ServedWatchEvent {
  return servedEvent('ERROR', asApiError(error, runtime, { during: 'watch' }).toStatus(), encode);
}
