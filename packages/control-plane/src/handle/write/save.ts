import { ApiError, deepFreeze, jsonSize, type KubeObject } from '@outrigger/core';
import { asObject, type Draft } from '../../registry/draft.js';
import type { Resource } from '../../registry/resource.js';
import { RevisionMismatch, type Change, type Entry } from '../../store/contract.js';
import { storageKey } from '../../store/key.js';
import type { RequestContext } from '../context.js';

/** Returns the storage key of the object that a request names. */
export function keyFor({ resource, path }: RequestContext, name: string = path.name): string {
  return storageKey({ ...resource.storage, namespace: path.namespace, name });
}

/** The sizes above which the storage of a real server rejects a write: etcd's limit for a request, and its client's limit for a message. */
const MAX_STORED_BYTES = 1.5 * 1024 * 1024;
const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;

/**
 * Rejects an object that the storage of a real server would reject, with the same message. The check runs before admission, the recording
 * of field owners and validation, because these steps cost more than the check, and again before the object is encoded.
 */
export function assertStorable(draft: Draft): void {
  const size = jsonSize(draft, MAX_MESSAGE_BYTES);
  if (size <= MAX_STORED_BYTES) return;
  const message =
    size <= MAX_MESSAGE_BYTES
      ? 'etcdserver: request is too large'
      : `rpc error: code = ResourceExhausted desc = trying to send message larger than max (${size} vs. ${MAX_MESSAGE_BYTES})`;
  throw new ApiError('Unknown', message, { code: 500 });
}

/** Stores the object. Resolves with undefined if another write has changed the stored object since `expectedRevision`. */
export async function save(context: RequestContext, draft: Draft, expectedRevision: number): Promise<KubeObject | undefined> {
  const { resource, server } = context;
  const key = keyFor(context, draft.metadata.name);
  assertStorable(draft);
  if (resource.remote) await resource.remote.fetchStored(asObject(draft));
  const change = await unlessLost(server.store.put(key, expectedRevision, (revision) => stored(resource, draft, revision)));
  if (!change) return undefined;
  const object = await shown(resource, change.object);
  if (object === change.object) resource.shownAsStored.add(change.revision);
  return object;
}

/** Returns the object that a dry run responds with: the object as it would be returned after storing it, without a new resourceVersion. */
export async function rehearse({ resource }: RequestContext, draft: Draft): Promise<KubeObject> {
  const object = asObject(draft);
  if (resource.remote) await resource.remote.fetchStored(object);
  return shown(resource, deepFreeze(resource.toStorage(object)));
}

/** Returns a stored object in the version of the request. */
export function shown(resource: Resource, object: KubeObject): KubeObject | Promise<KubeObject> {
  const { remote } = resource;
  return remote ? remote.fetchShown([object]).then(() => resource.fromStorage(object)) : resource.fromStorage(object);
}

/**
 * Deletes the stored object; watchers receive its last state. Resolves with undefined if another write has changed the object since the
 * entry was read.
 */
export async function remove({ server }: RequestContext, { key, revision, object }: Entry): Promise<Change | undefined> {
  return unlessLost(server.store.delete(key, revision, (deletion) => atRevision(object, deletion)));
}

/** Returns the object as it is stored at a revision: in the storage version, and frozen. */
function stored(resource: Resource, draft: Draft, revision: number): KubeObject {
  return atRevision(resource.toStorage(asObject(draft)), revision);
}

function atRevision({ kind, apiVersion, metadata, ...rest }: KubeObject, revision: number): KubeObject {
  return deepFreeze({ kind, apiVersion, metadata: { ...metadata, resourceVersion: String(revision) }, ...rest });
}

async function unlessLost(write: Promise<Change>): Promise<Change | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof RevisionMismatch) return undefined;
    throw error;
  }
}
