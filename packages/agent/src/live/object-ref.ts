import { type Kind, type ObjectKey, keyString } from '@outrigger/core';

/** An object on the managed cluster that some work cares about. */
export interface ObjectRef {
  readonly kind: Kind;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

export function keyOfRef({ namespace, name }: ObjectRef): ObjectKey {
  return namespace === '' ? { name } : { name, namespace };
}

/** The object, whatever version of its kind it is read in. */
export function objectId({ kind, namespace, name }: ObjectRef): string {
  return `${kind.plural}.${kind.group} ${keyString(namespace === '' ? { name } : { name, namespace })}`;
}

/** The object in one version: two manifests may ask for it in different ones, and each is compared in its own. */
export function versionedId(ref: ObjectRef): string {
  return `${ref.kind.version} ${objectId(ref)}`;
}
