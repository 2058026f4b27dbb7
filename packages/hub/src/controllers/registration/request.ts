import type { Projected } from '@outrigger/core';
import {
  ADDON_NAME_LABEL,
  CLUSTER_NAME_LABEL,
  type CertificateSigningRequest,
  type CertificateSigningRequestCondition,
  KUBE_CLIENT_SIGNER,
  certificateSigningRequests,
} from '@outrigger/api';
import type { Resource } from '@outrigger/kube';
import { requesterCredential } from '../../registration/agent-identity.js';
import { HUB } from '../../resources/base.js';
import { base } from '@outrigger/rules/observed';

/** A CertificateSigningRequest that names a cluster. Requests without a cluster are not cached. */
export interface RequestProjection extends Projected {
  readonly clusterName: string;
  /** The add-on; empty if the cluster's agent requests a certificate for itself. */
  readonly addOnName: string;
  readonly signerName: string;
  readonly usages: readonly string[];
  /** The requester as the API server authenticated it. Annotations that name another requester are not read. */
  readonly user: string;
  readonly groups: readonly string[];
  /** Credential id of the requester's certificate; undefined if the API server does not send it. */
  readonly credential: string | undefined;
  /** When the request was created, on the API server's clock. */
  readonly createdAt: string;
  readonly expirationSeconds: number | undefined;
  /** The PEM of the request in base64; empty if the request needs neither a decision nor a signature any more. */
  readonly request: string;
  /** The PEM of the certificate in base64, in the step `issued`; otherwise empty. */
  readonly certificate: string;
  readonly conditions: readonly CertificateSigningRequestCondition[];
  readonly step: RequestStep;
}

/**
 * `decide`: neither approved nor denied yet. `sign`: approved, to be signed by the hub. `approved`: to be signed by Kubernetes' own signer.
 * `issued`: the hub records the issued certificate. `done`: no further action.
 */
export type RequestStep = 'decide' | 'sign' | 'approved' | 'issued' | 'done';

export const requests: Resource<RequestProjection, 'cluster' | 'addOn' | 'clusterAddOn' | 'issued'> = {
  name: 'certificate-requests',
  api: HUB,
  kind: certificateSigningRequests,
  labelSelector: CLUSTER_NAME_LABEL,
  project(object, intern) {
    const { metadata, spec, status } = object as CertificateSigningRequest;
    const labels = metadata.labels ?? {};
    const step = stepOf(spec.signerName, status);
    return {
      clusterName: intern(labels[CLUSTER_NAME_LABEL] ?? ''),
      addOnName: intern(labels[ADDON_NAME_LABEL] ?? ''),
      signerName: intern(spec.signerName),
      usages: intern(spec.usages ?? []),
      user: intern(spec.username ?? ''),
      groups: intern(spec.groups ?? []),
      credential: requesterCredential(spec.extra),
      createdAt: metadata.creationTimestamp ?? '',
      expirationSeconds: spec.expirationSeconds,
      request: step === 'decide' || step === 'sign' ? spec.request : '',
      certificate: step === 'issued' ? (status?.certificate ?? '') : '',
      conditions: status?.conditions ?? [],
      step,
      ...base(object, intern),
    };
  },
  /**
   * All indexes except `issued` contain only open requests, so that changes of other objects wake only open requests. `issued` contains
   * requests whose certificates must be, or have been, added to the identity record.
   */
  indexes: {
    cluster: ({ clusterName, step }) => (isOpen(step) ? [clusterName] : []),
    addOn: ({ addOnName, step }) => (isOpen(step) && addOnName !== '' ? [addOnName] : []),
    clusterAddOn: ({ clusterName, addOnName, step }) => (isOpen(step) && addOnName !== '' ? [`${clusterName}/${addOnName}`] : []),
    issued: ({ clusterName, step }) => (step === 'issued' || step === 'approved' ? [clusterName] : []),
  },
};

function isOpen(step: RequestStep): boolean {
  return step === 'decide' || step === 'sign';
}

function stepOf(signerName: string, status: CertificateSigningRequest['status']): RequestStep {
  const has = (type: CertificateSigningRequestCondition['type']): boolean =>
    (status?.conditions ?? []).some((condition) => condition.type === type && condition.status !== 'False');
  if (has('Denied') || has('Failed')) return 'done';
  if (!has('Approved')) return 'decide';
  if (signerName === KUBE_CLIENT_SIGNER) return status?.certificate ? 'issued' : 'approved';
  return status?.certificate ? 'done' : 'sign';
}
