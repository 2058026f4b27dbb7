import { ApiError } from '@outrigger/core';

/** The path of a request for an object, a collection or a subresource. */
export interface ResourcePath {
  readonly type: 'resource';
  readonly group: string;
  readonly version: string;
  /** The namespace; empty for a cluster-scoped resource and for a list over all namespaces. */
  readonly namespace: string;
  readonly plural: string;
  readonly name: string;
  readonly subresource: string;
  /** Whether the path itself asks for a watch, as in `/api/v1/watch/namespaces/a/pods`. Clients used this form before `?watch=true`. */
  readonly isWatch: boolean;
}

export interface OtherPath {
  readonly type: 'other';
  readonly path: string;
}

export type ParsedPath = ResourcePath | OtherPath;

/** The subresources of a namespace. Any other segment after the name of a namespace is a resource in the namespace. */
const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);

/**
 * Parses `/api/v1/namespaces/a/pods/b/status` and similar paths. Throws BadRequest for invalid percent-encoding. An empty segment is kept: if
 * it were dropped, `/api/v1/namespaces//pods`, from a client that has an empty namespace, would name the namespace `pods`.
 */
export function parsePath(path: string): ParsedPath {
  const segments = path
    .slice(path.startsWith('/') ? 1 : 0, path.endsWith('/') ? -1 : undefined)
    .split('/')
    .map(decodeSegment);
  const prefix = segments[0];
  const other: OtherPath = { type: 'other', path };
  if (prefix !== 'api' && (prefix !== 'apis' || segments[1] === '')) return other;
  const rest = segments.slice(prefix === 'api' ? 2 : 3);
  if (rest.length === 0) return other;
  const group = prefix === 'api' ? '' : (segments[1] as string);
  const version = segments[prefix === 'api' ? 1 : 2] as string;
  const isWatch = rest[0] === 'watch';
  return { type: 'resource', group, version, isWatch, ...parseResource(isWatch ? rest.slice(1) : rest) };
}

type ResourcePart = Pick<ResourcePath, 'namespace' | 'plural' | 'name' | 'subresource'>;

function parseResource(segments: readonly string[]): ResourcePart {
  const [first = '', second = '', third = ''] = segments;
  const isInNamespace = first === 'namespaces' && segments.length > 2 && !NAMESPACE_SUBRESOURCES.has(third);
  const [plural = '', name = '', ...deeper] = isInNamespace ? segments.slice(2) : segments;
  return { namespace: isInNamespace ? second : '', plural, name, subresource: deeper.join('/') };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new ApiError('BadRequest', `invalid URL escape in path segment "${segment}"`, { cause });
  }
}
