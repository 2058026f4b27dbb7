import { type Kind, type ObjectKey, keyString } from '@outrigger/core';

/** An object of a kind that only data names. */
export interface ObjectRef {
  readonly kind: Kind;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

export function keyOfRef({ namespace, name }: ObjectRef): ObjectKey {
  return namespace === '' ? { name } : { name, namespace };
}

/** Id of the object, independent of the version in which it is read. */
export function objectId({ kind, namespace, name }: ObjectRef): string {
  return `${kind.plural}.${kind.group} ${keyString(namespace === '' ? { name } : { name, namespace })}`;
}

/** Id of the object in one version: two manifests may name it in different versions, and each is compared in its own. */
export function versionedId(ref: ObjectRef): string {
  return `${ref.kind.version} ${objectId(ref)}`;
}
