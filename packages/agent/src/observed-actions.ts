import type { JsonObject, Kind, Projected } from '@outrigger/core';
import type { ApiAction } from '@outrigger/kube';

type PatchAction = Extract<ApiAction, { readonly type: 'patch' }>;

/** Returns a merge patch of an observed object. The API server rejects it if the object has changed since it was observed. */
export function patchObserved({ key, uid, resourceVersion }: Projected, api: string, kind: Kind, id: string, patch: object): PatchAction {
  return { type: 'patch', id, api, kind, key, patch: patch as JsonObject, precondition: { uid, resourceVersion } };
}

/** Like `patchObserved`, for the status of the object. */
export function patchObservedStatus(projection: Projected, api: string, kind: Kind, id: string, status: object): PatchAction {
  return { ...patchObserved(projection, api, kind, id, { status }), subresource: 'status' };
}
