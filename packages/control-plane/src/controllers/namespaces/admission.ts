import { forbiddenResource } from '../../authz/forbidden.js';
import type { ServerAdmission } from '../../handle/contract.js';
import { PERMANENT_NAMESPACES } from './permanent.js';

/** Prevents the deletion of the namespaces that the server itself needs. */
export const permanentNamespaces: ServerAdmission = {
  validate: ({ operation, group, resource, subResource, name }) => {
    const isNamespace = group === '' && resource === 'namespaces' && subResource === '';
    if (operation !== 'DELETE' || !isNamespace || !PERMANENT_NAMESPACES.includes(name)) return {};
    throw forbiddenResource({ group, resource, name }, 'this namespace may not be deleted');
  },
};
