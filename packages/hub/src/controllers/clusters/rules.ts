import { ADDON_GROUP, CLUSTER_GROUP, CLUSTER_LEASE_NAME, type PolicyRule, REGISTER_GROUP, WORK_GROUP } from '@outrigger/api';

const CERTIFICATES = 'certificates.k8s.io';

/** The permissions outside its namespace that the agent of an accepted cluster has. */
export function acceptedRules(cluster: string): readonly PolicyRule[] {
  return [
    { apiGroups: [CERTIFICATES], resources: ['certificatesigningrequests'], verbs: ['create', 'get', 'list', 'watch'] },
    { apiGroups: [REGISTER_GROUP], resources: ['managedclusters/clientcertificates'], verbs: ['renew'] },
    { apiGroups: [CLUSTER_GROUP], resources: ['managedclusters'], resourceNames: [cluster], verbs: ['get', 'list', 'update', 'watch'] },
    { apiGroups: [CLUSTER_GROUP], resources: ['managedclusters/status'], resourceNames: [cluster], verbs: ['patch', 'update'] },
  ];
}

/**
 * The permissions of the agent of a cluster that is no longer accepted. The agent may read its ManagedCluster, which reports the denial.
 */
export function deniedRules(cluster: string): readonly PolicyRule[] {
  return [{ apiGroups: [CLUSTER_GROUP], resources: ['managedclusters'], resourceNames: [cluster], verbs: ['get', 'list', 'watch'] }];
}

/** The permissions that the registration agent has in its cluster's namespace. */
export const REGISTRATION_RULES: readonly PolicyRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], resourceNames: [CLUSTER_LEASE_NAME], verbs: ['update'] },
  { apiGroups: [ADDON_GROUP], resources: ['managedclusteraddons'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [ADDON_GROUP], resources: ['managedclusteraddons/status'], verbs: ['patch', 'update'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create'] },
];

/** The permissions that the work agent has in its cluster's namespace. The agent may neither create nor delete works. */
export const WORK_RULES: readonly PolicyRule[] = [
  { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch', 'update'] },
  { apiGroups: [WORK_GROUP], resources: ['manifestworks'], verbs: ['get', 'list', 'watch', 'update', 'patch'] },
  { apiGroups: [WORK_GROUP], resources: ['manifestworks/status'], verbs: ['patch', 'update'] },
];
