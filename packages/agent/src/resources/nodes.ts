import { type Node, nodes as nodeKind } from '@outrigger/api';
import { keyOf, type Projected } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import { CLUSTER } from './apis.js';

/** The resources of a node. */
export interface NodeProjection extends Projected {
  readonly isSchedulable: boolean;
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
}

export const nodes: Resource<NodeProjection> = {
  name: 'nodes',
  api: CLUSTER,
  kind: nodeKind,
  project(object, intern) {
    const { metadata, spec, status } = object as Node;
    return {
      key: keyOf(object),
      uid: metadata.uid ?? '',
      resourceVersion: metadata.resourceVersion ?? '',
      isSchedulable: spec?.unschedulable !== true,
      capacity: intern(status?.capacity ?? {}),
      allocatable: intern(status?.allocatable ?? {}),
    };
  },
  indexes: {},
};
