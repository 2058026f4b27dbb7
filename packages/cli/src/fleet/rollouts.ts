import { type AddOnRollout, FLEET_ROLLOUT, addOnRollouts } from '@outrigger/api';
import { shell } from '@outrigger/core';
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

/** Returns the end of a message about a change of an add-on on the fleet: how to follow its rollout, or that the rollout is paused. */
export async function nextStep(hub: Client, addOn: string): Promise<string> {
  const isPaused = async (name: string): Promise<boolean> => (await find(hub, addOnRollouts, { name }))?.spec?.paused === true;
  const [own, all] = await Promise.all([isPaused(addOn), isPaused(FLEET_ROLLOUT)]);
  if (own) return `, but its rollout is paused: \`${shell`outrigger rollout resume ${addOn}`}\` goes on`;
  if (all) return ', but all rollouts of the fleet are paused: `outrigger resume --all` goes on';
  return `: \`${shell`outrigger rollout status ${addOn} --watch`}\` follows it`;
}
