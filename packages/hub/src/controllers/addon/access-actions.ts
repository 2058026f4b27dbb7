import { type RoleBinding, roleBindings } from '@outrigger/api';
import { type Kind, type ObjectKey, keyOf, keyString } from '@outrigger/core';
import type { ApiAction } from '@outrigger/kube';
import { deleteObserved, patchObserved } from '../observed-actions.js';
import type { WantedTokenObject } from '../../registration/token-infrastructure.js';
import { HUB } from '../../resources/base.js';
import type { BindingProjection } from '../../resources/bindings.js';
import type { TokenObjectProjection } from '../../resources/token-objects.js';

/** Actions that grant an add-on's agent its permissions on the hub or withdraw them. */

export function bindingActionId(key: ObjectKey): string {
  return `binding/${keyString(key)}`;
}

export function createBinding(object: RoleBinding): ApiAction {
  return { type: 'create', id: bindingActionId(keyOf(object)), api: HUB, kind: roleBindings, object, adopt: true };
}

export function patchBinding(existing: BindingProjection, wanted: RoleBinding): ApiAction {
  const { labels, ownerReferences } = wanted.metadata;
  const patch = { metadata: { labels, ...(ownerReferences ? { ownerReferences } : {}) }, subjects: wanted.subjects };
  return patchObserved(existing, roleBindings, bindingActionId(existing.key), patch);
}

export function deleteBinding(binding: BindingProjection): ApiAction {
  return deleteObserved(binding, roleBindings, bindingActionId(binding.key));
}

function tokenActionId(kind: Kind, key: ObjectKey): string {
  return `token/${kind.plural}/${key.name}`;
}

/**
 * Adopts an existing object only if it was created for the same add-on. Otherwise a cluster's agent could get tokens of a ServiceAccount
 * that was created for another purpose.
 */
export function createTokenObject({ kind, object }: WantedTokenObject): ApiAction {
  return { type: 'create', id: tokenActionId(kind, keyOf(object)), api: HUB, kind, object, adopt: 'owned' };
}

export function patchTokenObject(existing: TokenObjectProjection, { kind, object }: WantedTokenObject): ApiAction {
  const { rules, subjects } = object as Partial<RoleBinding> & { rules?: unknown };
  const { ownerReferences } = object.metadata;
  const patch = { metadata: { ownerReferences }, ...(rules ? { rules } : {}), ...(subjects ? { subjects } : {}) };
  return patchObserved(existing, kind, tokenActionId(kind, existing.key), patch);
}

export function deleteTokenObject(existing: TokenObjectProjection): ApiAction {
  return deleteObserved(existing, existing.kind, tokenActionId(existing.kind, existing.key));
}
