import type { Cancel } from '@outrigger/core';
import type { ServerState } from './context.js';

export function cleanUpDefinitions(_server: ServerState): Cancel {
  return () => undefined;
}
