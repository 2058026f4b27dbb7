import type { Kind } from './meta.js';

export interface Location {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

type Served = Pick<Kind, 'group' | 'version' | 'kind' | 'plural' | 'namespaced'>;

/** The URL path of a collection. A cluster-scoped kind ignores the namespace, because keys may contain a stale namespace. */
export function collectionPath(kind: Served, namespace?: string): string {
  const within = kind.namespaced && namespace !== undefined ? `/namespaces/${segment(namespace, kind.kind)}` : '';
  return `${groupVersionPath(kind)}${within}/${kind.plural}`;
}

/** The URL path of one object or of its subresource. */
export function objectPath(kind: Served, at: Location & { readonly name: string }): string {
  requireNamespace(kind, at);
  const subresource = at.subresource === undefined ? '' : `/${at.subresource.split('/').map(encodeURIComponent).join('/')}`;
  return `${collectionPath(kind, at.namespace)}/${segment(at.name, kind.kind)}${subresource}`;
}

export function groupVersionPath(kind: Pick<Kind, 'group' | 'version'>): string {
  return kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
}

/**
 * Throws if the namespace of a namespaced kind is missing, because the path would address another resource and the server's 404 would be
 * misleading.
 */
export function requireNamespace(kind: Served, at: Location): void {
  if (!kind.namespaced || at.namespace !== undefined) return;
  throw new Error(`${kind.kind} ${at.name ?? ''}: metadata.namespace is missing, and ${kind.plural} live in namespaces`);
}

/** An empty name would address the whole collection (and delete it); a name of only dots would be removed by URL normalization. */
function segment(value: string, kind: string): string {
  if (value === '' || value === '.' || value === '..') throw new Error(`${kind}: "${value}" is not a name`);
  return encodeURIComponent(value);
}
