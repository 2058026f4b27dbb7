import { parseTime } from '@outrigger/core';
import type { SigningRequest } from './signing.js';

const HOUR_MS = 3_600_000;
const DECIDED_MS = HOUR_MS;
const UNDECIDED_MS = 24 * HOUR_MS;

/**
 * When a request may be deleted: an hour after it was issued, denied or failed; a day after it was created, or approved, if no certificate
 * was issued. The time is in milliseconds since the epoch.
 */
export function cleanupDue({ metadata, status }: SigningRequest): number | undefined {
  const conditions = status?.conditions ?? [];
  if (conditions.length === 0) return plus(parseTime(metadata.creationTimestamp), UNDECIDED_MS);
  const dues = conditions.flatMap(({ type, lastUpdateTime, lastTransitionTime }) => {
    const isDecided = type === 'Denied' || type === 'Failed' || (type === 'Approved' && status?.certificate !== undefined);
    const at = parseTime(lastUpdateTime ?? lastTransitionTime) ?? parseTime(metadata.creationTimestamp);
    return plus(at, isDecided ? DECIDED_MS : UNDECIDED_MS) ?? [];
  });
  return dues.length === 0 ? undefined : Math.min(...dues);
}

function plus(at: number | undefined, durationMs: number): number | undefined {
  return at === undefined ? undefined : at + durationMs;
}
