import { clusterManagementAddOns } from '@outrigger/api';
import { type OwnerReference, apiVersionOf } from '@outrigger/core';
import type { DeclarationProjection } from '@outrigger/rules/observed';

/**
 * Returns an owner reference to the declaration, so that the owned object is deleted with the declaration. Stored content has several
 * owners, so none of them is its controller.
 */
export function declarationOwner(
  { key, uid }: DeclarationProjection,
  { isController }: { readonly isController: boolean },
): OwnerReference {
  const base = { apiVersion: apiVersionOf(clusterManagementAddOns), kind: clusterManagementAddOns.kind, name: key.name, uid };
  return isController ? { ...base, controller: true, blockOwnerDeletion: true } : base;
}

/**
 * Returns the owner references with this declaration added. Replaces a reference with the same name, because its uid is stale after the
 * declaration was recreated or restored from a backup.
 */
export function withOwner(owners: readonly OwnerReference[], owner: OwnerReference): readonly OwnerReference[] {
  return [...owners.filter(({ kind, name }) => kind !== owner.kind || name !== owner.name), owner];
}
