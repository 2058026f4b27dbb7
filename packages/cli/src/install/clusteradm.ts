import { CLUSTER_GROUP, type PolicyRule } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { clusterRole, clusterRoleBinding } from './rights.js';
import { namespaceObject, serviceAccount } from './workload.js';

/** Where `clusteradm get token` looks for the account whose token it prints. */
export const CLUSTERADM_ACCOUNT = { namespace: 'open-cluster-management', name: 'agent-registration-bootstrap' };
const ROLE = 'outrigger:clusteradm-bootstrap';

/** What an agent does before it has a certificate of its own: declare its cluster, ask for a certificate, and wait for the answer. */
const RULES: readonly PolicyRule[] = [
  { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], verbs: ['create', 'get', 'list', 'watch'] },
  { apiGroups: [CLUSTER_GROUP], resources: ['managedclusters'], verbs: ['create', 'get'] },
];

/**
 * The account that `clusteradm init` would make. One token of it serves every cluster until it ends, so that it is installed only on demand;
 * `outrigger join` makes a token for one cluster.
 */
export function clusteradmManifests(): readonly KubeObject[] {
  return [
    namespaceObject(CLUSTERADM_ACCOUNT.namespace),
    serviceAccount(CLUSTERADM_ACCOUNT.name, CLUSTERADM_ACCOUNT.namespace),
    clusterRole(ROLE, RULES),
    clusterRoleBinding(ROLE, ROLE, CLUSTERADM_ACCOUNT),
  ];
}
