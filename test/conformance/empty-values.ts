import { describe, expect, it } from 'vitest';
import type { Meta, Obj } from './api.js';
import { ownNamespace, type Subject, unique } from './subject.js';
import { widgetDefinition } from './widgets.js';

const container = { name: 'c', image: 'i:1' };
const emptyContainer = {
  imagePullPolicy: '',
  terminationMessagePath: '',
  terminationMessagePolicy: '',
  workingDir: '',
  command: [],
  args: [],
  env: [],
  envFrom: [],
  volumeMounts: [],
  stdin: false,
  tty: false,
};
const probe = { httpGet: { port: 80 } };
const emptyProbe = {
  httpGet: { port: 80, path: '', host: '', scheme: '', httpHeaders: [] },
  initialDelaySeconds: 0,
  timeoutSeconds: 0,
  periodSeconds: 0,
  successThreshold: 0,
  failureThreshold: 0,
};
const emptyPod = {
  restartPolicy: '',
  dnsPolicy: '',
  serviceAccountName: '',
  schedulerName: '',
  nodeName: '',
  nodeSelector: {},
  hostNetwork: false,
  hostPID: false,
  volumes: [],
  initContainers: [],
  tolerations: [],
  imagePullSecrets: [],
};
const emptyMetadata = { name: '', labels: {}, annotations: {}, finalizers: [], ownerReferences: [], creationTimestamp: null };
const selector = { matchLabels: { a: 'b' } };
const labelled = { labels: { a: 'b' } };
const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
const path = { path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } };
const hook = {
  name: 'a.example.com',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  clientConfig: { url: 'https://example.com/x' },
};

/** Collections, objects, and the same objects with further fields that are empty. */
const emptyIn = (namespace: string): readonly (readonly [collection: string, object: object, withEmpty: object])[] => [
  ['v1/configmaps', {}, { metadata: emptyMetadata, data: {}, binaryData: {} }],
  ['v1/secrets', {}, { data: {}, stringData: {}, type: '' }],
  ['v1/serviceaccounts', {}, { secrets: [], imagePullSecrets: [] }],
  [
    'v1/services',
    { spec: { ports: [{ port: 80 }] } },
    {
      spec: {
        type: '',
        clusterIP: '',
        clusterIPs: [],
        sessionAffinity: '',
        externalName: '',
        externalTrafficPolicy: '',
        publishNotReadyAddresses: false,
        selector: {},
        externalIPs: [],
        loadBalancerSourceRanges: [],
        ipFamilies: [],
        ports: [{ port: 80, protocol: '', name: '', nodePort: 0 }],
      },
    },
  ],
  [
    'apps/v1/deployments',
    { spec: { selector, template: { metadata: labelled, spec: { containers: [{ ...container, livenessProbe: probe }] } } } },
    {
      spec: {
        selector: { ...selector, matchExpressions: [] },
        paused: false,
        minReadySeconds: 0,
        strategy: { type: '' },
        template: {
          metadata: { ...emptyMetadata, ...labelled },
          spec: { ...emptyPod, containers: [{ ...container, ...emptyContainer, livenessProbe: emptyProbe }] },
        },
      },
    },
  ],
  [
    'batch/v1/cronjobs',
    { spec: { schedule: '@daily', jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } } } },
    {
      spec: {
        schedule: '@daily',
        concurrencyPolicy: '',
        jobTemplate: {
          metadata: emptyMetadata,
          spec: { template: { spec: { ...emptyPod, restartPolicy: 'Never', containers: [{ ...container, ...emptyContainer }] } } },
        },
      },
    },
  ],
  [
    'networking.k8s.io/v1/ingresses',
    { spec: { rules: [{ http: { paths: [path] } }] } },
    { spec: { tls: [], rules: [{ host: '', http: { paths: [path] } }] } },
  ],
  [
    'networking.k8s.io/v1/networkpolicies',
    { spec: { podSelector: {} } },
    { spec: { podSelector: { matchLabels: {}, matchExpressions: [] }, ingress: [], egress: [], policyTypes: [] } },
  ],
  [
    'rbac.authorization.k8s.io/v1/rolebindings',
    { roleRef: role, subjects: [{ kind: 'User', name: 'ann' }] },
    { roleRef: role, subjects: [{ kind: 'User', name: 'ann', apiGroup: '', namespace: '' }] },
  ],
  [
    'v1/endpoints',
    { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }] },
    { subsets: [{ addresses: [{ ip: '10.0.0.1', hostname: '' }], notReadyAddresses: [], ports: [{ port: 80, name: '', protocol: '' }] }] },
  ],
  [
    'v1/events',
    { involvedObject: { namespace } },
    { involvedObject: { namespace, kind: '', name: '' }, reason: '', message: '', count: 0, source: { component: '' } },
  ],
];

