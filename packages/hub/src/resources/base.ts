import { type KubeObject, keyOf } from '@outrigger/core';
import type { Intern, Projected } from '@outrigger/kube';

/** The one API server that the hub manager uses. */
export const HUB = 'hub';

/** The fields that every record of the hub has. */
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
