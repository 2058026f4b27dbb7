import type { ApiRequest } from '@outrigger/core';
import { methodNotAllowed } from './errors.js';
import type { Verb } from './contract.js';
import type { Query } from '../request/query.js';

/** Returns the RBAC verb of a request. Throws MethodNotAllowed for methods without a verb. */
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
