import { isApiError, keyOf } from '@outrigger/core';
import type { ApiAction } from '@outrigger/kube';
import { adoptionPatch } from '@outrigger/kube/engine';
import type { Actor } from './api-event.js';
import type { MemoryApi } from './memory-api.js';

/** Executes one write of a decision by the rules of the manager's executor. */
export function perform(api: MemoryApi, actor: Actor, action: ApiAction): void {
  try {
    send(api, actor, action);
  } catch (error) {
    if (!isApiError(error) || !action.accept?.includes(error.reason)) throw error;
  }
}

function send(api: MemoryApi, actor: Actor, action: ApiAction): void {
  switch (action.type) {
    case 'create':
      createOrAdopt(api, actor, action);
      return;
    case 'apply':
      api.apply(actor, action.kind, action.object, action.fieldManager, action.force === true);
      return;
    case 'patch': {
      const { precondition, subresource, fieldManager } = action;
      api.patch(actor, action.kind, action.key, action.patch, { precondition, subresource, manager: fieldManager });
      return;
    }
    case 'replace':
      api.replace(actor, action.kind, action.object, action.subresource);
      return;
    case 'delete':
      api.remove(actor, action.kind, action.key, action.precondition);
  }
}

function createOrAdopt(api: MemoryApi, actor: Actor, action: Extract<ApiAction, { readonly type: 'create' }>): void {
  const { kind, object, fieldManager } = action;
  try {
    api.create(actor, kind, object, fieldManager);
  } catch (error) {
    if (!action.adopt || !isApiError(error, 'AlreadyExists')) throw error;
    const key = keyOf(object);
    const standing = api.get(kind, key);
    const { uid, resourceVersion } = standing.metadata;
    api.patch(actor, kind, key, adoptionPatch(kind, standing, object), { precondition: { uid, resourceVersion } });
  }
}
