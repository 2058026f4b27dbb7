import { describe, expect, it } from 'vitest';
import { eventually } from './api.js';
import { ownNamespace, type Subject, unique } from './subject.js';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const STORAGE = 'storage.k8s.io/v1';
const FLOW = 'flowcontrol.apiserver.k8s.io/v1';
const DEVICES = 'resource.k8s.io/v1';

interface KindCase {
  readonly groupVersion: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced?: boolean;
  readonly body: object;
  /** The fields that the server adds. */
  readonly stored: object;
  readonly columns: readonly string[];
  readonly cells: readonly unknown[];
  readonly name?: string;
}

const AGE = expect.stringMatching(/^\d+s$/) as string;
const NAME = expect.any(String) as string;
const addresses = (): string => `10.96.${Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}`;

const KINDS: readonly KindCase[] = [
  {
    groupVersion: STORAGE,
    plural: 'csidrivers',
    kind: 'CSIDriver',
    body: { spec: {} },
    stored: {
      spec: { attachRequired: true, podInfoOnMount: false, fsGroupPolicy: 'ReadWriteOnceWithFSType', volumeLifecycleModes: ['Persistent'] },
    },
    columns: ['Name', 'AttachRequired', 'PodInfoOnMount', 'StorageCapacity', 'TokenRequests', 'RequiresRepublish', 'Modes', 'Age'],
    cells: [NAME, true, false, false, '<unset>', false, 'Persistent', AGE],
  },
  {
    groupVersion: STORAGE,
    plural: 'csinodes',
    kind: 'CSINode',
    body: { spec: { drivers: [{ name: 'a.example.com', nodeID: 'n1' }] } },
    stored: { spec: { drivers: [{ name: 'a.example.com', nodeID: 'n1' }] } },
    columns: ['Name', 'Drivers', 'Age'],
    cells: [NAME, 1, AGE],
  },
  {
    groupVersion: STORAGE,
    plural: 'csistoragecapacities',
    kind: 'CSIStorageCapacity',
    namespaced: true,
    body: { storageClassName: 'fast', capacity: '1Gi', nodeTopology: {} },
    stored: { capacity: '1Gi' },
    columns: ['Name', 'Created At'],
    cells: [NAME, expect.any(String)],
  },
  {
    groupVersion: STORAGE,
    plural: 'volumeattachments',
    kind: 'VolumeAttachment',
    body: { spec: { attacher: 'a.example.com', nodeName: 'n1', source: { persistentVolumeName: 'pv1' } } },
    stored: { status: { attached: false } },
    columns: ['Name', 'Attacher', 'PV', 'Node', 'Attached', 'Age'],
    cells: [NAME, 'a.example.com', 'pv1', 'n1', false, AGE],
  },
  {
    groupVersion: STORAGE,
    plural: 'volumeattributesclasses',
    kind: 'VolumeAttributesClass',
    body: { driverName: 'a.example.com', parameters: { a: 'b' } },
    stored: {},
    columns: ['Name', 'DriverName', 'Age'],
    cells: [NAME, 'a.example.com', AGE],
  },
  {
    groupVersion: 'networking.k8s.io/v1',
    plural: 'servicecidrs',
    kind: 'ServiceCIDR',
    body: { spec: { cidrs: ['10.97.0.0/16'] } },
    stored: {},
    columns: ['Name', 'CIDRs', 'Age'],
    cells: [NAME, '10.97.0.0/16', AGE],
  },
  {
    groupVersion: 'networking.k8s.io/v1',
    plural: 'ipaddresses',
    kind: 'IPAddress',
    name: addresses(),
    body: { spec: { parentRef: { resource: 'services', namespace: 'default', name: 'kubernetes' } } },
    stored: {},
    columns: ['Name', 'ParentRef'],
    cells: [NAME, 'services/default/kubernetes'],
  },
  {
    groupVersion: FLOW,
    plural: 'flowschemas',
    kind: 'FlowSchema',
    body: { spec: { priorityLevelConfiguration: { name: 'global-default' } } },
    stored: { metadata: { generation: 1 }, spec: { matchingPrecedence: 1000 } },
    columns: ['Name', 'PriorityLevel', 'MatchingPrecedence', 'DistinguisherMethod', 'Age', 'MissingPL'],
    cells: [NAME, 'global-default', 1000, '<none>', AGE, expect.any(String)],
  },
  {
    groupVersion: FLOW,
    plural: 'prioritylevelconfigurations',
    kind: 'PriorityLevelConfiguration',
    body: { spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } } },
    stored: {
      metadata: { generation: 1 },
      spec: {
        limited: {
          nominalConcurrencyShares: 30,
          lendablePercent: 0,
          limitResponse: { queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
        },
      },
    },
    columns: ['Name', 'Type', 'NominalConcurrencyShares', 'Queues', 'HandSize', 'QueueLengthLimit', 'Age'],
    cells: [NAME, 'Limited', expect.anything(), expect.anything(), expect.anything(), expect.anything(), AGE],
  },
  {
    groupVersion: DEVICES,
    plural: 'deviceclasses',
    kind: 'DeviceClass',
    body: { spec: {} },
    stored: {},
    columns: ['Name', 'Age'],
    cells: [NAME, AGE],
  },
  {
    groupVersion: DEVICES,
    plural: 'resourceclaims',
    kind: 'ResourceClaim',
    namespaced: true,
    body: { spec: { devices: { requests: [{ name: 'a', exactly: { deviceClassName: 'gpu.example.com' } }] } } },
    stored: { spec: { devices: { requests: [{ name: 'a', exactly: { allocationMode: 'ExactCount', count: 1 } }] } } },
    columns: ['Name', 'State', 'Age'],
    cells: [NAME, 'pending', AGE],
  },
  {
    groupVersion: DEVICES,
    plural: 'resourceclaimtemplates',
    kind: 'ResourceClaimTemplate',
    namespaced: true,
    body: { spec: { spec: { devices: { requests: [{ name: 'a', exactly: { deviceClassName: 'gpu.example.com' } }] } } } },
    stored: { spec: { spec: { devices: { requests: [{ exactly: { allocationMode: 'ExactCount', count: 1 } }] } } } },
    columns: ['Name', 'Age'],
    cells: [NAME, AGE],
  },
  {
    groupVersion: DEVICES,
    plural: 'resourceslices',
    kind: 'ResourceSlice',
    body: { spec: { driver: 'a.example.com', nodeName: 'n1', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } } },
    stored: {},
    columns: ['Name', 'Node', 'Driver', 'Pool', 'Age'],
    cells: [NAME, 'n1', 'a.example.com', 'p', AGE],
  },
];

