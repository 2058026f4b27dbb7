/** Parts of a storage key. Cluster-scoped objects have an empty namespace. */
export interface KeyParts {
  readonly group: string;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
}

/** `<group>/<plural>/<namespace>/<name>`; no part contains a slash, which name validation guarantees. */
export function storageKey({ group, plural, namespace, name }: KeyParts): string {
  return `${group}/${plural}/${namespace}/${name}`;
}

/** The common prefix of all keys of a resource, or of one namespace of the resource. */
export function storagePrefix(resource: { readonly group: string; readonly plural: string }, namespace?: string): string {
  const all = `${resource.group}/${resource.plural}/`;
  return namespace === undefined ? all : `${all}${namespace}/`;
}

export function parseStorageKey(key: string): KeyParts {
  const [group = '', plural = '', namespace = '', name = ''] = key.split('/');
  return { group, plural, namespace, name };
}

/** The first text that sorts after all texts that start with `prefix`. Keys never contain U+FFFF. */
export function prefixEnd(prefix: string): string {
  return `${prefix}\uffff`;
}
