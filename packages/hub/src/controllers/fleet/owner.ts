import { clusterManagementAddOns } from '@outrigger/api';
import { type OwnerReference, apiVersionOf } from '@outrigger/core';
import type { DeclarationRecord } from '../../resources/declarations.js';

/** The reference by which something goes when its declaration does; kept content has several of them, and none is its controller. */
export function declarationOwner({ key, uid }: DeclarationRecord, { isController }: { readonly isController: boolean }): OwnerReference {
  const base = { apiVersion: apiVersionOf(clusterManagementAddOns), kind: clusterManagementAddOns.kind, name: key.name, uid };
  return isController ? { ...base, controller: true, blockOwnerDeletion: true } : base;
}

/** The same owners with this declaration among them; one of the same name but another uid is a predecessor, or from before a restore. */
export function withOwner(owners: readonly OwnerReference[], owner: OwnerReference): readonly OwnerReference[] {
  return [...owners.filter(({ kind, name }) => kind !== owner.kind || name !== owner.name), owner];
}
