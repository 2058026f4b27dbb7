import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { certificateRequest } from '../harness/certificates.js';
import { type Answer, eventually, type Obj } from './api.js';
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
    const block = (der: Buffer, label = 'CERTIFICATE REQUEST'): string =>
      `-----BEGIN ${label}-----\n${der.toString('base64')}\n-----END ${label}-----\n`;
    const der = (): Buffer => Buffer.from(Buffer.from(request, 'base64').toString().split('\n').slice(1, -2).join(''), 'base64');
    const damaged: readonly [name: string, pem: () => string][] = [
      ['a block of garbage', () => block(Buffer.from('garbage'))],
      ['an empty block', () => block(Buffer.alloc(0))],
      ['a block that is not base64', () => '-----BEGIN CERTIFICATE REQUEST-----\n!!!!\n-----END CERTIFICATE REQUEST-----\n'],
      ['a request with a byte of its signature changed', () => block(Buffer.concat([der().subarray(0, -3), Buffer.from([0, 1, 2])]))],
      ['a truncated request', () => block(der().subarray(0, -20))],
      ['a request with a byte after it', () => block(Buffer.concat([der(), Buffer.from([0])]))],
      ['a block with another label', () => block(der(), 'CERTIFICATE')],
      ['a block with the label of old tools', () => block(der(), 'NEW CERTIFICATE REQUEST')],
    ];
    it.each(
      damaged.flatMap(([name, pem]) =>
        ['example.com/none', 'kubernetes.io/kube-apiserver-client'].map((signer) => [name, signer, pem] as const),
      ),
    )('are refused for %s, to the signer %s', async (_name, signerName, pem) => {
      const answer = await subject.admin.post(CSRS, {
        metadata: { name: unique('csr') },
        spec: { request: Buffer.from(pem()).toString('base64'), signerName, usages: ['client auth'] },
      });
      expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
      expect(answer.body.details.causes.map(({ field }) => field)).toEqual(['spec.request']);
    });
    it.each<[name: string, fields: object, status: number, message: RegExp]>([
      [
        'an unknown usage',
        { usages: ['anything'] },
        422,
        /spec\.usages\[0\]: Unsupported value: "anything": supported values: "any", "cert sign"/,
      ],
      ['no usage', { usages: [] }, 422, /spec\.usages: Required value/],
      ['a lifetime of 599 s', { expirationSeconds: 599 }, 422, /may not specify a duration less than 600 seconds/],
      ['a lifetime of 0 s', { expirationSeconds: 0 }, 422, /may not specify a duration less than 600 seconds/],
      ['a negative lifetime', { expirationSeconds: -1 }, 422, /may not specify a duration less than 600 seconds/],
      [
        'a lifetime of more than 32 bits',
        { expirationSeconds: 2 ** 31 },
        400,
        /cannot unmarshal number 2147483648 into Go .* of type int32/,
      ],
      ['a lifetime with a fraction', { expirationSeconds: 600.5 }, 400, /cannot unmarshal number 600\.5 into Go .* of type int32/],
      ['a request that is not base64', { request: '!!' }, 400, /illegal base64 data/],
    ])('are refused with %s', async (_name, fields, code, message) => {
      const answer = await subject.admin.post(CSRS, {
        metadata: { name: unique('csr') },
        spec: { request, signerName: 'example.com/none', usages: ['client auth'], ...fields },
      });
      expect([answer.status, answer.body.message]).toEqual([code, expect.stringMatching(message) as string]);
    });
    describe('a decision', () => {
      const is = (type: string, value = 'True'): object => ({ type, status: value, reason: 'Test', message: 'm' });
      const write = async (part: string, before: object, next: object): Promise<Answer> => {
        const csr = await create({ signerName: 'example.com/none' });
        const path = `${CSRS}/${csr.metadata.name}`;
        const { conditions, certificate } = before as Status;
        if (conditions)
          await subject.admin.put(`${path}/approval`, {
            ...csr,
            status: { conditions: conditions.filter(({ type }) => type !== 'Failed') },
          });
        if (certificate !== undefined || conditions?.some(({ type }) => type === 'Failed')) {
          const { body } = await subject.admin.get(path);
          await subject.admin.put(`${path}/status`, { ...body, status: { ...(body.status as object), ...before } });
        }
        const { body } = await subject.admin.get(path);
        expect(body.status).toMatchObject(before);
        return subject.admin.put(`${path}${part}`, { ...body, status: next });
      };
      const approved = { conditions: [is('Approved')] };
      const rows: readonly [name: string, part: string, before: object, next: () => object, message: RegExp][] = [
        [
          'has no status but True',
          '/approval',
          {},
          () => ({ conditions: [is('Approved', 'False')] }),
          /conditions\[0\]\.status: Unsupported value: "False": supported values: "True"/,
        ],
        ['has a status', '/approval', {}, () => ({ conditions: [is('Denied', '')] }), /conditions\[0\]\.status: Required value/],
        ['has a type', '/approval', {}, () => ({ conditions: [is('')] }), /conditions\[0\]\.type: Required value/],
        [
          'of another type has a known status',
          '/approval',
          {},
          () => ({ conditions: [is('Other', 'maybe')] }),
          /supported values: "False", "True", "Unknown"/,
        ],
        [
          'is made once',
          '/approval',
          {},
          () => ({ conditions: [is('Approved'), is('Approved')] }),
          /conditions\[1\]\.type: Duplicate value: "Approved"/,
        ],
        ['is not removed', '/approval', approved, () => ({}), /may not remove a condition of type "Approved"/],
        ['is not added through status', '/status', {}, () => approved, /may not add a condition of type "Approved"/],
        [
          'of failure is True',
          '/status',
          {},
          () => ({ conditions: [is('Failed', 'False')] }),
          /Unsupported value: "False": supported values: "True"/,
        ],
        ['of failure is not removed', '/status', { conditions: [is('Failed')] }, () => ({}), /may not remove a condition of type "Failed"/],
        [
          'brings no garbage as a certificate',
          '/status',
          {},
          () => ({ certificate: Buffer.from('garbage').toString('base64') }),
          /must contain at least one CERTIFICATE PEM block/,
        ],
        [
          'brings no other block as a certificate',
          '/status',
          {},
          () => ({ certificate: request }),
          /only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"/,
        ],
      ];
      it.each(rows)('%s', async (_name, part, before, next, message) => {
        const answer = await write(part, before, next());
        expect([answer.status, answer.body.message]).toEqual([422, expect.stringMatching(message) as string]);
      });
      it.each(['changed', 'removed'])('whose certificate is set is not %s', async (verb) => {
        const certificate = Buffer.from(subject.server.caPem).toString('base64');
        const other = Buffer.from(subject.server.caPem + subject.server.caPem).toString('base64');
        const answer = await write('/status', { certificate }, verb === 'changed' ? { certificate: other } : {});
        expect([answer.status, answer.body.message]).toEqual([
          422,
          expect.stringContaining('status.certificate: Forbidden: updates may not modify existing certificate content') as string,
        ]);
      });
    });
    it('are refused without a signer or usages', async () => {
      const answer = await subject.admin.post(CSRS, { metadata: { name: unique('csr') }, spec: { request } });
      expect(answer.status).toBe(422);
      expect(answer.body.details.causes.map(({ field }) => field).sort()).toEqual(['spec.signerName', 'spec.usages']);
    });
    it('may not request the group system:masters', async () => {
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
