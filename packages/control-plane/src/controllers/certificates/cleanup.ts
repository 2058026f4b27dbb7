import { earliest, parseTime } from '@outrigger/core';
import type { SigningRequest } from './signing.js';

const HOUR_MS = 3_600_000;
const DECIDED_MS = HOUR_MS;
const UNDECIDED_MS = 24 * HOUR_MS;

/**
 * Returns the time after which a request may be deleted, in milliseconds since the epoch: an hour after its certificate was issued or the
 * request was denied or failed; a day after it was created or approved if no certificate was issued.
 */
export function cleanupDue({ metadata, status }: SigningRequest): number | undefined {
  const conditions = status?.conditions ?? [];
  if (conditions.length === 0) return plus(parseTime(metadata.creationTimestamp), UNDECIDED_MS);
  const dues = conditions.map(({ type, lastUpdateTime, lastTransitionTime }) => {
    const isDecided = type === 'Denied' || type === 'Failed' || (type === 'Approved' && status?.certificate !== undefined);
    const at = parseTime(lastUpdateTime ?? lastTransitionTime) ?? parseTime(metadata.creationTimestamp);
    return plus(at, isDecided ? DECIDED_MS : UNDECIDED_MS);
  });
  return earliest(...dues);
}

function plus(at: number | undefined, durationMs: number): number | undefined {
  return at === undefined ? undefined : at + durationMs;
}
