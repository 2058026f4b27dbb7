import { INSTALL_NAMESPACE_LABEL, namespaces } from '@outrigger/api';
import { keyOf, type Projected } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import { CLUSTER } from './apis.js';

/**
 * The namespaces of the cluster that have upstream's label for namespaces of add-ons. The watch is added while the agent is running, like
 * that of `managedNamespaces`.
 */
export const addOnNamespaces: Resource = {
  name: 'add-on-namespaces',
  api: CLUSTER,
  kind: namespaces,
  labelSelector: INSTALL_NAMESPACE_LABEL,
  metadataOnly: true,
  project: (object): Projected => ({
    key: keyOf(object),
    uid: object.metadata.uid ?? '',
    resourceVersion: object.metadata.resourceVersion ?? '',
  }),
  indexes: {},
};
