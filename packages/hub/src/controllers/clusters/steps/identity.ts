import { namespaces } from '@outrigger/api';
import type { ApiAction, Now } from '@outrigger/kube';
import { patchObserved } from '../../observed-actions.js';
import { identityPatch, readIdentity, withDetach } from '../../../registration/agent-identity.js';
import type { NamespaceProjection } from '../../../resources/cluster-rights.js';

/**
 * Records that the credentials of a cluster are no longer accepted. The hub does this before it removes the ManagedCluster. The identity
 * record stays in the Namespace and reserves the name.
 */
export function endedIdentity(namespace: NamespaceProjection | undefined, now: Now): readonly ApiAction[] {
  const identity = readIdentity(namespace?.identity);
  if (!namespace || namespace.isDeleting || !identity || identity.detached !== undefined) return [];
  const patch = identityPatch(withDetach(identity, now.time));
  return [{ ...patchObserved(namespace, namespaces, 'identity', patch), accept: ['NotFound'] }];
}
