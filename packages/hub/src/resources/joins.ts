import {
  type CertificateSigningRequest,
  type ClusterRole,
  type PolicyRule,
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  serviceAccounts,
} from '@outrigger/api';
import { parseTime, type Projected } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import {
  clusterOfJoinUser,
  JOIN_AGAIN_ANNOTATION,
  JOIN_CLUSTER_UID_ANNOTATION,
  JOIN_EXPIRY_ANNOTATION,
  JOIN_LABEL,
  JOIN_NAMESPACE,
  JOIN_READS_REQUESTS_ANNOTATION,
  JOIN_REQUEST_ANNOTATION,
} from './join-names.js';
import { HUB } from './base.js';
import { base, isDeleting } from '@outrigger/rules/observed';

/** The ServiceAccount of a cluster's join token. It has the name of the cluster. */
export interface JoinAccountProjection extends Projected {
  readonly isDeleting: boolean;
  /**
   * When the token expires, in milliseconds since the epoch; undefined if the annotation is absent or invalid. The token then counts as
   * expired, so that an invalid value does not make it permanent.
   */
  readonly expiresAt: number | undefined;
  /** Whether the holder of the token may watch all certificate requests. */
  readonly readsRequests: boolean;
  /** Whether the cluster has joined before. */
  readonly isAgain: boolean;
  readonly createdAt: number;
  /**
   * The uid of the ManagedCluster that the token is for; undefined for a token of an earlier version, which any cluster of this name may
   * use.
   */
  readonly clusterUid: string | undefined;
  /** The certificate request for which the token was used. */
  readonly request: string | undefined;
}

export const joinAccounts: Resource<JoinAccountProjection> = {
  name: 'join-accounts',
  api: HUB,
  kind: serviceAccounts,
  namespace: JOIN_NAMESPACE,
  labelSelector: JOIN_LABEL,
  metadataOnly: true,
  project(object, intern) {
    const { annotations = {}, creationTimestamp } = object.metadata;
    return {
      isDeleting: isDeleting(object),
      expiresAt: parseTime(annotations[JOIN_EXPIRY_ANNOTATION]),
      readsRequests: JOIN_READS_REQUESTS_ANNOTATION in annotations,
      isAgain: JOIN_AGAIN_ANNOTATION in annotations,
      createdAt: parseTime(creationTimestamp) ?? 0,
      clusterUid: annotations[JOIN_CLUSTER_UID_ANNOTATION],
      request: annotations[JOIN_REQUEST_ANNOTATION],
      ...base(object, intern),
    };
  },
  indexes: {},
};

export interface JoinRoleProjection extends Projected {
  readonly cluster: string;
  readonly rules: readonly PolicyRule[];
}

export const joinRoles: Resource<JoinRoleProjection> = {
  name: 'join-roles',
  api: HUB,
  kind: clusterRoles,
  labelSelector: JOIN_LABEL,
  project(object, intern) {
    return {
      cluster: object.metadata.labels?.[JOIN_LABEL] ?? '',
      rules: intern((object as ClusterRole).rules ?? []),
      ...base(object, intern),
    };
  },
  indexes: {},
};

export interface JoinBindingProjection extends Projected {
  readonly cluster: string;
}

export const joinBindings: Resource<JoinBindingProjection> = {
  name: 'join-bindings',
  api: HUB,
  kind: clusterRoleBindings,
  labelSelector: JOIN_LABEL,
  metadataOnly: true,
  project(object, intern) {
    return { cluster: object.metadata.labels?.[JOIN_LABEL] ?? '', ...base(object, intern) };
  },
  indexes: {},
};

/** A certificate request, with the cluster whose join token was used for it. The cluster is undefined if no join token was used. */
export interface JoinRequestProjection extends Projected {
  /** The cluster whose token was used. */
  readonly cluster: string | undefined;
  /** The uid of the ServiceAccount that made the request. It distinguishes two successive tokens of one cluster. */
  readonly accountUid: string | undefined;
  readonly createdAt: number;
}

export const joinRequests: Resource<JoinRequestProjection, 'cluster'> = {
  name: 'join-requests',
  api: HUB,
  kind: certificateSigningRequests,
  project(object, intern) {
    const { metadata, spec } = object as CertificateSigningRequest;
    return {
      // Use the user name, which the API server sets, and no data that the requester can choose.
      cluster: clusterOfJoinUser(spec.username ?? ''),
      accountUid: spec.uid,
      createdAt: parseTime(metadata.creationTimestamp) ?? 0,
      ...base(object, intern),
    };
  },
  indexes: { cluster: ({ cluster }) => (cluster === undefined ? [] : [cluster]) },
};
