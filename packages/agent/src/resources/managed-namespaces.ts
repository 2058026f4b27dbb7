import { managedNamespaceLabel, namespaces } from '@outrigger/api';
import { keyOf, type Projected } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import { CLUSTER } from './apis.js';

/** A namespace of the cluster that this hub manages, or managed earlier. */
export interface ManagedNamespaceProjection extends Projected {
  readonly isManaged: boolean;
  readonly isDeleting: boolean;
}

/**
 * The namespaces with this hub's label. The agent adds this watch after its start, so that an agent without the permission to read
 * namespaces still performs all other tasks.
 */
export function managedNamespaces(hubServer: string): Resource<ManagedNamespaceProjection> {
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
