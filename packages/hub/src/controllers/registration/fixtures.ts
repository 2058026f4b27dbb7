import { CLIENT_CERTIFICATE_USAGES, KUBE_CLIENT_SIGNER, clusterAgentGroup, clusterAgentUser, defaultSubject } from '@outrigger/api';
import type { ParsedCsr } from '@outrigger/core/x509';
import type { AddOnRequestFacts } from './add-on-rules.js';
import type { ParsedRequest } from './parsed-requests.js';
import type { RequestProjection } from './request.js';

/** A request from the agent of cluster c1 for the add-on hello, with the changes in one row of a test table. */
export function requestOf(changes: Partial<RequestProjection> = {}): RequestProjection {
  const clusterName = changes.clusterName ?? 'c1';
  return {
    key: { name: 'addon-c1-hello-x' },
    uid: 'u',
    resourceVersion: '1',
    clusterName,
    addOnName: 'hello',
    signerName: KUBE_CLIENT_SIGNER,
    usages: CLIENT_CERTIFICATE_USAGES,
    user: clusterAgentUser(clusterName, 'agent'),
    groups: [clusterAgentGroup(clusterName), 'system:authenticated'],
    credential: undefined,
    createdAt: '2026-01-01T00:00:00Z',
    expirationSeconds: undefined,
    request: 'cmVx',
    certificate: '',
    conditions: [],
    step: 'decide',
    ...changes,
  };
}

type Csr = Omit<ParsedCsr, 'publicKey'>;

export interface Asked {
  readonly commonName?: string;
  readonly organizations?: readonly string[];
  readonly units?: readonly string[];
  readonly altNames?: Partial<Csr['altNames']>;
  readonly isCA?: boolean;
  readonly extensions?: readonly string[];
  readonly otherSubjectAttributes?: readonly string[];
  readonly otherAttributes?: readonly string[];
  readonly keyDigest?: string;
}

/** The parsed content of a request for c1 and hello. The subject is the default one, unless a row of a test table overrides it. */
export function parsedOf(asked: Asked = {}, cluster = 'c1', addOn = 'hello'): ParsedRequest {
  const subject = defaultSubject(cluster, addOn);
  const altNames = { dnsNames: [], ips: [], uris: [], emails: [], others: [], ...asked.altNames };
  const hasNames = Object.values(altNames).some((names) => names.length > 0);
  const oids = [...(hasNames ? ['2.5.29.17'] : []), ...(asked.isCA ? ['2.5.29.19'] : []), ...(asked.extensions ?? [])];
  return {
    type: 'readable',
    keyDigest: asked.keyDigest ?? 'key-1',
    csr: {
      subject: {
        commonName: asked.commonName ?? subject.user,
        organizations: asked.organizations ?? subject.groups,
        organizationalUnits: asked.units ?? [],
      },
      otherSubjectAttributes: asked.otherSubjectAttributes ?? [],
      altNames,
      isCA: asked.isCA ?? false,
      extensions: oids.map((oid) => ({ oid, critical: false, value: '' })),
      otherAttributes: asked.otherAttributes ?? [],
    },
  };
}

/** An accepted cluster on which the add-on is installed from a template with both kinds of registration. */
export function factsOf(changes: Partial<AddOnRequestFacts> = {}): AddOnRequestFacts {
  return {
    isOurs: true,
    credential: 'own',
    cluster: { isAccepted: true, isDeleting: false },
    clusterAddOn: { isDeleting: false },
    template: {
      registration: [
        { type: 'KubeClient', kubeClient: {} },
        {
          type: 'CustomSigner',
          customSigner: {
            signerName: 'example.com/own',
            subject: { user: 'own', groups: ['g1', 'g2'], organizationUnit: ['u1'] },
            signingCA: { name: 'ca' },
          },
        },
        { type: 'CustomSigner', customSigner: { signerName: 'example.com/default', signingCA: { name: 'ca' } } },
        {
          type: 'CustomSigner',
          customSigner: { signerName: 'example.com/nameless', subject: { user: '', groups: ['g1'] }, signingCA: { name: 'ca' } },
        },
      ],
    },
    ...changes,
  };
}
