import {
  ADDON_NAME_LABEL,
  CLUSTER_NAME_LABEL,
  type CertificateSigningRequest,
  type CertificateSigningRequestCondition,
  KUBE_CLIENT_SIGNER,
  certificateSigningRequests,
} from '@outrigger/api';
import type { Projected, Resource } from '@outrigger/kube';
import { HUB, base } from '../../resources/base.js';

/** A CertificateSigningRequest that names a cluster. Whatever names none is nobody's business here and never enters the cache. */
export interface RequestRecord extends Projected {
  readonly clusterName: string;
  /** Empty for a request of the cluster's agent for itself. */
  readonly addOnName: string;
  readonly signerName: string;
  readonly usages: readonly string[];
  /** Who asked, as the API server authenticated them. Annotations that claim otherwise are not even kept. */
  readonly user: string;
  readonly groups: readonly string[];
  readonly expirationSeconds: number | undefined;
  /** Base64 of the PEM; empty once there is nothing left to decide or to sign. */
  readonly request: string;
  readonly conditions: readonly CertificateSigningRequestCondition[];
  readonly step: RequestStep;
}

/** `decide`: nobody has decided yet. `sign`: approved, and the signer is not Kubernetes' own. `done`: nothing is left to do. */
export type RequestStep = 'decide' | 'sign' | 'done';

export const requests: Resource<RequestRecord> = {
  name: 'certificate-requests',
  api: HUB,
  kind: certificateSigningRequests,
  labelSelector: CLUSTER_NAME_LABEL,
  project(object, intern) {
    const { metadata, spec, status } = object as CertificateSigningRequest;
    const labels = metadata.labels ?? {};
    const step = stepOf(spec.signerName, status);
    return {
      ...base(object, intern),
      clusterName: intern(labels[CLUSTER_NAME_LABEL] ?? ''),
      addOnName: intern(labels[ADDON_NAME_LABEL] ?? ''),
      signerName: intern(spec.signerName),
      usages: intern(spec.usages ?? []),
      user: intern(spec.username ?? ''),
      groups: intern(spec.groups ?? []),
      expirationSeconds: spec.expirationSeconds,
      request: step === 'done' ? '' : spec.request,
      conditions: status?.conditions ?? [],
      step,
    };
  },
  /** Of requests that still want something, so that a change elsewhere wakes only those. */
  indexes: {
    cluster: ({ clusterName, step }) => (step === 'done' ? [] : [clusterName]),
    addOn: ({ addOnName, step }) => (step === 'done' || addOnName === '' ? [] : [addOnName]),
    clusterAddOn: ({ clusterName, addOnName, step }) => (step === 'done' || addOnName === '' ? [] : [`${clusterName}/${addOnName}`]),
  },
};

function stepOf(signerName: string, status: CertificateSigningRequest['status']): RequestStep {
  const has = (type: CertificateSigningRequestCondition['type']): boolean =>
    (status?.conditions ?? []).some((condition) => condition.type === type && condition.status !== 'False');
  if (has('Denied') || has('Failed')) return 'done';
  if (!has('Approved')) return 'decide';
  return signerName === KUBE_CLIENT_SIGNER || status?.certificate ? 'done' : 'sign';
}
