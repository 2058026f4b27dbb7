import { ADDON_EVENT_MESSAGES } from '@outrigger/api';
import { type Now, type SeenTime, ageOf, seeTime } from '@outrigger/kube';
import { type AddOnDecision, createWork, workActions } from './actions.js';
import { NO_WRITES, conclude } from './conclude.js';
import { intent } from './events.js';
import { examine, type TemplateCompiler } from '@outrigger/rules/plan';
import type { AddOnState } from './state.js';
import { isHeldByHook, planHooks } from './steps/hooks.js';
import { planMetadata } from './steps/metadata.js';
import { applyConditions } from './steps/status.js';

/**
 * Handles an add-on that is being deleted. The garbage collector deletes its works and bindings by their owner references. Pre-delete hooks
 * delay the deletion until they have run or their deadline has passed. Until then the works are maintained as usual, because a hook may
 * need their objects.
 */
export function decideDeletion(state: AddOnState, now: Now, compile: TemplateCompiler): AddOnDecision {
  if (!isHeldByHook(state)) return { stages: [planMetadata(state, false).actions].filter((stage) => stage.length > 0) };
  const deleted = deletionSeen(state, now);
  const decision = decideHooks(state, deleted === undefined ? 0 : ageOf(deleted, now), now, compile);
  return deleted === undefined ? decision : { ...decision, remember: { deleted } };
}

/**
 * Returns the time at which the deletion began. If an earlier pass of this process observed the add-on before its deletion, that time is
 * the time of this pass, so a difference between the clocks of this process and the API server has no effect.
 */
function deletionSeen({ clusterAddOn: { uid, deletedAt }, remembered, rememberedDeletion }: AddOnState, now: Now): SeenTime | undefined {
  if (remembered && deletedAt !== undefined) return { uid, time: deletedAt, ageMs: 0, seenAt: now.monotonic };
  return seeTime(rememberedDeletion, uid, deletedAt, now);
}

/** Decides the next step of a deletion that has waited for its hooks for `waitedMs`. */
function decideHooks(state: AddOnState, waitedMs: number, now: Now, compile: TemplateCompiler): AddOnDecision {
  const found = examine(state, compile);
  const hooks = planHooks(state, found, waitedMs);
  if (hooks.type === 'release') {
    const events =
      hooks.reason === undefined
        ? []
        : [intent(state.clusterAddOn, 'Warning', 'Failed', ADDON_EVENT_MESSAGES.removedAllTheSame(hooks.reason))];
    return { stages: [planMetadata(state, false).actions], events };
  }
  const next = { ...state.clusterAddOn.status, conditions: applyConditions(state.clusterAddOn, [hooks.condition], now) };
  if (hooks.type === 'completed') return conclude(state, next, NO_WRITES, now);
  const effects = [...workActions(state, found.plan), ...(hooks.work ? [createWork(hooks.work)] : [])];
  return conclude(state, next, { ...NO_WRITES, effects, recheckAt: now.wall + hooks.leftMs }, now);
}
