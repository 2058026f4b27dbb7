import { CLUSTER_GROUP, JOIN_NAMESPACE, type PolicyRule, serviceAccountUser } from '@outrigger/api';

export { JOIN_GROUP, JOIN_NAMESPACE } from '@outrigger/api';
/** The label on the ServiceAccounts of join tokens and on the roles created for them. Its value is the name of the cluster. */
export const JOIN_LABEL = 'outrigger.dev/join';
/** The annotation with the time at which a join token expires, on the ServiceAccount of the token. */
export const JOIN_EXPIRY_ANNOTATION = 'outrigger.dev/join-expires';
/** The annotation with the name of the one certificate request for which a join token was used, on the ServiceAccount of the token. */
export const JOIN_REQUEST_ANNOTATION = 'outrigger.dev/join-request';

/**
 * The annotation that lets the agent watch all certificate requests while it waits for its own, as upstream's agent does. It is set, with
 * any value, on the ServiceAccount of the join token.
 */
export const JOIN_READS_REQUESTS_ANNOTATION = 'outrigger.dev/join-reads-requests';

/**
 * The annotation that says that the cluster has joined before and its agent lost its certificate. It is set, with any value, on the
 * ServiceAccount of the join token. Only the agent with the recorded key can use such a token.
 */
export const JOIN_AGAIN_ANNOTATION = 'outrigger.dev/join-again';

/** The annotation with the uid of the ManagedCluster that a join token is for, on the ServiceAccount of the token. */
export const JOIN_CLUSTER_UID_ANNOTATION = 'outrigger.dev/join-cluster-uid';

/** The user name of the holder of a cluster's join token. A certificate request by that user is accepted for that cluster only. */
export function joinUser(cluster: string): string {
  return serviceAccountUser(JOIN_NAMESPACE, cluster);
}

/** The cluster whose join token the user holds; undefined for every other user. */
export function clusterOfJoinUser(user: string): string | undefined {
  const prefix = joinUser('');
  return user.startsWith(prefix) && user.length > prefix.length ? user.slice(prefix.length) : undefined;
}

export function joinRoleName(cluster: string): string {
  return `outrigger:join:${cluster}`;
}

export function joinLabels(cluster: string): Readonly<Record<string, string>> {
  return { [JOIN_LABEL]: cluster };
}

/**
 * The permissions of a join token: to read the ManagedCluster of its cluster and to create one certificate request, and then only to read
 * both. The token grants no permission on other clusters. `readsRequests` adds the permission to read all certificate requests, because
 * RBAC cannot restrict a list to the requests of one user.
 */
export function joinRules(cluster: string, request: string | undefined, readsRequests = false): readonly PolicyRule[] {
  const own: PolicyRule = { apiGroups: [CLUSTER_GROUP], resources: ['managedclusters'], resourceNames: [cluster], verbs: ['get'] };
  const requests = { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'] };
  const asking: PolicyRule = { ...requests, verbs: ['create'] };
  if (readsRequests) return [own, { ...requests, verbs: ['get', 'list', 'watch'] }, ...(request === undefined ? [asking] : [])];
  return [own, request === undefined ? asking : { ...requests, resourceNames: [request], verbs: ['get', 'watch'] }];
}