/** Tests the kinds for storage, autoscaling, request priorities, addresses and devices, which the server stores, defaults and prints. */
export function moreKinds(subject: Subject): void {
  describe('kinds of storage, priorities, addresses and devices', () => {
    const ns = ownNamespace(subject, 'more');
    it.each(KINDS)(
      '$groupVersion $plural',
      async ({ groupVersion, plural, kind, namespaced, body, stored, columns, cells, name: fixed }) => {
        const path = `/apis/${groupVersion}${namespaced ? `/namespaces/${ns.name}` : ''}/${plural}`;
        const name = fixed ?? unique('k');
        const created = await subject.admin.create(path, { apiVersion: groupVersion, kind, metadata: { name }, ...body });
        expect(created).toMatchObject(stored);
        const table = (await subject.admin.get(`${path}/${name}`, { accept: TABLE })).body as unknown as {
          readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
          readonly rows: readonly { readonly cells: readonly unknown[] }[];
        };
        // For an IPAddress, kube-apiserver returns one column definition fewer than it prints cells.
        expect(table.columnDefinitions.map((column) => column.name).slice(0, columns.length)).toEqual(columns);
        expect(table.rows[0]?.cells.slice(0, cells.length)).toEqual(cells);
        const labelled = await subject.admin.patch('strategic', `${path}/${name}`, { metadata: { labels: { a: 'b' } } });
        expect(labelled).toMatchObject({ status: 200, body: { metadata: { labels: { a: 'b' } } } });
        const applied = { apiVersion: groupVersion, kind, metadata: { name, annotations: { a: 'b' } } };
        expect(await subject.admin.patch('apply', `${path}/${name}?fieldManager=m`, applied)).toMatchObject({ status: 200 });
        const { body: list } = await subject.admin.get(`${path}?labelSelector=a%3Db`);
        expect(list.items.map(({ metadata }) => metadata.name)).toContain(name);
        expect((await subject.admin.delete(`${path}/${name}`)).status).toBe(200);
      },
    );

    it('a priority level that queues needs its queuing settings', async () => {
      const path = `/apis/${FLOW}/prioritylevelconfigurations`;
      const spec = { type: 'Limited', limited: { limitResponse: { type: 'Queue' } } };
      const answer = await subject.admin.post(path, {
        apiVersion: FLOW,
        kind: 'PriorityLevelConfiguration',
        metadata: { name: unique('k') },
        spec,
      });
      expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
      expect(answer.body.details.causes).toMatchObject([{ field: 'spec.limited.limitResponse.queuing', reason: 'FieldValueRequired' }]);
    });

    const autoscaler = (version: string, name: string, spec: object): object => ({
      apiVersion: `autoscaling/${version}`,
      kind: 'HorizontalPodAutoscaler',
      metadata: { name },
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 5, ...spec },
    });
    const autoscalers = (version: string): string => `/apis/autoscaling/${version}/namespaces/${ns.name}/horizontalpodautoscalers`;
    const cpu = (averageUtilization: number): object => ({
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
    });

    it('an autoscaler of autoscaling/v1 is the same object in v2', async () => {
      await subject.admin.create(autoscalers('v1'), autoscaler('v1', 'one', { targetCPUUtilizationPercentage: 70 }));
      expect((await subject.admin.get(`${autoscalers('v2')}/one`)).body.spec).toMatchObject({
        minReplicas: 1,
        maxReplicas: 5,
        metrics: [cpu(70)],
      });
      await subject.admin.patch('merge', `${autoscalers('v2')}/one`, { spec: { metrics: [cpu(60)], maxReplicas: 7 } });
      expect((await subject.admin.get(`${autoscalers('v1')}/one`)).body.spec).toMatchObject({
        targetCPUUtilizationPercentage: 60,
        maxReplicas: 7,
      });
      await subject.admin.patch('merge', `${autoscalers('v1')}/one`, { spec: { targetCPUUtilizationPercentage: 50 } });
      expect((await subject.admin.get(`${autoscalers('v2')}/one`)).body.spec).toMatchObject({ metrics: [cpu(50)], maxReplicas: 7 });
    });
    it('metrics that autoscaling/v1 has no field for survive a change through it', async () => {
      const memory = { type: 'Resource', resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 40 } } };
      await subject.admin.create(autoscalers('v2'), autoscaler('v2', 'two', { metrics: [cpu(70), memory] }));
      const shown = await subject.admin.get(`${autoscalers('v1')}/two`);
      expect(shown.body.metadata.annotations).toHaveProperty(['autoscaling.alpha.kubernetes.io/metrics']);
      await subject.admin.patch('merge', `${autoscalers('v1')}/two`, { spec: { maxReplicas: 9 } });
      const { spec } = (await subject.admin.get(`${autoscalers('v2')}/two`)).body;
      expect(spec['maxReplicas']).toBe(9);
      expect(spec['metrics']).toEqual(
        expect.arrayContaining([expect.objectContaining(cpu(70)), expect.objectContaining(memory)]) as unknown[],
      );
    });

    it('servers that extend the API find the authority of client certificates', async () => {
      await eventually(async () => {
        const { status, body } = await subject.admin.get('/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication');
        expect(status).toBe(200);
        expect(body.data['client-ca-file']).toContain('BEGIN CERTIFICATE');
      });
    });
  });
}
