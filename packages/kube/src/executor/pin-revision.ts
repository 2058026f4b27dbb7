import type { Kind, ObjectKey, Projected } from '@outrigger/core';
import type { Cache } from '../cache/cache.js';
import type { ApiName } from '../resource.js';
import type { ApiAction } from '../decision.js';

/**
 * Adds the cached resourceVersion to patches and deletes that name only a uid. The server then accepts the write only if the object has not
 * changed since this process observed it. As a result, the server rejects late writes of an earlier leader (leader/README.md).
 */
export function pinRevision(cache: Cache): (action: ApiAction) => ApiAction {
  return (action) => {
    if ((action.type !== 'patch' && action.type !== 'delete') || action.precondition.resourceVersion !== undefined) return action;
    const projection = projectionOf(cache, action.api, action.kind, action.key);
    if (projection?.uid !== action.precondition.uid) return action;
    return { ...action, precondition: { ...action.precondition, resourceVersion: projection.resourceVersion } };
  };
}

function projectionOf(cache: Cache, api: ApiName, kind: Kind, key: ObjectKey): Projected | undefined {
  for (const store of cache.stores()) {
    const { resource } = store;
    if (resource.api !== api || resource.kind.group !== kind.group || resource.kind.plural !== kind.plural) continue;
    const projection = store.get(key);
    if (projection) return projection;
  }
  return undefined;
}
