import type { ApiRequest } from '@outrigger/core';
import type { ParsedPath, ResourcePath } from '../request/path.js';
import { contentTypeOf } from '../request/body.js';
import { Query } from '../request/query.js';
import type { Registry } from '../registry/registry.js';
import type { RequestKind } from './request-metrics.js';

const OTHER_PATHS: ReadonlySet<string> = new Set(['api', 'apis', 'healthz', 'livez', 'metrics', 'openapi', 'readyz', 'version']);

/**
 * Returns the labels of a request. Only names that the server knows become labels, so that callers cannot create any number of time series.
 */
export function requestKind(registry: Registry, request: ApiRequest, path: ParsedPath | undefined): RequestKind {
  const isDryRun = request.method !== 'GET' && request.query?.['dryRun'] !== undefined;
  if (path?.type !== 'resource') return { ...NOWHERE, verb: request.method, subresource: otherPath(request.path), isDryRun };
  const { group, version, plural, subresource } = path;
  const resource = registry.find(group, version, plural);
  if (!resource) return { ...NOWHERE, verb: verbOf(request, path), isDryRun };
  return {
    verb: verbOf(request, path),
    group,
    version,
    resource: plural,
    subresource: resource.subresources.has(subresource) ? subresource : '',
    scope: scopeOf(path),
    isDryRun,
  };
}

const NOWHERE = { group: '', version: '', resource: '', subresource: '', scope: '' } as const;

function otherPath(path: string): string {
  const [, first = ''] = path.split('/');
  return OTHER_PATHS.has(first) ? `/${first}` : '';
}

function scopeOf({ name, namespace }: ResourcePath): RequestKind['scope'] {
  if (name !== '') return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}

/** Returns the verb as a real server labels it: the HTTP method, or APPLY, DELETECOLLECTION, LIST or WATCH. */
function verbOf(request: ApiRequest, { name, isWatch }: ResourcePath): string {
  const { method, query } = request;
  if (method === 'PATCH' && contentTypeOf(request) === 'application/apply-patch+yaml') return 'APPLY';
  if (isWatch) return 'WATCH';
  if (name !== '') return method;
  if (method === 'DELETE') return 'DELETECOLLECTION';
  if (method !== 'GET') return method;
  return new Query(query).flag('watch') ? 'WATCH' : 'LIST';
}
