/** The parts of a storage key. Cluster-scoped objects have an empty namespace. */
export interface KeyParts {
  readonly group: string;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
}

/** Returns `<group>/<plural>/<namespace>/<name>`. Name validation guarantees that no part contains a slash. */
export function storageKey({ group, plural, namespace, name }: KeyParts): string {
  return `${group}/${plural}/${namespace}/${name}`;
}

/** Returns the common prefix of all keys of a resource, or of its keys in one namespace. */
export function storagePrefix(resource: { readonly group: string; readonly plural: string }, namespace?: string): string {
  const all = `${resource.group}/${resource.plural}/`;
  return namespace === undefined ? all : `${all}${namespace}/`;
}

export function parseStorageKey(key: string): KeyParts {
  const [group = '', plural = '', namespace = '', name = ''] = key.split('/');
  return { group, plural, namespace, name };
}

/** Returns the first string that sorts after all strings that start with `prefix`. Keys never contain U+FFFF. */
export function prefixEnd(prefix: string): string {
  return `${prefix}\uffff`;
}
