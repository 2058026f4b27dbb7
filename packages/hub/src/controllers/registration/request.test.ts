import { type CertificateSigningRequest, CLUSTER_NAME_LABEL, CSR_USER_ANNOTATION, KUBE_CLIENT_SIGNER } from '@outrigger/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Change } from '@outrigger/kube';
import { viewOf } from '@outrigger/kube/testing';
import { type RequestProjection, requests } from './request.js';
import { wakeByRequest } from './wake.js';

const REQUEST: CertificateSigningRequest = {
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: {
    name: 'r',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { [CLUSTER_NAME_LABEL]: 'c1' },
  },
  spec: {
    request: 'cmVx',
    signerName: KUBE_CLIENT_SIGNER,
    usages: ['client auth'],
    username: 'jane',
    groups: ['system:authenticated'],
    extra: { 'authentication.kubernetes.io/credential-id': ['X509SHA256=ab'] },
  },
};
const project = (request: CertificateSigningRequest): unknown => requests.project(request, (value) => value);

describe('a certificate request as the rules see it', () => {
  it('AT-11 has the requester the API server authenticated, whatever annotations and status claim', () => {
    const annotations = fc.dictionary(
      fc.oneof(fc.constantFrom(CSR_USER_ANNOTATION, 'username', 'open-cluster-management.io/csruser', 'spec.username'), fc.string()),
      fc.string(),
    );
    fc.assert(
      fc.property(annotations, fc.jsonValue(), (claimed, status) => {
        const { metadata } = REQUEST;
        const conditions = { conditions: [], claimed: status } as unknown as NonNullable<CertificateSigningRequest['status']>;
        const forged = {
          ...REQUEST,
          metadata: { ...metadata, annotations: claimed, managedFields: [{ manager: 'jane' }] },
          status: conditions,
        };
        expect(project(forged)).toEqual(project(REQUEST));
      }),
    );
  });

  it.each<{ name: string; signer?: string; types: readonly string[]; certificate?: string; want: string }>([
    { name: 'open', types: [], want: 'decide' },
    { name: 'approved, for the API server’s signer', types: ['Approved'], want: 'approved' },
    { name: 'issued by the API server’s signer', types: ['Approved'], certificate: 'Y2VydA==', want: 'issued' },
    { name: 'approved, for a signer of a template', signer: 'example.com/s', types: ['Approved'], want: 'sign' },
    { name: 'issued by a signer of a template', signer: 'example.com/s', types: ['Approved'], certificate: 'Y2VydA==', want: 'done' },
    { name: 'denied', types: ['Denied'], want: 'done' },
    { name: 'denied after it was approved', types: ['Approved', 'Denied'], want: 'done' },
    { name: 'failed', types: ['Approved', 'Failed'], want: 'done' },
    { name: 'not approved, with a certificate all the same', types: [], certificate: 'Y2VydA==', want: 'decide' },
  ])('is at the step $want when it is $name', ({ signer = KUBE_CLIENT_SIGNER, types, certificate, want }) => {
    const conditions = types.map((type) => ({ type, status: 'True' })) as never;
    const object = {
      ...REQUEST,
      spec: { ...REQUEST.spec, signerName: signer },
      status: { conditions, ...(certificate ? { certificate } : {}) },
    };
    expect(project(object)).toMatchObject({ step: want, certificate: want === 'issued' ? certificate : '' });
  });
});

describe('AT-51 requests that wait until a certificate is recorded', () => {
  const approved = { type: 'Approved', status: 'True' } as const;
  const open: CertificateSigningRequest = { ...REQUEST, metadata: { ...REQUEST.metadata, name: 'waiting' } };
  const other: CertificateSigningRequest = {
    ...REQUEST,
    metadata: { ...REQUEST.metadata, name: 'other' },
    status: { conditions: [approved] },
  };
  const failed: CertificateSigningRequest = { ...other, status: { conditions: [approved, { type: 'Failed', status: 'True' }] } };
  const view = viewOf([requests, [open]]);
  const woken = (before: CertificateSigningRequest, after?: CertificateSigningRequest): readonly string[] =>
    wakeByRequest(
      {
        before: project(before) as RequestProjection,
        ...(after ? { after: project(after) as RequestProjection } : {}),
      } as Change<RequestProjection>,
      view,
    ).map(({ name }) => name);

  it('are checked again if none arrives', () => {
    expect(woken(other, failed)).toContain('waiting');
    expect(woken(other)).toContain('waiting');
  });

  it('are left alone while one may come', () => {
    expect(woken(other, { ...other, status: { conditions: [approved], certificate: 'Y2VydA==' } })).toEqual(['other']);
  });
});
