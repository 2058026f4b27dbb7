import type { KubeObject, LabelSelector } from '@outrigger/core';

/** One rule of a Role or ClusterRole, as stored. Absent lists and empty lists have the same meaning. */
export interface PolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface RoleRef {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

export interface Subject {
  readonly kind: string;
  readonly apiGroup?: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface AggregationRule {
  readonly clusterRoleSelectors?: readonly LabelSelector[];
}

/** A Role or a ClusterRole; only a ClusterRole may have an aggregation rule. */
export interface Role extends KubeObject {
  readonly rules?: readonly PolicyRule[] | null;
  readonly aggregationRule?: AggregationRule;
}

/** A RoleBinding or a ClusterRoleBinding. */
export interface Binding extends KubeObject {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[] | null;
}

export const RBAC_GROUP = 'rbac.authorization.k8s.io';
/** The group whose members have all permissions: the server's own components and the first administrator. */
export const MASTERS_GROUP = 'system:masters';
