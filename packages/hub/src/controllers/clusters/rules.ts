import { ADDON_GROUP, CLUSTER_GROUP, CLUSTER_LEASE_NAME, type PolicyRule, REGISTER_GROUP, WORK_GROUP } from '@outrigger/api';

const CERTIFICATES = 'certificates.k8s.io';

/** What the agent of an accepted cluster may do outside of its namespace. */
export function acceptedRules(cluster: string): readonly PolicyRule[] {
  return [
    { apiGroups: [CERTIFICATES], resources: ['certificatesigningrequests'], verbs: ['create', 'get', 'list', 'watch'] },
    { apiGroups: [REGISTER_GROUP], resources: ['managedclusters/clientcertificates'], verbs: ['renew'] },
    { apiGroups: [CLUSTER_GROUP], resources: ['managedclusters'], resourceNames: [cluster], verbs: ['get', 'list', 'update', 'watch'] },
    { apiGroups: [CLUSTER_GROUP], resources: ['managedclusters/status'], resourceNames: [cluster], verbs: ['patch', 'update'] },
  ];
}

/** What is left to the agent of a cluster that was accepted once and is not any more: to see that this is so. */
export function deniedRules(cluster: string): readonly PolicyRule[] {
  return [{ apiGroups: [CLUSTER_GROUP], resources: ['managedclusters'], resourceNames: [cluster], verbs: ['get', 'list', 'watch'] }];
}

/** What the registration agent may do in the namespace of its cluster. */
export const REGISTRATION_RULES: readonly PolicyRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], resourceNames: [CLUSTER_LEASE_NAME], verbs: ['update'] },
  { apiGroups: [ADDON_GROUP], resources: ['managedclusteraddons'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [ADDON_GROUP], resources: ['managedclusteraddons/status'], verbs: ['patch', 'update'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create'] },
];

/** What the work agent may do in the namespace of its cluster: never make a work, nor delete one. */
export const WORK_RULES: readonly PolicyRule[] = [
  { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch', 'update'] },
  { apiGroups: [WORK_GROUP], resources: ['manifestworks'], verbs: ['get', 'list', 'watch', 'update', 'patch'] },
  { apiGroups: [WORK_GROUP], resources: ['manifestworks/status'], verbs: ['patch', 'update'] },
];
