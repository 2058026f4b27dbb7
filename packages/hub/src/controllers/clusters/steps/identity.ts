import { namespaces } from '@outrigger/api';
import type { Action, Now } from '@outrigger/kube';
import { identityPatch, readIdentity, withDetach } from '../../../registration/agent-identity.js';
import { HUB } from '../../../resources/base.js';
import type { NamespaceRecord } from '../../../resources/cluster-rights.js';

/** Notes, before the cluster goes, that its credentials gain nothing any more. The record stays in the Namespace, and so holds the name. */
export function endedIdentity(namespace: NamespaceRecord | undefined, now: Now): readonly Action[] {
  const identity = readIdentity(namespace?.identity);
  if (!namespace || namespace.isDeleting || !identity || identity.detached !== undefined) return [];
  const { key, uid, resourceVersion } = namespace;
  return [
    {
      type: 'patch',
      id: 'identity',
      api: HUB,
      kind: namespaces,
      key,
      patch: identityPatch(withDetach(identity, now.time)),
      precondition: { uid, resourceVersion },
      accept: ['NotFound'],
    },
  ];
}
