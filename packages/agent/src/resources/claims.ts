import { type ClusterClaim, SPOKE_ONLY_LABEL, clusterClaims } from '@outrigger/api';
import { keyOf } from '@outrigger/core';
import type { Projected, Resource } from '@outrigger/kube';
import { CLUSTER } from './apis.js';

/** A fact the cluster tells about itself. */
export interface ClaimRecord extends Projected {
  readonly value: string;
  /** Meant for this cluster alone: never told to the hub. */
  readonly isPrivate: boolean;
}

/** Watched while running, not from the start: a cluster without this kind is a cluster without claims. */
export const claims: Resource<ClaimRecord> = {
  name: 'cluster-claims',
  api: CLUSTER,
  kind: clusterClaims,
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
