import { type AddOnRollout, addOnRollouts } from '@outrigger/api';
import type { Client } from '@outrigger/kube';
import { notFound } from '../failure.js';
import { find } from './objects.js';
import { requireAddOn } from './versions.js';

export async function requireRollout(hub: Client, addOn: string): Promise<AddOnRollout> {
  const found = await find(hub, addOnRollouts, { name: addOn });
  if (found) return found;
  await requireAddOn(hub, addOn);
  throw notFound(`${addOn} has no rollout yet: the manager makes it; \`outrigger doctor\` tells whether one runs`);
}
