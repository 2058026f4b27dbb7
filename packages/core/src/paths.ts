import type { Kind } from './meta.js';

export interface Location {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

type Served = Pick<Kind, 'group' | 'version' | 'kind' | 'plural' | 'namespaced'>;

/** Returns the URL path of a collection. Ignores the namespace in the key of a cluster-scoped kind. */
export function collectionPath(kind: Served, namespace?: string): string {
  const within = kind.namespaced && namespace !== undefined ? `/namespaces/${segment(namespace, kind.kind)}` : '';
  return `${groupVersionPath(kind)}${within}/${kind.plural}`;
}

/** Returns the URL path of one object or of its subresource. */
export function objectPath(kind: Served, at: Location & { readonly name: string }): string {
  requireNamespace(kind, at);
  const subresource = at.subresource === undefined ? '' : `/${at.subresource.split('/').map(encodeURIComponent).join('/')}`;
  return `${collectionPath(kind, at.namespace)}/${segment(at.name, kind.kind)}${subresource}`;
}

export function groupVersionPath(kind: Pick<Kind, 'group' | 'version'>): string {
  return kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
}

/**
 * Throws if a namespaced kind is used without a namespace, because the path would address another resource and the server's 404 would be
 * misleading.
 */
export function requireNamespace(kind: Served, at: Location): void {
  if (!kind.namespaced || at.namespace !== undefined) return;
  throw new Error(`${kind.kind} ${at.name ?? ''}: metadata.namespace is missing, and ${kind.plural} live in namespaces`);
}

/**
 * Encodes a path segment. Throws for an empty name, which would address the whole collection (and delete it), and for `.` and `..`, which
 * URL normalization would remove.
 */
function segment(value: string, kind: string): string {
  if (value === '' || value === '.' || value === '..') throw new Error(`${kind}: "${value}" is not a name`);
  return encodeURIComponent(value);
}
