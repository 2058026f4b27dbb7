import { DEPRECATED_ADDON_FINALIZERS, PRE_DELETE_FINALIZER, managedClusterAddOns } from '@outrigger/api';
import type { JsonObject, OwnerReference } from '@outrigger/core';
import type { ApiAction } from '@outrigger/kube';
import type { AddOnProjection, DeclarationProjection } from '@outrigger/rules/observed';
import { patchObserved } from '../../observed-actions.js';
import { declarationGuard } from '../../declaration-guard.js';
import { declarationOwner } from '../../fleet/owner.js';
import type { AddOnAction } from '../actions.js';
import type { AddOnState } from '../state.js';

/** Writes, and the guards that must succeed before any of them is sent. */
export interface GuardedWrites {
  readonly guards: readonly AddOnAction[];
  readonly actions: readonly ApiAction[];
}

/**
 * Plans owner references, finalizers and changed annotations of the add-on in one patch. `hasHooks` is undefined while it is not known
 * whether the add-on has pre-delete hooks; the finalizer then stays unchanged.
 */
export function planMetadata(
  { clusterAddOn, managementAddOn }: AddOnState,
  hasHooks: boolean | undefined,
  annotations: JsonObject = NO_ANNOTATIONS,
): GuardedWrites {
  const owners = managementAddOn && adoptedBy(clusterAddOn, managementAddOn);
  const finalizers = wantedFinalizers(clusterAddOn, hasHooks);
  if (!owners && !finalizers && Object.keys(annotations).length === 0) return { guards: [], actions: [] };
  return {
    guards: managementAddOn && owners ? [declarationGuard(managementAddOn)] : [],
    actions: [metadataPatch(clusterAddOn, owners, finalizers, annotations)],
  };
}

const NO_ANNOTATIONS: JsonObject = {};

function metadataPatch(
  clusterAddOn: AddOnProjection,
  owners: readonly OwnerReference[] | undefined,
  finalizers: readonly string[] | undefined,
  annotations: JsonObject,
): ApiAction {
  const metadata = {
    ...(owners ? { ownerReferences: owners } : {}),
    ...(finalizers ? { finalizers } : {}),
    ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
  };
  return patchObserved(clusterAddOn, managedClusterAddOns, 'metadata', { metadata });
}

/**
 * Returns owner references that include the declaration, so that the add-on is deleted with the declaration, whether the installer or a
 * user created the add-on. Returns undefined if the declaration already owns the add-on, or if the declaration or the add-on is being
 * deleted; the deletion of a declaration determines whether its add-ons are deleted or orphaned.
 */
function adoptedBy(clusterAddOn: AddOnProjection, managementAddOn: DeclarationProjection): OwnerReference[] | undefined {
  if (clusterAddOn.isDeleting || managementAddOn.isDeleting) return undefined;
  if (clusterAddOn.ownerReferences.some(({ uid, controller }) => uid === managementAddOn.uid && controller)) return undefined;
  const owner = declarationOwner(managementAddOn, { isController: true });
  // Replace a reference to an older declaration of the same name; keep references to other controllers.
  const others = clusterAddOn.ownerReferences.filter(({ kind, name }) => kind !== owner.kind || name !== owner.name);
  return others.some(({ controller }) => controller) ? undefined : [...others, owner];
}

/**
 * Returns the finalizers to write, or undefined if they are already correct. Always removes deprecated finalizers, because no other
 * controller removes them.
 */
function wantedFinalizers({ finalizers, isDeleting }: AddOnProjection, hasHooks: boolean | undefined): readonly string[] | undefined {
  const kept = finalizers.filter((finalizer) => !DEPRECATED_ADDON_FINALIZERS.includes(finalizer));
  const others = kept.filter((finalizer) => finalizer !== PRE_DELETE_FINALIZER);
  const isHeld = kept.length > others.length;
  // The API server accepts no new finalizer on an object that is being deleted.
  const isWanted = hasHooks === undefined ? isHeld : hasHooks && (isHeld || !isDeleting);
  const wanted = isWanted ? (isHeld ? kept : [...kept, PRE_DELETE_FINALIZER]) : others;
  return wanted.length === finalizers.length && wanted.every((finalizer, at) => finalizer === finalizers[at]) ? undefined : wanted;
}
