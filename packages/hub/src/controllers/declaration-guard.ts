import { type ClusterManagementAddOn, clusterManagementAddOns } from '@outrigger/api';
import { ApiError } from '@outrigger/core';
import type { EffectAction, EffectHandler } from '@outrigger/kube';
import { HUB } from '../resources/base.js';
import type { DeclarationProjection } from '@outrigger/rules/observed';

export const DECLARATION_EXISTS = 'declaration-stands';

export interface GuardInput {
  readonly name: string;
  readonly uid: string;
}

/** The guard, as an effect for the controllers that use it. */
export type GuardEffects = { readonly [DECLARATION_EXISTS]: GuardInput };

/**
 * Returns the guard to execute in the stage before an existing object gets an owner reference to its declaration. A deletion that orphans
 * its dependents removes the references one by one. A lagging cache may show a removal before it shows that the declaration is being
 * deleted; without the guard, the manager would then add the reference again.
 */
export function declarationGuard({ key, uid }: Pick<DeclarationProjection, 'key' | 'uid'>): EffectAction<GuardEffects> {
  return { type: 'effect', effect: DECLARATION_EXISTS, id: DECLARATION_EXISTS, input: { name: key.name, uid } };
}

/** Asks the API server whether the declaration exists and is not being deleted. Fails otherwise, so that no later stage runs. */
export const declarationExists: EffectHandler<GuardInput> = async (input, context) => {
  const { name } = input;
  requireExisting(input, await context.client(HUB).get(clusterManagementAddOns, { name }, { signal: context.signal }));
};

/** Throws unless the declaration has the uid for which the guard was created and is not being deleted. */
export function requireExisting({ name, uid }: GuardInput, managementAddOn: Pick<ClusterManagementAddOn, 'metadata'> | undefined): void {
  if (managementAddOn?.metadata.uid === uid && managementAddOn.metadata.deletionTimestamp === undefined) return;
  throw new ApiError('Conflict', `the caches are behind: ClusterManagementAddOn ${name} is being deleted, or is another one by now`);
}
