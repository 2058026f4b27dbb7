import { CLUSTER_GROUP, JOIN_NAMESPACE, type PolicyRule, serviceAccountUser } from '@outrigger/api';

export { JOIN_NAMESPACE } from '@outrigger/api';
/** On the accounts, and on the roles made for them; the value is the cluster. */
export const JOIN_LABEL = 'outrigger.dev/join';
/** On the accounts: when the token ends by itself. */
export const JOIN_EXPIRY_ANNOTATION = 'outrigger.dev/join-expires';
/** On the accounts: the one certificate request the token was used for. */
export const JOIN_REQUEST_ANNOTATION = 'outrigger.dev/join-request';

/** On the accounts, with any value: the agent follows all certificate requests while it waits for its own, as upstream's does. */
export const JOIN_READS_REQUESTS_ANNOTATION = 'outrigger.dev/join-reads-requests';

/** Whom the API server takes the bearer of a cluster's join token for; a certificate request by that user is for that cluster or for none. */
export function joinUser(cluster: string): string {
  return serviceAccountUser(JOIN_NAMESPACE, cluster);
}

/** The group of all bearers of join tokens: what an approver lets in without a person looking on. */
export const JOIN_GROUP: string = `system:serviceaccounts:${JOIN_NAMESPACE}`;

/** The cluster whose join token the user holds, undefined for everyone else. */
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
 * What a join token may do: see its own ManagedCluster, and ask for one certificate. Once it has asked, only read the answer. Nothing of
 * any other cluster; `readsRequests` makes an exception for certificate requests, of which RBAC cannot let anybody list their own only.
 */
export function joinRules(cluster: string, request: string | undefined, readsRequests = false): readonly PolicyRule[] {
  const own: PolicyRule = { apiGroups: [CLUSTER_GROUP], resources: ['managedclusters'], resourceNames: [cluster], verbs: ['get'] };
  const requests = { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'] };
  const asking: PolicyRule = { ...requests, verbs: ['create'] };
  if (readsRequests) return [own, { ...requests, verbs: ['get', 'list', 'watch'] }, ...(request === undefined ? [asking] : [])];
  return [own, request === undefined ? asking : { ...requests, resourceNames: [request], verbs: ['get', 'watch'] }];
}