const CLUSTER_SCOPED: readonly (readonly [collection: string, object: object, withEmpty: object])[] = [
  [
    'v1/persistentvolumes',
    { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], nfs: { server: 's', path: '/x' } } },
    {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        nfs: { server: 's', path: '/x', readOnly: false },
        persistentVolumeReclaimPolicy: '',
        storageClassName: '',
        mountOptions: [],
      },
    },
  ],
  [
    'storage.k8s.io/v1/storageclasses',
    { provisioner: 'a.example.com/b' },
    { provisioner: 'a.example.com/b', parameters: {}, mountOptions: [], allowedTopologies: [] },
  ],
  ['scheduling.k8s.io/v1/priorityclasses', { value: 1 }, { value: 1, globalDefault: false, description: '' }],
  [
    'admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    { webhooks: [hook] },
    { webhooks: [{ ...hook, rules: [], matchConditions: [], clientConfig: { ...hook.clientConfig, caBundle: '' } }] },
  ],
];

/**
 * Tests empty values of built-in kinds. A Go server reads them as absent if it does not write them: they are not stored, they get defaults,
 * and they have no owner.
 */
export function emptyValues(subject: Subject): void {
  describe('empty values of built-in kinds', () => {
    const ns = ownNamespace(subject, 'empty');
    const place = (collection: string, isNamespaced: boolean): string => {
      const [plural = '', ...version] = collection.split('/').reverse();
      const root = version.length === 1 ? '/api/v1' : `/apis/${version.reverse().join('/')}`;
      return `${root}/${isNamespaced ? `namespaces/${ns.name}/` : ''}${plural}`;
    };

    it.each([
      ...emptyIn(ns.name).map(([collection, ...objects]) => [collection, true, ...objects] as const),
      ...CLUSTER_SCOPED.map(([collection, ...objects]) => [collection, false, ...objects] as const),
    ])('are absent: %s', async (collection, isNamespaced, object, withEmpty) => {
      const at = `${place(collection, isNamespaced)}?dryRun=All`;
      const name = unique('e');
      const created = async (body: object): Promise<object> => {
        const { metadata = {} } = body as { readonly metadata?: object };
        return comparable(await subject.admin.create(at, { ...body, metadata: { ...metadata, name } }));
      };
      expect(await created(withEmpty)).toEqual(await created(object));
    });
    it('are absent in definitions of kinds', async () => {
      const names = { plural: 'widgets', kind: 'Widget' };
      const group = `${unique('e')}.example.com`;
      const definition = widgetDefinition(group, [{ name: 'v1', schema: {} }]) as {
        readonly spec: { readonly versions: readonly object[] };
      };
      const versions = definition.spec.versions.map((version) => ({ ...version, deprecated: false, additionalPrinterColumns: [] }));
      const spec = { ...definition.spec, names: { ...names, shortNames: [], categories: [] }, preserveUnknownFields: false, versions };
      const answer = await subject.admin.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All', {
        ...definition,
        spec,
      });
      expect(answer.status).toBe(201);
      for (const field of ['shortNames', 'categories', 'preserveUnknownFields', '"deprecated"', 'additionalPrinterColumns'])
        expect(JSON.stringify(answer.body.spec)).not.toContain(field);
    });
    it('are absent after an update, a patch and an apply, but owned by the manager that applied them', async () => {
      const maps = ns.path('configmaps');
      await subject.admin.create(maps, { metadata: { name: 'written', labels: { a: 'b' } }, data: { a: 'b' } });
      const put = await subject.admin.put(`${maps}/written`, { metadata: { name: 'written', labels: {} }, data: {}, immutable: false });
      expect(Object.keys(put.body)).not.toContain('data');
      expect(put.body.metadata).not.toHaveProperty('labels');
      expect(put.body).toHaveProperty('immutable', false);
      const patched = await subject.admin.patch('json', `${maps}/written`, [{ op: 'add', path: '/binaryData', value: {} }]);
      expect([patched.status, patched.body.metadata.resourceVersion]).toEqual([200, put.body.metadata.resourceVersion]);
      const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'written' }, data: {} };
      const { body } = await subject.admin.patch('apply', `${maps}/written?fieldManager=m`, applied);
      expect(Object.keys(body)).not.toContain('data');
      expect(body.metadata.managedFields.find(({ manager }) => manager === 'm')?.fieldsV1).toEqual({ 'f:data': {} });
    });
    it.each<[string, object]>([
      ['a text for a map', { data: '' }],
      ['a text for a flag', { immutable: '' }],
      ['a number for a map', { data: 0 }],
    ])('of another type are refused: %s', async (_title, fields) => {
      expect(await subject.admin.post(ns.path('configmaps'), { metadata: { name: 'typed' }, ...fields })).toMatchObject({ status: 400 });
    });
  });
}

/** Returns the object without the fields that the server generates for every new object. */
function comparable({ metadata, spec, ...rest }: Obj): object {
  const { uid: _, creationTimestamp: __, managedFields, ...kept }: Partial<Meta> = metadata;
  const { clusterIP: ___, clusterIPs: ____, ...own } = spec ?? {};
  return { ...rest, metadata: kept, owners: managedFields?.map(({ fieldsV1 }) => fieldsV1), spec: own };
}
