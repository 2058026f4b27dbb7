import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Http, startEmbedded, startKube, type TestServer } from '../harness/index.js';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const containers = [{ name: 'c', image: 'i:1', resources: { limits: { cpu: '500m' } }, env: [{ name: 'A', value: '1' }] }];
const template = { metadata: { labels: { a: 'b' } }, spec: { containers } };
const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['x'] }];
const rbac = (plural: string): string => `/apis/rbac.authorization.k8s.io/v1/${plural}`;
const authorization = (plural: string): string => `/apis/authorization.k8s.io/v1/${plural}`;
const resourceAttributes = { verb: 'get', resource: 'pods', namespace: 'default' };
const metadata = {
  name: 'it',
  labels: { a: 'b' },
  annotations: { 'example.com/empty': '' },
  finalizers: ['example.com/hold'],
  ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u', controller: true }],
};

/** Paths and objects that programs written with client-go send. */
const SENT: readonly (readonly [path: string, object: object])[] = [
  ['/api/v1/namespaces', { metadata: { name: 'by-protobuf' } }],
  ['/api/v1/namespaces/default/configmaps', { metadata, data: { a: 'b', c: '' }, binaryData: { x: 'AAEC' } }],
  ['/api/v1/namespaces/default/secrets', { metadata, data: { a: 'Yg==' }, type: 'example.com/x', immutable: true }],
  ['/api/v1/namespaces/default/serviceaccounts', { metadata, automountServiceAccountToken: false }],
  [
    '/api/v1/namespaces/default/pods',
    { metadata: { name: 'it' }, spec: { containers, automountServiceAccountToken: false, tolerations: [{ operator: 'Exists' }] } },
  ],
  [
    '/api/v1/namespaces/default/events',
    { metadata: { name: 'it' }, involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' }, reason: 'R', type: 'Normal', count: 3 },
  ],
  [
    '/apis/events.k8s.io/v1/namespaces/default/events',
    {
      metadata: { name: 'it2' },
      regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
      reason: 'R',
      action: 'A',
      type: 'Normal',
      eventTime: '2026-01-01T00:00:00.123456Z',
      reportingController: 'example.com/x',
      reportingInstance: 'i',
      series: { count: 2, lastObservedTime: '2026-01-01T00:00:01.000001Z' },
    },
  ],
  [
    '/apis/coordination.k8s.io/v1/namespaces/default/leases',
    { metadata, spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.123456Z', leaseTransitions: 2 } },
  ],
  [
    '/apis/apps/v1/namespaces/default/deployments',
    {
      metadata: { name: 'it' },
      spec: {
        replicas: 0,
        selector: { matchLabels: { a: 'b' } },
        strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: '10%' } },
        template,
      },
    },
  ],
  ['/apis/apps/v1/namespaces/default/controllerrevisions', { metadata, revision: 7, data: { a: { b: [1, 'x', null] } } }],
  [rbac('clusterroles'), { metadata: { name: 'it' }, rules: [...rules, { verbs: ['get'], nonResourceURLs: ['/x'] }] }],
  [
    rbac('clusterrolebindings'),
    { metadata: { name: 'it' }, roleRef: role, subjects: [{ kind: 'Group', name: 'g', apiGroup: role.apiGroup }] },
  ],
  [rbac('namespaces/default/roles'), { metadata: { name: 'it' }, rules }],
  [
    rbac('namespaces/default/rolebindings'),
    { metadata: { name: 'it' }, roleRef: role, subjects: [{ kind: 'ServiceAccount', name: 's', namespace: 'default' }] },
  ],
  [
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    {
      metadata: { name: 'it' },
      webhooks: [
        {
          name: 'a.example.com',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          clientConfig: { url: 'https://example.com/x', caBundle: 'AAEC' },
          rules: [{ apiGroups: ['x'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['xs'] }],
        },
      ],
    },
  ],
  [authorization('subjectaccessreviews'), { spec: { user: 'ann', groups: ['g'], extra: { k: ['v'] }, resourceAttributes } }],
  [authorization('selfsubjectaccessreviews'), { spec: { resourceAttributes } }],
  ['/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'nonsense', audiences: ['a'] } }],
];

interface Answer {
  readonly status: number;
  readonly bytes: Buffer;
}

describe('protobuf requests and responses of client-go', () => {
  let real: Http;
  let ours: Http;
  let stop: () => Promise<void>;
  const connect = ({ url, caPem, adminCertPem, adminKeyPem }: TestServer): Http =>
    new Http({ url, caPem, certPem: adminCertPem, keyPem: adminKeyPem });
  beforeAll(async () => {
    const [kube, embedded] = await Promise.all([startKube(), startEmbedded()]);
    [real, ours] = [connect(kube), connect(embedded)];
    stop = async () => void (await Promise.all([kube.stop(), embedded.stop()]));
  });
  afterAll(async () => {
    real.close();
    ours.close();
    await stop();
  });

  async function post(http: Http, path: string, body: unknown, headers: Readonly<Record<string, string>>): Promise<Answer> {
    const message = await http.open({ method: 'POST', path: `${path}?dryRun=All`, body, headers });
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    return { status: message.statusCode ?? 0, bytes: Buffer.concat(chunks) };
  }

  it.each(SENT)('%s', async (path, object) => {
    // The real server encodes the object as protobuf, with its own defaults. Our server must decode it to the same object as from JSON.
    const written = await post(real, path, object, { accept: PROTOBUF });
    expect([written.status, written.bytes.subarray(0, 4).toString()]).toEqual([201, 'k8s\0']);
    const read = await post(ours, path, written.bytes, { 'content-type': PROTOBUF });
    expect([read.status, read.bytes.toString()]).toEqual([201, expect.anything()]);
    const plain = await post(ours, path, JSON.stringify(object), {});
    expect(comparable(read)).toMatchObject(comparable(plain));
    // In the other direction, a real server must decode our protobuf to the same object that we return as JSON.
    const answered = await post(ours, path, JSON.stringify(object), { accept: `${PROTOBUF},application/json` });
    expect([answered.status, answered.bytes.subarray(0, 4).toString()]).toEqual([201, 'k8s\0']);
    const understood = await post(real, path, answered.bytes, { 'content-type': PROTOBUF });
    expect([understood.status, understood.bytes.toString()]).toEqual([201, expect.anything()]);
    expect(comparable(understood)).toEqual(comparable(await post(real, path, plain.bytes, {})));
  });
});

/** Returns the object without the fields that the server generates for every new object. */
function comparable({ bytes }: Answer): object {
  const object = JSON.parse(bytes.toString()) as { metadata: Record<string, unknown> };
  const { uid: _, creationTimestamp: __, managedFields: ___, ...kept } = object.metadata;
  return { ...object, metadata: kept };
}
