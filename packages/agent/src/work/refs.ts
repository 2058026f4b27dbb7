import type { AppliedResource } from '@outrigger/api';
import type { Kind, KubeObject } from '@outrigger/core';
import type { ObjectRef } from '@outrigger/kube';
import type { ClusterKinds } from './kinds.js';

/**
 * Returns the owner id of a tracked object. The owner is the work while the agent applies it, and the applied work while the agent cleans
 * up.
 */
export function workOwner(work: string): string {
  return `${WORK}${work}`;
}
export function appliedWorkOwner(appliedWork: string): string {
  return `${APPLIED_WORK}${appliedWork}`;
}

const WORK = 'work/';
const APPLIED_WORK = 'applied-work/';

/** Returns the name of the work with this owner id, or undefined if the id does not belong to a work. */
export function workOf(owner: string): string | undefined {
  return owner.startsWith(WORK) ? owner.slice(WORK.length) : undefined;
}
export function appliedWorkOf(owner: string): string | undefined {
  return owner.startsWith(APPLIED_WORK) ? owner.slice(APPLIED_WORK.length) : undefined;
}

/**
 * Returns the object of a manifest. A namespaced object without a namespace is in `default`, as with kubectl; a cluster-scoped object has
 * no namespace.
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
