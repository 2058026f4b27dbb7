import type { ApiRequest } from '@outrigger/core';
import { methodNotAllowed } from './errors.js';
import type { Verb } from './contract.js';
import { parsePath, type ResourcePath } from '../request/path.js';
import { Query } from '../request/query.js';

/** Whether the answer to a request may be a stream of events. */
export function isWatchRequest({ method, path, query }: Pick<ApiRequest, 'method' | 'path' | 'query'>): boolean {
  if (method !== 'GET') return false;
  if (new Query(query).flag('watch')) return true;
  const parsed = parsePath(path);
  return parsed.type === 'resource' && parsed.isWatch;
}

/** Returns the RBAC verb of a request. Throws MethodNotAllowed for methods without a verb. */
export function verbOf(method: ApiRequest['method'], { name, isWatch }: Pick<ResourcePath, 'name' | 'isWatch'>, query: Query): Verb {
  if (isWatch) return 'watch';
  switch (method) {
    case 'GET':
      if (name !== '') return 'get';
      return query.flag('watch') ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete';
    default:
      throw methodNotAllowed();
  }
}
