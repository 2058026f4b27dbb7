import { managedNamespaceLabel, namespaces } from '@outrigger/api';
import { keyOf } from '@outrigger/core';
import type { Projected, Resource } from '@outrigger/kube';
import { CLUSTER } from './apis.js';

/** A namespace of the cluster that this hub manages, or once did. */
export interface ManagedNamespaceRecord extends Projected {
  readonly isManaged: boolean;
  readonly isDeleting: boolean;
}

/** Only what carries this hub's label. Watched while running, not from the start: an agent that may not see namespaces does all else. */
export function managedNamespaces(hubServer: string): Resource<ManagedNamespaceRecord> {
  const label = managedNamespaceLabel(hubServer);
  return {
    name: 'managed-namespaces',
    api: CLUSTER,
    kind: namespaces,
    labelSelector: label,
    metadataOnly: true,
    project(object) {
      const { metadata } = object;
      return {
        key: keyOf(object),
        uid: metadata.uid ?? '',
        resourceVersion: metadata.resourceVersion ?? '',
        isManaged: metadata.labels?.[label] === 'true',
        isDeleting: metadata.deletionTimestamp !== undefined,
      };
    },
    indexes: {},
  };
}
