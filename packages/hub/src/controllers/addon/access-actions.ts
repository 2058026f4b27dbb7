import { type RoleBinding, roleBindings } from '@outrigger/api';
import { type JsonObject, type Kind, type ObjectKey, keyOf, keyString } from '@outrigger/core';
import type { ApiAction } from '@outrigger/kube';
import type { WantedTokenObject } from '../../registration/token-infrastructure.js';
import { HUB } from '../../resources/base.js';
import type { BindingRecord } from '../../resources/bindings.js';
import type { TokenObjectRecord } from '../../resources/token-objects.js';

/** Actions that grant an add-on's agent its permissions on the hub or withdraw them. */

export function bindingActionId(key: ObjectKey): string {
  return `binding/${keyString(key)}`;
}

export function createBinding(object: RoleBinding): ApiAction {
  return { type: 'create', id: bindingActionId(keyOf(object)), api: HUB, kind: roleBindings, object, adopt: true };
}

export function patchBinding({ key, uid, resourceVersion }: BindingRecord, wanted: RoleBinding): ApiAction {
  const { labels, ownerReferences } = wanted.metadata;
  const patch = { metadata: { labels, ...(ownerReferences ? { ownerReferences } : {}) }, subjects: wanted.subjects };
  return {
    type: 'patch',
    id: bindingActionId(key),
    api: HUB,
    kind: roleBindings,
    key,
    patch: patch as unknown as JsonObject,
    precondition: { uid, resourceVersion },
  };
}

export function deleteBinding({ key, uid }: BindingRecord): ApiAction {
  return {
    type: 'delete',
    id: bindingActionId(key),
    api: HUB,
    kind: roleBindings,
    key,
    precondition: { uid },
    accept: ['NotFound'],
  };
}

export function tokenActionId(kind: Kind, key: ObjectKey): string {
  return `token/${kind.plural}/${key.name}`;
}

export function createTokenObject({ kind, object }: WantedTokenObject): ApiAction {
  return { type: 'create', id: tokenActionId(kind, keyOf(object)), api: HUB, kind, object, adopt: true };
}

export function patchTokenObject({ key, uid, resourceVersion }: TokenObjectRecord, { kind, object }: WantedTokenObject): ApiAction {
  const { rules, subjects } = object as Partial<RoleBinding> & { rules?: unknown };
  const { ownerReferences } = object.metadata;
  return {
    type: 'patch',
    id: tokenActionId(kind, key),
    api: HUB,
    kind,
    key,
    patch: { metadata: { ownerReferences }, ...(rules ? { rules } : {}), ...(subjects ? { subjects } : {}) } as unknown as JsonObject,
    precondition: { uid, resourceVersion },
  };
}

export function deleteTokenObject({ kind, key, uid }: TokenObjectRecord): ApiAction {
  return { type: 'delete', id: tokenActionId(kind, key), api: HUB, kind, key, precondition: { uid }, accept: ['NotFound'] };
}
