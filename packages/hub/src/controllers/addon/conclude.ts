import type { ManagedClusterAddOnStatus } from '@outrigger/api';
import type { Action, Decision, Now } from '@outrigger/kube';
import { patchStatus } from './actions.js';
import { statusEvents } from './events.js';
import type { AddOnState } from './state.js';
import type { MetadataPlan } from './steps/metadata.js';
import { patchNotBefore, statusPatch } from './steps/status.js';

/** The writes of a pass besides its status. */
export interface Writes {
  /** Metadata of the add-on itself. It changes the object the status was computed from: the pass its own event brings writes the status. */
  readonly metadata: MetadataPlan;
  readonly effects: readonly Action[];
  readonly recheckAt: number | undefined;
}

export const NO_WRITES: Writes = { metadata: { guards: [], actions: [] }, effects: [], recheckAt: undefined };

/**
 * Effects first, then the status: it says what holds once they have succeeded. Where one of them was refused before, the status, which
 * tells of it, must not wait for it.
 */
export function conclude(state: AddOnState, next: ManagedClusterAddOnStatus, { metadata, effects, recheckAt }: Writes, now: Now): Decision {
  const patch = metadata.actions.length > 0 ? undefined : statusPatch(state.addOn, next);
  const notBefore = patch && patchNotBefore(state.addOn, patch, now);
  const isDue = patch !== undefined && notBefore !== undefined && notBefore <= now.wall;
  const status = isDue ? [patchStatus(state, patch)] : [];
  const isRefused = effects.some(({ id }) => state.outcomes.refusal(id));
  const writes = [...metadata.actions, ...effects];
  const times = [recheckAt, isDue ? undefined : notBefore].filter((time) => time !== undefined);
  return {
    stages: [metadata.guards, ...(isRefused ? [[...writes, ...status]] : [writes, status])].filter((stage) => stage.length > 0),
    ...(isDue ? { events: statusEvents(state, next) } : {}),
    ...(times.length > 0 ? { requeueAfterMs: Math.max(0, Math.min(...times) - now.wall) } : {}),
  };
}
