import type { JsonObject, Kind, Projected } from '@outrigger/core';
import type { ApiAction } from '@outrigger/kube';
import { HUB } from '../resources/base.js';

type PatchAction = Extract<ApiAction, { readonly type: 'patch' }>;
type DeleteAction = Extract<ApiAction, { readonly type: 'delete' }>;

/** Returns a merge patch of an observed object. The API server rejects the patch if the object has changed since it was observed. */
export function patchObserved({ key, uid, resourceVersion }: Projected, kind: Kind, id: string, patch: object): PatchAction {
  return { type: 'patch', id, api: HUB, kind, key, patch: patch as JsonObject, precondition: { uid, resourceVersion } };
}

/** Like `patchObserved`, for the status of the object. */
export function patchObservedStatus(record: Projected, kind: Kind, id: string, status: object): PatchAction {
  return { ...patchObserved(record, kind, id, { status }), subresource: 'status' };
}

/** Deletes an observed object, even if it has changed. The API server rejects the request if another object now has the name. */
export function deleteObserved({ key, uid }: Pick<Projected, 'key' | 'uid'>, kind: Kind, id: string): DeleteAction {
  return { type: 'delete', id, api: HUB, kind, key, precondition: { uid }, accept: ['NotFound'] };
}
