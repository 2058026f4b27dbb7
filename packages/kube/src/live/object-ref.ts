import { type Kind, type ObjectKey, keyString } from '@outrigger/core';

/** A reference to an object whose kind is known only at run time. */
export interface ObjectRef {
  readonly kind: Kind;
  /** The namespace of the object; empty for a cluster-scoped kind. */
  readonly namespace: string;
  readonly name: string;
}

export function keyOfRef({ namespace, name }: ObjectRef): ObjectKey {
  return namespace === '' ? { name } : { name, namespace };
}

/** Identifies the object, independent of the version in which it is read. */
export function objectId({ kind, namespace, name }: ObjectRef): string {
  return `${kind.plural}.${kind.group} ${keyString(namespace === '' ? { name } : { name, namespace })}`;
}

/**
 * Identifies the object in one version. Two manifests may name the object in different versions, and each is compared in its own version.
 */
export function versionedId(ref: ObjectRef): string {
  return `${ref.kind.version} ${objectId(ref)}`;
}
