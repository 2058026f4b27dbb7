import { type ClusterManagementAddOn, clusterManagementAddOns } from '@outrigger/api';
import { type Timers, findCondition } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { find } from './objects.js';

const LOOKS = 50;
const LOOK_MS = 200;

/**
 * Whether the manager has looked at the latest declaration: until then its record tells of the time before. A hub whose definitions keep
 * no conditions cannot tell; there the record is taken as it is.
 */
export function isLookedAt({ metadata, status }: ClusterManagementAddOn): boolean {
  const resolved = findCondition(status?.conditions, 'TargetsResolved');
  return resolved === undefined || (resolved.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

/** Gives the manager ten seconds to look at what was declared last; returns whether it has. */
export async function untilLookedAt(hub: Client, timers: Timers, addOn: string): Promise<boolean> {
  for (let look = 0; look < LOOKS; look++) {
    const declaration = await find(hub, clusterManagementAddOns, { name: addOn });
    if (!declaration || isLookedAt(declaration)) return true;
    await timers.sleep(LOOK_MS);
  }
  return false;
}
