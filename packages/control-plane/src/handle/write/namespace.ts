import { ApiError } from '@outrigger/core';
import type { Draft } from '../../registry/draft.js';
import { fieldsOf } from '../../registry/draft.js';
import { storageKey } from '../../store/key.js';
import type { RequestContext } from '../context.js';
import { notFound, qualified } from '../errors.js';

const NAMESPACES = { group: '', plural: 'namespaces' };

/** Throws unless the namespace of a new object exists and is not being deleted. */
export function assertNamespaceAccepts(context: RequestContext, draft: Draft): void {
  const { namespace } = context.path;
  if (!context.resource.namespaced) return;
  const entry = context.server.store.get(storageKey({ ...NAMESPACES, namespace: '', name: namespace }));
  if (!entry) throw notFound(NAMESPACES, namespace);
  const isTerminating =
    entry.object.metadata.deletionTimestamp !== undefined || fieldsOf(entry.object, 'status')['phase'] === 'Terminating';
  if (!isTerminating) return;
  const name = draft.metadata.name ?? '';
  const { group, plural } = context.resource;
  throw new ApiError(
    'Forbidden',
    `${qualified(context.resource)} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
    {
      details: {
        ...(name === '' ? {} : { name }),
        ...(group === '' ? {} : { group }),
        kind: plural,
        causes: [{ reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' }],
      },
    },
  );
}
