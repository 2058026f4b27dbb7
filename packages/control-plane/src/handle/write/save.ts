import { deepFreeze, type KubeObject } from '@outrigger/core';
import { asObject, type Draft } from '../../registry/draft.js';
import type { Resource } from '../../registry/resource.js';
import { RevisionMismatch, type Change } from '../../store/contract.js';
import { storageKey } from '../../store/key.js';
import type { RequestContext } from '../context.js';

/** The key of the object a request names. */
export function keyFor({ resource, path }: RequestContext, name: string = path.name): string {
  return storageKey({ ...resource.storage, namespace: path.namespace, name });
}

/** The object as the store keeps it at a revision: in the storage version, frozen. */
function stored(resource: Resource, draft: Draft, revision: number): KubeObject {
  const object = resource.toStorage(asObject(draft));
  return deepFreeze({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } });
}

/** Undefined when somebody else's write came first. */
export async function save(context: RequestContext, draft: Draft, expectedRevision: number): Promise<KubeObject | undefined> {
  const { store } = context.server;
  const key = keyFor(context, draft.metadata.name);
  return settled(
    context,
    store.put(key, expectedRevision, (revision) => stored(context.resource, draft, revision)),
  );
}

/** Removes the object; watchers get to see `draft` as its last state. */
export async function remove(context: RequestContext, draft: Draft, expectedRevision: number): Promise<KubeObject | undefined> {
  const { store } = context.server;
  const key = keyFor(context, draft.metadata.name);
  return settled(
    context,
    store.delete(key, expectedRevision, (revision) => stored(context.resource, draft, revision)),
  );
}

async function settled({ resource }: RequestContext, write: Promise<Change>): Promise<KubeObject | undefined> {
  try {
    const change = await write;
    return resource.fromStorage(change.object);
  } catch (error) {
    if (error instanceof RevisionMismatch) return undefined;
    throw error;
  }
}
