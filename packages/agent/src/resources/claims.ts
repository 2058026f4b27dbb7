import { type ClusterClaim, SPOKE_ONLY_LABEL, clusterClaims } from '@outrigger/api';
import { type Kind, keyOf, type Projected } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import { CLUSTER } from './apis.js';

/** A named fact about the cluster. */
export interface ClaimProjection extends Projected {
  readonly value: string;
  /** Whether the claim is for this cluster only and must not be reported to the hub. */
  readonly isPrivate: boolean;
}

/** Kubernetes' counterpart of ClusterClaim (About API of SIG Multicluster). */
const clusterProperties: Kind<ClusterClaim> = {
  group: 'about.k8s.io',
  version: 'v1alpha1',
  kind: 'ClusterProperty',
  plural: 'clusterproperties',
  namespaced: false,
};

/** The ClusterClaims. The agent adds this watch while it is running, because the kind is optional: a cluster without it has no claims. */
export const claims: Resource<ClaimProjection> = factsOf('cluster-claims', clusterClaims);
/** The ClusterProperties, which are watched only if the agent is configured to report them. */
export const properties: Resource<ClaimProjection> = factsOf('cluster-properties', clusterProperties);

function factsOf(name: string, kind: Kind<ClusterClaim>): Resource<ClaimProjection> {
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
