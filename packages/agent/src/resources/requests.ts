import {
  ADDON_NAME_LABEL,
  CLUSTER_NAME_LABEL,
  type CertificateSigningRequest,
  type CertificateSigningRequestCondition,
  JOIN_NAMESPACE,
  certificateSigningRequests,
} from '@outrigger/api';
import { keyOf, parseTime, type Projected } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import { HUB } from './apis.js';

/** A CertificateSigningRequest of this cluster, either for its agent or for an add-on. */
export interface RequestProjection extends Projected {
  /** The name of the add-on; empty for a request for the agent itself. */
  readonly addOnName: string;
  /**
   * Whether the cluster's agent did not send the request, according to the name of the user who sent it. The labels of a request do not show
   * this, because users choose them.
   */
  readonly isForeign: boolean;
  readonly signerName: string;
  readonly outcome: RequestOutcome;
}

export type RequestOutcome =
  | { readonly type: 'pending' }
  /** The certificate was issued. It is PEM in base64. */
  | { readonly type: 'issued'; readonly certificate: string }
  /** The request was denied by a user or a rule, or it failed at the signer. */
  | { readonly type: 'refused'; readonly message: string; readonly at: number };

const AGENT = /^system:open-cluster-management:([^:]+):[^:]+$/;
const JOINING = new RegExp(`^system:serviceaccount:${JOIN_NAMESPACE}:(.+)$`);

/** Returns the cluster whose agent or join token the user name belongs to; undefined for other users. */
function clusterOf(username: string): string | undefined {
  return (AGENT.exec(username) ?? JOINING.exec(username))?.[1];
}

/**
 * The certificate requests of a cluster. An agent with a certificate (`isCertified`) sends all requests with it. An agent with another
 * credential does not know its user name, so it takes the requests of all users as its own, except those of other clusters.
 */
export function requests(clusterName: string, isCertified = false): Resource<RequestProjection, 'addOnName'> {
  const isForeign = (username: string): boolean =>
    isCertified ? AGENT.exec(username)?.[1] !== clusterName : (clusterOf(username) ?? clusterName) !== clusterName;
  return {
    name: 'certificate-requests',
    api: HUB,
    kind: certificateSigningRequests,
    labelSelector: `${CLUSTER_NAME_LABEL}=${clusterName}`,
    project(object) {
      const request = object as CertificateSigningRequest;
      const { metadata, spec } = request;
      return {
        key: keyOf(request),
        uid: metadata.uid ?? '',
        resourceVersion: metadata.resourceVersion ?? '',
        addOnName: metadata.labels?.[ADDON_NAME_LABEL] ?? '',
        isForeign: isForeign(spec.username ?? ''),
        signerName: spec.signerName,
        outcome: outcomeOf(request),
      };
    },
    // Denied requests delay the next request, and many open requests prevent it, so requests that others sent must not count.
    indexes: { addOnName: ({ addOnName, isForeign }) => (isForeign ? [] : [addOnName]) },
  };
}

function outcomeOf({ metadata, status }: CertificateSigningRequest): RequestOutcome {
  const find = (type: CertificateSigningRequestCondition['type']): CertificateSigningRequestCondition | undefined =>
    (status?.conditions ?? []).find((condition) => condition.type === type && condition.status !== 'False');
  const refusal = find('Denied') ?? find('Failed');
  if (refusal) {
    const at = parseTime(refusal.lastUpdateTime ?? refusal.lastTransitionTime) ?? parseTime(metadata.creationTimestamp) ?? 0;
    return { type: 'refused', message: refusal.message ?? refusal.reason ?? refusal.type, at };
  }
  return find('Approved') && status?.certificate ? { type: 'issued', certificate: status.certificate } : { type: 'pending' };
}
