import type { RolloutEntry, RolloutWait } from '@outrigger/api';
import { verbsFor } from '@outrigger/rules/decisions';

/**
 * Returns the gates for which an entry waits. The record contains a rejected gate twice: as rejected, and as waiting for approvals. Only
 * the rejection is returned, because an approval has no effect until a user retries the gate.
 */
export function waitsOf({ waitingFor = [] }: RolloutEntry): readonly RolloutWait[] {
  const rejected = new Set(waitingFor.filter(isRejection).map(({ name }) => name));
  return waitingFor.filter((wait) => wait.kind !== 'Approval' || isRejection(wait) || !rejected.has(wait.name));
}

function isRejection(wait: RolloutWait): boolean {
  return verbsFor(wait).includes('retry');
}
