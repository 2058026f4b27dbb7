import { type Intern, type KubeObject, type Projected, keyOf } from '@outrigger/core';

/**
 * Returns the key, uid and resourceVersion of an object. Projections spread them last: an object literal that starts with a spread gets a
 * hidden class of its own in V8, so each of many projections would take more memory and be slower to read.
 */
export function base(object: KubeObject, intern: Intern): Projected {
  const { name, namespace } = keyOf(object);
  const key = namespace === undefined ? { name: intern(name) } : { name: intern(name), namespace: intern(namespace) };
  return { key, uid: object.metadata.uid ?? '', resourceVersion: object.metadata.resourceVersion ?? '' };
}

export function generationOf(object: KubeObject): number {
  return object.metadata.generation ?? 0;
}

export function isDeleting(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}
