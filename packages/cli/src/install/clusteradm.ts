import { CLUSTER_GROUP, type PolicyRule } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { clusterRole } from './cluster-role.js';
import { clusterRoleBinding } from './rights.js';
import { namespaceObject, serviceAccount } from './workload.js';

/** The account whose token `clusteradm get token` prints. */
export const CLUSTERADM_ACCOUNT = { namespace: 'open-cluster-management', name: 'agent-registration-bootstrap' };
const ROLE = 'outrigger:clusteradm-bootstrap';

/**
 * The permissions that an agent needs before it has its own certificate: create its cluster, request a certificate, and wait for the
 * approval.
 */
const RULES: readonly PolicyRule[] = [
  { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], verbs: ['create', 'get', 'list', 'watch'] },
  { apiGroups: [CLUSTER_GROUP], resources: ['managedclusters'], verbs: ['create', 'get'] },
];

/**
 * Returns the account that `clusteradm init` would create. It is installed only on request, because one of its tokens can join any cluster
 * until the token expires; `outrigger join` creates a token for one cluster only.
 */
export function clusteradmManifests(): readonly KubeObject[] {
  return [
    namespaceObject(CLUSTERADM_ACCOUNT.namespace),
    serviceAccount(CLUSTERADM_ACCOUNT.name, CLUSTERADM_ACCOUNT.namespace),
    clusterRole(ROLE, RULES),
    clusterRoleBinding(ROLE, ROLE, CLUSTERADM_ACCOUNT),
  ];
}
