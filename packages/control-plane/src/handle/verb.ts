import type { ApiRequest } from '@outrigger/core';
import { methodNotAllowed } from './errors.js';
import type { Verb } from './contract.js';
import type { Query } from '../request/query.js';

/** What a request does, in RBAC's words. Throws MethodNotAllowed for methods that mean nothing here. */
export function verbOf(method: ApiRequest['method'], name: string, query: Query): Verb {
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
