import type { AppliedResource } from '@outrigger/api';
import type { Kind, KubeObject } from '@outrigger/core';
import type { ObjectRef } from '../live/object-ref.js';
import type { ClusterKinds } from './kinds.js';

/** Ids of the owners of tracked objects: a work while it is applied, its applied work while it is cleaned up. */
export function workOwner(work: string): string {
  return `work/${work}`;
}
export function recordOwner(applied: string): string {
  return `record/${applied}`;
}
export function parseOwner(owner: string): { readonly type: 'work' | 'record'; readonly name: string } {
  const slash = owner.indexOf('/');
  return { type: owner.slice(0, slash) === 'work' ? 'work' : 'record', name: owner.slice(slash + 1) };
}

/**
 * The object of a manifest. A namespaced one without a namespace is in `default`, as with kubectl; a cluster-scoped one has no namespace.
 */
export function refOfManifest({ metadata }: KubeObject, kind: Kind): ObjectRef {
  return { kind, namespace: kind.namespaced ? metadata.namespace || 'default' : '', name: metadata.name ?? '' };
}

export function refOfResource(resource: AppliedResource, kinds: ClusterKinds): ObjectRef {
  return { kind: kinds.resource(resource), namespace: resource.namespace ?? '', name: resource.name };
}

export function resourceOf({ kind, namespace, name }: ObjectRef, uid: string): AppliedResource {
  return {
    group: kind.group,
    version: kind.version,
    resource: kind.plural,
    name,
    ...(namespace === '' ? {} : { namespace }),
    ...(uid === '' ? {} : { uid }),
  };
}
