import { type AddOnRollout, type ClusterManagementAddOn, addOnRollouts, clusterManagementAddOns } from '@outrigger/api';
import { type Timers, findCondition } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { find } from './objects.js';

const MAX_READS = 50;
const READ_EVERY_MS = 200;

/**
 * Whether the manager has observed the latest declaration. Until then, the rollout reflects an earlier generation of the declaration. Also
 * true if the declaration has no TargetsResolved condition, for example on a hub whose CRDs drop conditions.
 */
export function isObserved({ metadata, status }: ClusterManagementAddOn): boolean {
  const resolved = findCondition(status?.conditions, 'TargetsResolved');
  return resolved === undefined || (resolved.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

/** Whether the rollout's status reflects the latest spec of the AddOnRollout, such as a pin. */
export function isRecorded({ metadata, status }: AddOnRollout): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

/**
 * Waits up to ten seconds until the manager has observed the latest declaration and the latest pin. Resolves with false if the manager has
 * not observed both by then.
 */
export async function untilObserved(hub: Client, timers: Timers, addOn: string): Promise<boolean> {
  for (let reads = 0; reads < MAX_READS; reads++) {
    const managementAddOn = await find(hub, clusterManagementAddOns, { name: addOn });
    const rollout = await find(hub, addOnRollouts, { name: addOn });
    if ((!managementAddOn || isObserved(managementAddOn)) && (!rollout || isRecorded(rollout))) return true;
    await timers.sleep(READ_EVERY_MS);
  }
  return false;
}
