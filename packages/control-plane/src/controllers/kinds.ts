import type { Kind } from '@outrigger/core';

/** The built-in kinds that controllers write. */
export const namespaces: Kind = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };
export const serviceAccounts: Kind = { group: '', version: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', namespaced: true };
export const configMaps: Kind = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };
export const events: Kind = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true };
export const pods: Kind = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
export const nodes: Kind = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };
export const deployments: Kind = { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true };
export const replicaSets: Kind = { group: 'apps', version: 'v1', kind: 'ReplicaSet', plural: 'replicasets', namespaced: true };
export const daemonSets: Kind = { group: 'apps', version: 'v1', kind: 'DaemonSet', plural: 'daemonsets', namespaced: true };
export const statefulSets: Kind = { group: 'apps', version: 'v1', kind: 'StatefulSet', plural: 'statefulsets', namespaced: true };
export const jobs: Kind = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true };
export const leases: Kind = { group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', plural: 'leases', namespaced: true };
export const clusterRoles: Kind = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
};
export const clusterRoleBindings: Kind = { ...clusterRoles, kind: 'ClusterRoleBinding', plural: 'clusterrolebindings' };
export const signingRequests: Kind = {
  group: 'certificates.k8s.io',
  version: 'v1',
  kind: 'CertificateSigningRequest',
  plural: 'certificatesigningrequests',
  namespaced: false,
};
