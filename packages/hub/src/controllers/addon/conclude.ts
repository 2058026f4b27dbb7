import type { ManagedClusterAddOnStatus } from '@outrigger/api';
import { earliest } from '@outrigger/core';
import type { Now } from '@outrigger/kube';
import { type AddOnAction, type AddOnDecision, STATUS_ACTION, patchStatus } from './actions.js';
import { statusEvents } from './events.js';
import type { AddOnState } from './state.js';
import type { GuardedWrites } from './steps/metadata.js';
import { patchNotBefore, statusPatch } from './steps/status.js';

/** The writes of a pass, without the status. */
export interface Writes {
  /**
   * A patch to the add-on's own metadata. The patch changes the object from which the status was computed, so the status is written by the
   * next pass, which the patch wakes.
   */
  readonly metadata: GuardedWrites;
  /** Guards that must succeed before the effects. */
  readonly guards?: readonly AddOnAction[];
  readonly effects: readonly AddOnAction[];
  readonly recheckAt: number | undefined;
}

export const NO_WRITES: Writes = { metadata: { guards: [], actions: [] }, effects: [], recheckAt: undefined };

/**
 * Effects come before the status, because the status describes the state after they have succeeded. If the API server rejected an effect in
 * an earlier pass, the status does not wait for the effect, because the status reports the error.
 */
export function conclude(
  state: AddOnState,
  next: ManagedClusterAddOnStatus,
  { metadata, guards = [], effects, recheckAt }: Writes,
  now: Now,
): AddOnDecision {
  const patch = metadata.actions.length > 0 ? undefined : statusPatch(state.clusterAddOn, next);
  const notBefore = patch && patchNotBefore(state.clusterAddOn, patch, now);
  const isDue = patch !== undefined && notBefore !== undefined && notBefore <= now.wall;
  const status = isDue ? [patchStatus(state, patch)] : [];
  const isRefused = effects.some(({ id }) => state.outcomes.refusal(id));
  const writes = [...metadata.actions, ...effects];
  const nextAt = earliest(recheckAt, isDue ? undefined : notBefore);
  return {
    stages: [metadata.guards.length > 0 ? metadata.guards : guards, ...(isRefused ? [[...writes, ...status]] : [writes, status])].filter(
      (stage) => stage.length > 0,
    ),
    ...(isDue ? { events: statusEvents(state, next).map((event) => ({ ...event, afterAction: STATUS_ACTION })) } : {}),
    ...(nextAt === undefined ? {} : { requeueAfterMs: Math.max(0, nextAt - now.wall) }),
  };
}
