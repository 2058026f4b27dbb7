import { type AddOnRollout, addOnRollouts } from '@outrigger/api';
import { ApiError } from '@outrigger/core';
import type { EffectAction, EffectHandler } from '@outrigger/kube';
import type { RolloutProjection } from '@outrigger/rules/observed';
import { HUB } from '../../resources/base.js';

export const RECORD_IS_CURRENT = 'record-is-current';

interface RecordGuardInput {
  readonly name: string;
  readonly resourceVersion: string;
}

/** The guard, as an effect of the fleet controller. */
export type RecordGuardEffects = { readonly [RECORD_IS_CURRENT]: RecordGuardInput };

/**
 * Returns the guard to execute before writes that are right only if the observed record is the current one. Another leader may have changed
 * the record, and then the add-ons.
 */
export function recordGuard({
  key,
  resourceVersion,
}: Pick<RolloutProjection, 'key' | 'resourceVersion'>): EffectAction<RecordGuardEffects> {
  return { type: 'effect', effect: RECORD_IS_CURRENT, id: RECORD_IS_CURRENT, input: { name: key.name, resourceVersion } };
}

/** Asks the API server whether the record is unchanged. Fails otherwise, so that no later stage runs. */
export const recordIsCurrent: EffectHandler<RecordGuardInput> = async (input, context) => {
  const { name } = input;
  requireCurrent(input, await context.client(HUB).get(addOnRollouts, { name }, { signal: context.signal }));
};

/** Throws unless the record has the resourceVersion for which the guard was created. */
export function requireCurrent({ name, resourceVersion }: RecordGuardInput, rollout: Pick<AddOnRollout, 'metadata'> | undefined): void {
  if (rollout?.metadata.resourceVersion === resourceVersion) return;
  throw new ApiError('Conflict', `the caches are behind: AddOnRollout ${name} has changed`);
}
