import { type Kind, type KubeObject, type ObjectKey, ifFound, isApiError, collect } from '@outrigger/core';
import type { Client } from '@outrigger/kube';

/** Creates the object if it does not exist. */
export async function ensure<T extends KubeObject>(client: Client, kind: Kind<T>, object: T): Promise<void> {
  try {
    await client.create(kind, object);
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
}

/** Returns the object, or undefined if it does not exist. */
export function find<T extends KubeObject>(client: Client, kind: Kind<T>, key: ObjectKey): Promise<T | undefined> {
  return ifFound(client.get(kind, key));
}

export function listOf<T extends KubeObject>(client: Client, kind: Kind<T>, namespace?: string): Promise<T[]> {
  return collect(client.listAll(kind, namespace === undefined ? {} : { namespace }));
}
