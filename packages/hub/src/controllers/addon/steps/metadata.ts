import { DEPRECATED_ADDON_FINALIZERS, PRE_DELETE_FINALIZER, managedClusterAddOns } from '@outrigger/api';
import type { JsonObject, OwnerReference } from '@outrigger/core';
import type { Action } from '@outrigger/kube';
import type { AddOnRecord } from '../../../resources/add-ons.js';
import { HUB } from '../../../resources/base.js';
import type { DeclarationRecord } from '../../../resources/declarations.js';
import { declarationOwner } from '../../fleet/owner.js';
import type { AddOnState } from '../state.js';

/**
 * Ownership and finalizers of the add-on itself, in one patch. `hasHooks` is undefined while it is not known whether something must run
 * before the add-on is removed: then the finalizer stays as it is.
 */
export function metadataActions({ addOn, declaration }: AddOnState, hasHooks: boolean | undefined): readonly Action[] {
  const owners = declaration && adoptedBy(addOn, declaration);
  const finalizers = wantedFinalizers(addOn, hasHooks);
  if (!owners && !finalizers) return [];
  return [
    {
      type: 'patch',
      id: 'metadata',
      api: HUB,
      kind: managedClusterAddOns,
      key: addOn.key,
      patch: {
        metadata: {
          ...(owners ? { ownerReferences: owners as unknown as JsonObject[] } : {}),
          ...(finalizers ? { finalizers } : {}),
        },
      },
      precondition: { uid: addOn.uid, resourceVersion: addOn.resourceVersion },
    },
  ];
}

/** Every add-on, made by whom ever, belongs to its declaration, so that it goes when the declaration does. Undefined if it does already. */
function adoptedBy(addOn: AddOnRecord, declaration: DeclarationRecord): OwnerReference[] | undefined {
  if (addOn.isDeleting || addOn.ownerReferences.some(({ uid, controller }) => uid === declaration.uid && controller)) return undefined;
  const owner = declarationOwner(declaration, { isController: true });
  // An older declaration of the same name is no owner any more; somebody else's controller reference is left alone.
  const others = addOn.ownerReferences.filter(({ kind, name }) => kind !== owner.kind || name !== owner.name);
  return others.some(({ controller }) => controller) ? undefined : [...others, owner];
}

/** Undefined where they are right. Deprecated ones go wherever they are found: nobody would ever take them away. */
function wantedFinalizers({ finalizers, isDeleting }: AddOnRecord, hasHooks: boolean | undefined): readonly string[] | undefined {
  const kept = finalizers.filter((finalizer) => !DEPRECATED_ADDON_FINALIZERS.includes(finalizer));
  const others = kept.filter((finalizer) => finalizer !== PRE_DELETE_FINALIZER);
  const isHeld = kept.length > others.length;
  // Nothing can be added to what is being deleted.
  const isWanted = hasHooks === undefined ? isHeld : hasHooks && (isHeld || !isDeleting);
  const wanted = isWanted ? (isHeld ? kept : [...kept, PRE_DELETE_FINALIZER]) : others;
  return wanted.length === finalizers.length && wanted.every((finalizer, at) => finalizer === finalizers[at]) ? undefined : wanted;
}
