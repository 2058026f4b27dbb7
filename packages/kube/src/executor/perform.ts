import { ApiError, type ApiStatus, assertNever, isApiError, type JsonObject, type KubeObject, keyOf } from '@outrigger/core';
import type { AwaitedWrite } from '../cache/write-waiters.js';
import type { Client } from '../client/types.js';
import type { Kind, ObjectKey } from '@outrigger/core';
import type { ApiAction, Precondition } from '../decision.js';
import type { ApiName } from '../resource.js';
import { adoptionPatch } from './adoption.js';

/** A write that the server accepted, and the state that a cache must reach to contain it. */
export interface AcceptedWrite extends AwaitedWrite {
  readonly api: ApiName;
  readonly kind: Kind;
  /** The object in the server's response; absent if it no longer exists. */
  readonly object?: KubeObject;
}

/**
 * Sends one action. Resolves with the written object, or with undefined if the API server returned an error that counts as success for this
 * action.
 */
export async function perform(
  action: ApiAction,
  client: Client,
  options: { readonly signal: AbortSignal; readonly timeoutMs?: number },
): Promise<AcceptedWrite | undefined> {
  try {
    return await send(action, client, options);
  } catch (error) {
    if (isApiError(error) && action.accept?.includes(error.reason)) return undefined;
    throw isUidRefusal(error) ? conflictOf(error) : error;
  }
}

async function send(
  action: ApiAction,
  client: Client,
  options: { readonly signal: AbortSignal; readonly timeoutMs?: number },
): Promise<AcceptedWrite> {
  const { kind } = action;
  switch (action.type) {
    case 'create':
      return written(action, await createOrAdopt(action, client, options));
    case 'apply': {
      const { fieldManager, force = false } = action;
      return written(action, await client.apply(kind, action.object, { ...options, ...subresource(action), fieldManager, force }));
    }
    case 'replace':
      return written(action, await client.replace(kind, action.object, { ...options, ...subresource(action) }));
    case 'patch': {
      const patch = withPrecondition(action.patch, action.precondition);
      const how = { ...options, ...subresource(action), ...manager(action) };
      return written(action, await client.patch(kind, action.key, { type: 'merge', patch }, how));
    }
    case 'delete': {
      const { precondition, propagation } = action;
      const answer = await client.delete(kind, action.key, { ...options, precondition, ...(propagation ? { propagation } : {}) });
      return deleted(action, answer);
    }
    default:
      return assertNever(action);
  }
}

async function createOrAdopt(
  action: Extract<ApiAction, { readonly type: 'create' }>,
  client: Client,
  options: { readonly signal: AbortSignal; readonly timeoutMs?: number },
): Promise<KubeObject> {
  const { kind, object } = action;
  const how = { ...options, ...manager(action) };
  try {
    return await client.create(kind, object, how);
  } catch (error) {
    if (!action.adopt || !isApiError(error, 'AlreadyExists')) throw error;
    const key = keyOf(object);
    const patch = adoptionPatch(kind, await existing(kind, key, client, options), object, action.adopt);
    return client.patch(kind, key, { type: 'merge', patch }, how);
  }
}

/** Reads the object that made the create fail. Throws a Conflict if the object no longer exists, because the caches are then stale. */
async function existing(kind: Kind, key: ObjectKey, client: Client, options: { readonly signal: AbortSignal }): Promise<KubeObject> {
  try {
    return await client.get(kind, key, options);
  } catch (error) {
    throw isApiError(error, 'NotFound') ? conflictOf(error) : error;
  }
}

function subresource(action: { readonly subresource?: string }): { readonly subresource?: string } {
  return action.subresource === undefined ? {} : { subresource: action.subresource };
}

/** Returns the field manager that the action names, if any. By default the client uses its own. */
function manager(action: { readonly fieldManager?: string }): { readonly fieldManager?: string } {
  return action.fieldManager === undefined ? {} : { fieldManager: action.fieldManager };
}

/** Adds the precondition to a merge patch. The server compares uid and resourceVersion with the stored object instead of setting them. */
function withPrecondition(patch: JsonObject, { uid, resourceVersion }: Precondition): JsonObject {
  const metadata = (patch['metadata'] ?? {}) as JsonObject;
  return { ...patch, metadata: { ...metadata, uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) } };
}

function written({ api, kind }: ApiAction, object: KubeObject): AcceptedWrite {
  const { resourceVersion } = object.metadata;
  return { api, kind, key: keyOf(object), object, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
}

/**
 * Returns the write of a delete. If the object still exists because of finalizers, a cache contains this write when it has the object's new
 * resourceVersion. Otherwise, a cache contains this write when it no longer has the object.
 */
function deleted(action: Extract<ApiAction, { readonly type: 'delete' }>, answer: KubeObject | ApiStatus): AcceptedWrite {
  const { api, kind, key, precondition } = action;
  const gone = { api, kind, key, goneUid: precondition.uid };
  const object = answer;
  if (answer.kind === 'Status' || object.metadata.deletionTimestamp === undefined) return gone;
  return { ...gone, ...written(action, object) };
}

/**
 * Whether the server rejected the uid in a patch. If the object was deleted and created again, it has another uid, and the server responds
 * with Invalid ("field is immutable").
 */
function isUidRefusal(error: unknown): error is ApiError {
  return isApiError(error, 'Invalid') && (error.details?.causes ?? []).some(({ field }) => field === 'metadata.uid');
}

function conflictOf(error: ApiError): ApiError {
  return new ApiError('Conflict', error.message, { cause: error });
}
