import { ApiError } from '@outrigger/core';
import { forbiddenResource } from '../../authz/forbidden.js';
import type { Admission, AdmissionRequest } from '../../handle/contract.js';
import type { Store } from '../../store/contract.js';
import { lookUp } from '../follow.js';
import { namespaces } from '../kinds.js';
import { PERMANENT_NAMESPACES } from './permanent.js';

/** Objects are made in namespaces that exist and stay; the namespaces the server itself needs cannot be deleted. */
export function namespaceChecks(store: Store): Admission {
  return {
    validate: (request) => {
      if (request.operation === 'DELETE') refusePermanent(request);
      if (request.operation === 'CREATE' && request.namespace !== '' && request.resource !== 'namespaces') refuseHomeless(store, request);
      return {};
    },
  };
}

function refusePermanent({ group, resource, name }: AdmissionRequest): void {
  if (group !== '' || resource !== 'namespaces' || !PERMANENT_NAMESPACES.includes(name)) return;
  throw forbiddenResource({ group, resource, name }, 'this namespace may not be deleted');
}

function refuseHomeless(store: Store, { group, resource, namespace, object }: AdmissionRequest): void {
  const home = lookUp(store, namespaces, namespace);
  if (!home) {
    throw new ApiError('NotFound', `namespaces "${namespace}" not found`, { details: { name: namespace, kind: 'namespaces' } });
  }
  if (home.metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const refusal = forbiddenResource({ group, resource, name: object?.metadata.name ?? '' }, why);
  const causes = [{ reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' }];
  throw new ApiError('Forbidden', refusal.message, { details: { ...refusal.details, causes } });
}
