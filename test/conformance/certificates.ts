import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { certificateRequest } from '../harness/certificates.js';
import { eventually, type Obj } from './api.js';
import { type Subject, unique } from './subject.js';

const CSRS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

interface Status {
  readonly certificate?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
}

export function certificates(subject: Subject): void {
  describe('certificate signing requests', () => {
    let request: string;
    beforeAll(async () => {
      request = await certificateRequest('/O=people/CN=ann');
    });
    const create = (fields: object = {}): Promise<Obj> =>
      subject.admin.create(CSRS, {
        metadata: { name: unique('csr') },
        spec: { request, signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth', 'digital signature'], ...fields },
      });
    const decide = (csr: Obj, type: string): ReturnType<typeof subject.admin.put> =>
      subject.admin.put(`${CSRS}/${csr.metadata.name}/approval`, {
        ...csr,
        status: { conditions: [{ type, status: 'True', reason: 'Test', message: 'decided in a test' }] },
      });
    const status = async (csr: Obj): Promise<Status> => (await subject.admin.get(`${CSRS}/${csr.metadata.name}`)).body.status as Status;

    it('name the requester, whatever the caller claims', async () => {
      const csr = await create({ username: 'somebody-else', groups: ['system:nodes'] });
      expect(csr.spec).toMatchObject({ username: 'admin' });
      expect(csr.spec['groups']).toEqual(expect.arrayContaining(['system:masters', 'system:authenticated']) as string[]);
    });
    it('are signed once they are approved', async () => {
      const csr = await create();
      expect((await decide(csr, 'Approved')).status).toBe(200);
      const signed = await eventually(async () => {
        const { certificate } = await status(csr);
        expect(certificate).toBeTruthy();
        return new X509Certificate(Buffer.from(certificate ?? '', 'base64'));
      });
      expect(signed.subject).toBe('O=people\nCN=ann');
      expect(signed.verify(new X509Certificate(subject.server.caPem).publicKey)).toBe(true);
    });
    it('are not signed when they are denied', async () => {
      const csr = await create();
      await decide(csr, 'Denied');
      const { certificate, conditions } = await status(csr);
      expect(certificate).toBeUndefined();
      expect(conditions).toMatchObject([{ type: 'Denied', status: 'True' }]);
    });
    it('cannot be both approved and denied', async () => {
      const csr = await create({ signerName: 'example.com/none' });
      await decide(csr, 'Approved');
      const { body } = await subject.admin.get(`${CSRS}/${csr.metadata.name}`);
      expect((await decide({ ...body, status: undefined }, 'Denied')).status).toBe(422);
    });
    it('cannot be both in one decision either', async () => {
      const csr = await create({ signerName: 'example.com/none' });
      const conditions = ['Denied', 'Approved'].map((type) => ({ type, status: 'True', reason: 'Test', message: '' }));
      const { body } = await subject.admin.put(`${CSRS}/${csr.metadata.name}/approval`, { ...csr, status: { conditions } });
      expect(body).toMatchObject({
        message: expect.stringContaining(
          'status.conditions: Invalid value: "Approved": Approved and Denied conditions are mutually exclusive',
        ) as string,
      });
    });
    it.each([
      ['', 'Required value'],
      ['bad', 'Invalid value: "bad": must be a fully qualified domain and path of the form \'example.com/signer-name\''],
      ['example.com/a/b', 'Invalid value: "example.com/a/b": must be a fully qualified domain and path'],
      ['a/b', 'Invalid value: "a": should be a domain with at least two segments separated by dots'],
      ['Example.com/a', 'Invalid value: "Example.com": validating label "Example": a lowercase RFC 1123 label'],
      ['example.com/', 'Invalid value: "": validating label "": a lowercase RFC 1123 subdomain'],
      [
        'kubernetes.io/legacy-unknown',
        'Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
      ],
    ])('go to no signer called "%s"', async (signerName, why) => {
      const { status: code, body } = await subject.admin.post(CSRS, {
        metadata: { name: unique('csr') },
        spec: { request, signerName, usages: ['client auth'] },
      });
      expect([code, body.message]).toEqual([422, expect.stringContaining(`spec.signerName: ${why}`) as string]);
    });
    it('name each usage once', async () => {
      const { status: code, body } = await subject.admin.post(CSRS, {
        metadata: { name: unique('csr') },
        spec: { request, signerName: 'example.com/none', usages: ['client auth', 'client auth'] },
      });
      expect([code, body.message]).toEqual([422, expect.stringContaining('spec.usages[1]: Duplicate value: "client auth"') as string]);
    });
    it('are not approved by a status in the request to create them', async () => {
      const conditions = [{ type: 'Approved', status: 'True', reason: 'Me', message: 'me' }];
      const csr = await subject.admin.create(CSRS, {
        metadata: { name: unique('csr') },
        spec: { request, signerName: 'example.com/none', usages: ['client auth'] },
        status: { conditions },
      });
      expect((await status(csr)).conditions).toBeUndefined();
    });
    it('cannot be approved through the status path', async () => {
      const csr = await create({ signerName: 'example.com/none' });
      const conditions = [{ type: 'Approved', status: 'True', reason: 'Me', message: 'me' }];
      await subject.admin.put(`${CSRS}/${csr.metadata.name}/status`, { ...csr, status: { conditions } });
      expect((await status(csr)).conditions).toBeUndefined();
    });
    it('keep their spec as it was', async () => {
      const csr = await create();
      const answer = await subject.admin.put(`${CSRS}/${csr.metadata.name}`, { ...csr, spec: { ...csr.spec, usages: ['server auth'] } });
      expect(answer.body.spec?.['usages'] ?? csr.spec['usages']).toEqual(['client auth', 'digital signature']);
    });
    it('are refused when they are not a certificate request', async () => {
      const answer = await subject.admin.post(CSRS, {
        metadata: { name: unique('csr') },
        spec: { request: Buffer.from('nonsense').toString('base64'), signerName: 'example.com/x', usages: ['client auth'] },
      });
      expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
      expect(answer.body.details.causes.map(({ field }) => field)).toContain('spec.request');
    });
    it('are refused without a signer or usages', async () => {
      const answer = await subject.admin.post(CSRS, { metadata: { name: unique('csr') }, spec: { request } });
      expect(answer.status).toBe(422);
      expect(answer.body.details.causes.map(({ field }) => field).sort()).toEqual(['spec.signerName', 'spec.usages']);
    });
    it('may not ask to become a master', async () => {
      const answer = await subject.admin.post(CSRS, {
        metadata: { name: unique('csr') },
        spec: {
          request: await certificateRequest('/O=system:masters/CN=eve'),
          signerName: 'kubernetes.io/kube-apiserver-client',
          usages: ['client auth'],
        },
      });
      expect(answer).toMatchObject({ status: 403, body: { reason: 'Forbidden' } });
      expect(answer.body.message).toContain('use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed');
    });
    it('are refused approval by a user who may not approve for the signer', async () => {
      const csr = await create();
      const approver = await subject.as('half-approver');
      const role = unique('half-approver');
      await subject.admin.create('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
        metadata: { name: role },
        rules: [{ apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests/approval'], verbs: ['update'] }],
      });
      await subject.admin.create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
        metadata: { name: role },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'half-approver' }],
      });
      const approval = { ...csr, status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Me', message: 'me' }] } };
      await eventually(async () => {
        const answer = await approver.put(`${CSRS}/${csr.metadata.name}/approval`, approval);
        expect(answer.status).toBe(403);
        expect(answer.body.message).toContain(
          'user not permitted to approve requests with signerName "kubernetes.io/kube-apiserver-client"',
        );
      });
    });
  });
}
