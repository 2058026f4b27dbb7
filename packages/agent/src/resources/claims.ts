import { type ClusterClaim, SPOKE_ONLY_LABEL, clusterClaims } from '@outrigger/api';
import { type Kind, keyOf } from '@outrigger/core';
import type { Projected, Resource } from '@outrigger/kube';
import { CLUSTER } from './apis.js';

/** A fact the cluster tells about itself. */
export interface ClaimRecord extends Projected {
  readonly value: string;
  /** Meant for this cluster alone: never told to the hub. */
  readonly isPrivate: boolean;
}

/** The same fact as Kubernetes' own kind for it (SIG Multicluster's About API) has it. */
const clusterProperties: Kind<ClusterClaim> = {
  group: 'about.k8s.io',
  version: 'v1alpha1',
  kind: 'ClusterProperty',
  plural: 'clusterproperties',
  namespaced: false,
};

/** Watched while running, not from the start: a cluster without this kind is a cluster without claims. */
export const claims: Resource<ClaimRecord> = factsOf('cluster-claims', clusterClaims);
/** Watched only where the agent is told to. */
export const properties: Resource<ClaimRecord> = factsOf('cluster-properties', clusterProperties);

function factsOf(name: string, kind: Kind<ClusterClaim>): Resource<ClaimRecord> {
  return {
    name,
    api: CLUSTER,
    kind,
    project(object) {
      const { metadata, spec } = object as ClusterClaim;
      return {
        key: keyOf(object),
        uid: metadata.uid ?? '',
        resourceVersion: metadata.resourceVersion ?? '',
        value: spec?.value ?? '',
        isPrivate: metadata.labels?.[SPOKE_ONLY_LABEL] !== undefined,
      };
    },
    indexes: {},
  };
}
